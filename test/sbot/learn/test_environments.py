"""Environments: the checkers of PettingZoo and Gymnasium, and worlds that equal each other."""

import warnings

import numpy as np
import pytest

gymnasium = pytest.importorskip('gymnasium', reason='gymnasium is missing (extra learn)')
pettingzoo = pytest.importorskip('pettingzoo', reason='pettingzoo is missing (extra learn)')

from gymnasium.utils.env_checker import check_env  # noqa: E402
from gymnasium.vector import AutoresetMode  # noqa: E402
from learning_scenes import NEAR, SBOTS  # noqa: E402
from pettingzoo.test import parallel_api_test, parallel_seed_test  # noqa: E402

import sbot  # noqa: E402
from sbot.learn.episodes import world_seeds  # noqa: E402
from sbot_common.errors import InputError  # noqa: E402


@pytest.mark.parametrize(('scenario', 'task', 'agents'), [
    ('leader_follower', None, 4), (SBOTS, 'avoid_obstacles', 4), (SBOTS, 'aggregate', 4),
    (NEAR, 'reach_goal', 1)])
def test_pettingzoo(scenario, task, agents):
    def make():
        return sbot.learn.parallel_env(scenario, task=task)

    env = make()
    assert env.possible_agents == [f'robot_{i}' for i in range(agents)]
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        parallel_api_test(env, num_cycles=50)
        parallel_seed_test(make, num_cycles=20)


@pytest.mark.parametrize(('scenario', 'task'), [
    ('single_robot', None), (SBOTS, 'aggregate'), (NEAR, 'reach_goal')])
def test_gymnasium(scenario, task):
    env = sbot.learn.env(scenario, task=task, render_mode='rgb_array')
    with warnings.catch_warnings():
        warnings.filterwarnings('ignore', message='.*(infinity|gym.make|spec).*')
        check_env(env)


def rollout(env, seed, steps, k=None):
    """Return observations, rewards and flags of random actions; of world k of many."""
    rng = np.random.default_rng(7)
    rows = [env.reset(seed=seed)[0]]
    for _ in range(steps):
        action = rng.uniform(-1, 1, env.unwrapped.episodes.robots * 2).astype(np.float32)
        space = env.action_space if k is None else env.single_action_space
        action = action.reshape(space.shape)
        if k is not None:
            action = np.broadcast_to(action, env.action_space.shape)
        seen = env.step(action)[:4]
        rows.append(np.concatenate([np.ravel(part if k is None else part[k]) for part in seen]))
    first = rows[0] if k is None else rows[0][k]
    return np.concatenate([np.ravel(first), *rows[1:]])


@pytest.mark.parametrize('threads', [1, 2])
def test_world_k_equals_a_single_one(threads):
    many = sbot.learn.vector_env(SBOTS, 3, task='aggregate', threads=threads)
    alone = sbot.learn.env(SBOTS, task='aggregate')
    for k, seed in enumerate(world_seeds(5, 3)):
        assert np.array_equal(rollout(many, 5, 20, k), rollout(alone, seed, 20))
    assert not np.array_equal(rollout(alone, 5, 20), rollout(alone, 6, 20))


def test_worlds_of_two_seeds_share_no_scene():
    env = sbot.learn.vector_env(SBOTS, 16, task='aggregate')
    scenes = set()
    for seed in range(4):
        env.reset(seed=seed)
        scenes |= {start.tobytes() for start in env.episodes.worlds.start}
    assert len(scenes) == 4 * 16


def test_the_first_episode_has_the_seed_of_the_scenario():
    env = sbot.learn.env(SBOTS, task='aggregate')
    env.reset(seed=9)
    starts = [robot.pose for robot in sbot.load(SBOTS, seed=9).robots]
    assert env.episodes.worlds.start[0] == pytest.approx(np.array(starts), abs=0)
    env.reset()
    assert (env.episodes.worlds.start[0] != np.array(starts)).any()


class Short(sbot.learn.ReachGoal):
    """Three worlds that end at different times: one by its goal, all by the clock."""

    seconds = 2.0
    hold = 1
    outputs, max_speed, turn = 'twist', 3.0, 1.0

    def begin(self, worlds, world, rng):
        return np.array([[4.0 if world == 1 else 2.0, 3.0, 0.0]])


