"""What a task has of its own in each world: arrays, draws, maps, boxes, teams, scripted robots."""

import numpy as np
import pytest

pytest.importorskip('pettingzoo', reason='pettingzoo is missing (extra learn)')

import sbot
from sbot import learn
from sbot.learn.episodes import world_seeds
from sbot.learn.task import Draws
from sbot_common.errors import InputError

DISC = {'radius': 0.1, 'collision_distance': 0, 'drive': 'omnidirectional', 'max_wheel_speed': 50}

ARENA = {'rate': 10, 'world': {'bounds': [-2, -2, 2, 2]},
         'bodies': {'disc': DISC, 'fast': {**DISC, 'max_wheel_speed': 100}},
         'robots': [{'body': 'disc', 'count': 2}, {'body': 'fast'}],
         'sensors': {'scan_beams': 4}}


class Cells(learn.Scene):
    """Visit cells; a target moves each step; robot 2 is scripted."""

    inputs, outputs, max_speed, turn = ('scan:4', 'twist'), 'holonomic', 0.5, 1.0
    seconds, team, scripted = 3.0, 3, (2,)
    arena = ARENA
    maps = ({'circles': [{'center': [1.5, 1.5], 'radius': 0.3}]},
            {'rectangles': [{'center': [-1.5, 1.5], 'size': [0.4, 0.4]}]}, {})

    def start(self, rng):
        return np.column_stack([[-1.0, 0.0, 1.0], rng.uniform(-1, 1, 3) * self.level, np.zeros(3)])

    def keep(self, now, draw):
        return {'target': draw.uniform(-1, 1, (2,)),
                'visited': np.zeros((len(now.inputs), 16), np.bool_)}

    def update(self, before, now, draw):
        cell = (np.floor(now.seen.pose[..., :2]) + 2).clip(0, 3).astype(int)
        visited = before.kept['visited'].copy()
        visited[np.arange(len(cell))[:, None], cell[..., 0] * 4 + cell[..., 1]] = True
        return {'target': draw.uniform(-1, 1, (2,)), 'visited': visited}

    def script(self, now):
        return np.tile([0.0, -1.0, 0.0], (len(now.inputs), 1, 1))

    def observation(self, now):
        target = np.repeat(now.kept['target'][:, None], 3, axis=1)
        return np.concatenate([now.inputs, target], axis=2)

    def reward(self, before, now):
        new = (now.kept['visited'] & ~before.kept['visited']).sum(axis=1)
        return np.repeat(new[:, None].astype(float), 3, axis=1)


def rollout(envs, steps=40, seed=None):
    rows = [envs.reset(seed=seed)[0]] if seed is not None else []
    rng = np.random.default_rng(0)
    for _ in range(steps):
        seen, *_ = envs.step(np.broadcast_to(rng.uniform(-1, 1, (2, 3)), envs.action_space.shape))
        rows.append(seen)
    return rows


def test_what_a_task_keeps_and_draws_is_that_of_the_world_alone():
    many = rollout(learn.vector_env(None, 3, task=Cells()), seed=7)
    for k, seed in enumerate(world_seeds(7, 3)):
        env = learn.env(task=Cells())
        alone = rollout(env, 29, seed=seed)  # to the end of an episode
        assert all(np.array_equal(a[k], b) for a, b in zip(many[:30], alone, strict=True))


def test_rewards_count_each_visited_cell_once_and_episodes_begin_with_none():
    envs = learn.vector_env(None, 2, task=Cells(), rewards='robots')
    envs.reset(seed=1)
    total = sum(envs.step(envs.action_space.sample())[1] for _ in range(29))
    assert np.array_equal(total[:, 0], envs.episodes.now.kept['visited'].sum(axis=1))
    assert (total > 0).all()
    envs.step(envs.action_space.sample())  # the last: reset in the same step
    assert not envs.episodes.now.kept['visited'].any()


def test_scripted_robots_have_no_agents():
    env = learn.parallel_env(task=Cells())
    env.reset(seed=1)
    assert env.agents == ['robot_0', 'robot_1']
    before = env.episodes.now.seen.pose[0, 2]
    env.step({agent: np.zeros(3) for agent in env.agents})
    assert np.allclose(env.episodes.now.seen.pose[0, 2] - before, [0.0, -0.05, 0.0], atol=1e-6)

    class Wrong(Cells):
        scripted = (3,)
    with pytest.raises(InputError, match='scripted of the task'):
        learn.env(task=Wrong())


def test_an_episode_has_the_map_of_its_seed_and_the_next_another():
    scene = Cells()
    seeds = world_seeds(11, 8)
    envs = learn.vector_env(None, 8, task=scene)
    envs.reset(seed=11)
    worlds = sbot.Worlds([scene.scenario(seed) for seed in seeds], seeds=seeds)
    for _ in range(10):
        envs.step(np.ones((8, 2, 3)))
        seen = worlds.step(envs.episodes.now.commands)
    now = envs.episodes.now.seen
    assert np.array_equal(seen.pose, now.pose)
    assert np.array_equal(seen.scan, now.scan)
    assert len({str(scene.scenario(seed)['world']) for seed in seeds}) == 3
    before = [each.world for each in envs.episodes.worlds.scenarios]
    envs.reset()
    assert [each.world for each in envs.episodes.worlds.scenarios] != before


def test_a_level_makes_scenes_easier():
    scene = Cells()
    scene.level = 0.0
    assert [robot['pose'][1] for robot in scene.scenario(5)['robots']] == [0.0, 0.0, 0.0]


def test_boxes_begin_where_the_scene_of_the_seed_has_them():
    with_box = {'rate': 10, 'world': {'bounds': [0, 0, 4, 4], 'boxes': [
        {'center': [2, 2], 'size': [0.4, 0.2], 'mass': 1.0}]}, 'robots': [{}]}

    class Pushed(learn.Scene):
        inputs, outputs, max_speed, turn = ('twist',), 'twist', 0.5, 1.0
        arena = with_box

        def boxes(self, rng):
            return np.array([[*rng.uniform(1.0, 3.0, 2), rng.uniform(-3, 3)]])

        def start(self, rng):
            return np.array([[0.5, 0.5, 0.0]])

        def reward(self, before, now):
            return np.zeros((len(now.inputs), 1))

    scene, seeds = Pushed(), world_seeds(4, 3)
    envs = learn.vector_env(None, 3, task=scene)
    envs.reset(seed=4)
    worlds = sbot.Worlds([scene.scenario(seed) for seed in seeds], seeds=seeds)
    assert np.array_equal(envs.episodes.now.seen.boxes, worlds.observe().boxes)
    assert len(np.unique(envs.episodes.now.seen.boxes[:, 0, 0])) == 3


def test_draws_keep_a_gap_and_repeat():
    def draws():
        return Draws(np.arange(50), np.zeros(50, np.int64))
    others = draws().uniform(0, 1, (3, 2))
    points = draws().apart(4, 0, 1, 0.2, others)
    every = np.concatenate([others, points], axis=1)
    gaps = np.linalg.norm(every[:, :, None] - every[:, None], axis=3)
    assert gaps[:, 3:][gaps[:, 3:] > 0].min() > 0.2
    assert np.array_equal(points, draws().apart(4, 0, 1, 0.2, others))
    assert set(draws().below(3, (9,)).ravel()) == {0, 1, 2}
    part = Draws(np.arange(20, 30), np.zeros(10, np.int64)).uniform(0, 1, (3, 2))
    assert np.array_equal(part, others[20:30])