def test_worlds_begin_again_in_the_step_in_which_they_end():
    env = sbot.learn.vector_env(NEAR, 3, task=Short())
    assert env.metadata['autoreset_mode'] == AutoresetMode.SAME_STEP
    start, _ = env.reset(seed=1)
    ahead = np.tile(np.array([0.5, 0.0], np.float32), (3, 1))
    step, terminated = 0, np.zeros(3, bool)
    while not terminated.any():
        seen, reward, terminated, truncated, infos = env.step(ahead)
        step += 1
    assert terminated.tolist() == [False, True, False]
    assert not truncated.any()
    assert reward[1] > 1.0 > reward[0] > 0.0
    assert infos['_final_obs'].tolist() == [False, True, False]
    assert infos['final_obs'][0] is None
    assert infos['final_obs'][1][2] < start[1][2]  # nearer to the goal than at the start
    assert seen[1] == pytest.approx(start[1])
    assert env.episodes.now.seen.tick.tolist() == [step, 0, step]
    still = np.zeros((3, 2), np.float32)
    for _ in range(step + 1, 21):
        *_, terminated, truncated, infos = env.step(still)
    assert truncated.tolist() == [True, False, True]
    assert not terminated.any()


class Drawn(Short):
    """Goals by the generator of a world, above where the robot stands."""

    seconds = 0.2

    def goals(self, worlds, world, rng):
        return worlds.start[world, 0, :2] + [0.0, rng.uniform(1.0, 2.5)]


def test_a_task_draws_goals_for_each_episode():
    env = sbot.learn.vector_env(NEAR, 2, task=Drawn())
    seen, _ = env.reset(seed=1)
    goals = [env.episodes.goal]
    distance = goals[0][:, 0, 1] - env.episodes.worlds.start[:, 0, 1]
    assert seen[:, 1] == pytest.approx([1.0, 1.0])  # straight to the left
    assert seen[:, 2] == pytest.approx(distance / (1.0 + distance))
    env.step(np.zeros((2, 2), np.float32))
    assert env.episodes.now.goal is goals[0]
    env.step(np.zeros((2, 2), np.float32))  # the next episode begins
    goals.append(env.episodes.goal)
    assert len(np.unique(np.array(goals)[:, :, 0, 1])) == 4
    assert (goals[1][:, :, 0] == env.episodes.worlds.start[:, :, 0]).all()
    alone = sbot.learn.env(NEAR, task=Drawn())
    alone.reset(seed=world_seeds(1, 2)[1])
    assert alone.episodes.goal[0, 0, 1] == goals[0][1, 0, 1]


def test_robots_that_are_done_stand_still_and_leave():
    class First(sbot.learn.AvoidObstacles):
        def ended(self, now):
            done = np.zeros(now.seen.pose.shape[:2], bool)
            done[:, 2] = now.seen.tick >= 3
            return done

    env = sbot.learn.parallel_env(SBOTS, task=First())
    env.reset(seed=2)
    for _ in range(3):
        _, _, terminated, truncated, _ = env.step(
            {agent: np.ones(2, np.float32) for agent in env.agents})
    assert terminated == {f'robot_{i}': i == 2 for i in range(4)}
    assert not any(truncated.values())
    assert env.agents == ['robot_0', 'robot_1', 'robot_3']
    place = env.episodes.now.seen.pose[0].copy()
    observed, reward, *_ = env.step({agent: np.ones(2, np.float32) for agent in env.agents})
    assert 'robot_2' not in observed
    assert 'robot_2' not in reward
    moved = np.abs(env.episodes.now.seen.pose[0] - place).max(axis=1)
    assert moved[2] == 0.0
    assert (moved[[0, 1, 3]] > 0.0).all()


@pytest.mark.parametrize(('scenario', 'arguments', 'words'), [
    (NEAR, {'task': 'dance'}, "^task: unknown name 'dance'; known: aggregate, "),
    (NEAR, {'task': 3}, 'a Task'), (NEAR, {'render_mode': 'ansi'}, 'human, rgb_array, html'),
    (NEAR, {'task': 'avoid_obstacles'}, r'infrared needs sensors\.infrared'),
    ({**SBOTS, 'sensors': {'scan_beams': 16}}, {'task': 'reach_goal'}, 'robots.0: needs a goal')])
def test_what_cannot_be_is_named(scenario, arguments, words):
    with pytest.raises(InputError, match=words):
        sbot.learn.parallel_env(scenario, **arguments)


MASK = np.ones(3, bool)
ACTIONS = np.zeros((3, 4, 2), np.float32)


@pytest.mark.parametrize(('call', 'words'), [
    (lambda env: env.step(ACTIONS.T), r"actions: got 'shape \(2, 4, 3\)', expected shape \(3, "),
    (lambda env: env.step('up'), "actions: got 'up'"),
    (lambda env: env.reset(options={'reset_mask': MASK[:2]}), 'worlds: got .* a mask of 3 val'),
    (lambda env: env.reset(seed=-1), 'seed: got -1, expected a whole number from 0 to'),
    (lambda env: env.reset(seed=np.array(3)), r'seed: got array\(3\), expected a whole number'),
    (lambda env: env.reset(seed=1.5), 'seed: got 1.5')])
def test_wrong_arguments_of_many_worlds_are_named(call, words):
    env = sbot.learn.vector_env(SBOTS, 3, task='aggregate')
    first, _ = env.reset(seed=1)
    with pytest.raises(InputError, match=f'^{words}'):
        call(env)
    np.testing.assert_array_equal(env._observed(), first)
    env.step(ACTIONS)
    env.reset(seed=np.int64(3), options={'reset_mask': MASK})


@pytest.mark.parametrize(('call', 'words'), [
    (lambda env: env.step(np.zeros((2, 4))), 'actions: got array.* expected a dictionary'),
    (lambda env: env.step({'robot_9': [0, 0]}), "actions: got 'robot_9', expected agents: "),
    (lambda env: env.step({'robot_1': 0.5}), r"action of robot_1: got 'shape \(\)'"),
    (lambda env: env.step({'robot_1': [0, np.nan]}), 'action of robot_1: got nan'),
    (lambda env: env.reset(seed='x'), "seed: got 'x'")])
def test_wrong_arguments_of_agents_are_named(call, words):
    env = sbot.learn.parallel_env(SBOTS, task='aggregate')
    env.reset(seed=1)
    with pytest.raises(InputError, match=f'^{words}'):
        call(env)
    assert env.episodes.now.seen.tick.tolist() == [0]


@pytest.mark.parametrize(('name', 'value'), [
    ('seconds', float('nan')), ('seconds', 0.0), ('seconds', 'x'), ('hold', True), ('hold', 1.5),
    ('max_speed', 'x'), ('turn', [1.0]), ('senses', 3), ('senses', 'scan')])
def test_a_tasks_numbers_are_checked(name, value):
    task = sbot.learn.ReachGoal()
    setattr(task, name, value)
    with pytest.raises(InputError, match=f'^{name}(: got| of the task)'):
        sbot.learn.env(NEAR, task=task)


class Answers(sbot.learn.ReachGoal):
    """A task whose methods answer as a test says."""

    def __init__(self, **answers):
        super().__init__()
        self.answers = answers

    def reward(self, before, now):
        return self.answers.get('reward', np.zeros(now.seen.pose.shape[:2]))

    def ended(self, now):
        return self.answers.get('ended', super().ended(now))

    def observation(self, now):
        return self.answers.get('observation', super().observation(now))


@pytest.mark.parametrize(('method', 'answer', 'words'), [
    ('reward', np.zeros(2), "got 'shape (2,)', expected shape (2, 1)"),
    ('reward', np.full((2, 1), np.nan), 'expected finite numbers'),
    ('reward', np.array([['a'], ['b']]), 'expected finite numbers'),
    ('ended', np.zeros((2, 2), bool), "got 'shape (2, 2)', expected shape (2, 1)"),
    ('observation', np.zeros((2, 4)), "got 'shape (2, 4)', expected shape (2, 1, 4)")])
def test_what_a_task_answers_has_a_value_for_each_robot(method, answer, words):
    def step():
        env = sbot.learn.vector_env(NEAR, 2, task=Answers(**{method: answer}))
        env.reset(seed=1)
        env.step(np.zeros((2, 2), np.float32))

    with pytest.raises(InputError) as caught:
        step()
    assert str(caught.value).startswith(f'Answers.{method}(): ')
    assert words in str(caught.value)


@pytest.mark.parametrize(('overrides', 'words'), [
    ({'duration': 20}, ['scenario: duration: 20 s has no effect on episodes: the task ends them '
                        'after 60 s (its attribute seconds)']),
    ({'until': 'goal_reached'}, ["scenario: until: goal_reached has no effect on episodes: the "
                                 "task's method ended(now) says when a robot is done"]),
    ({'duration': 60}, []), ({}, [])])
def test_what_ends_runs_and_not_episodes_is_named(overrides, words, caplog):
    sbot.learn.vector_env(NEAR, 2, task='reach_goal', **overrides)
    assert caplog.messages == words
