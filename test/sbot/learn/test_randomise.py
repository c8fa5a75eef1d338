"""What a task draws anew for each episode is what a scenario with these values gives."""

import copy

import numpy as np
import pytest

pytest.importorskip('gymnasium', reason='gymnasium is missing (extra learn)')

import sbot
from sbot.learn.episodes import world_seeds
from sbot.learn.task_checks import KEYS
from sbot_common.errors import InputError

BASE = {'rate': 10, 'world': {'bounds': [0, 0, 4, 4]}, 'seed': 3,
        'robots': [{'pose': [2, 1, 0], 'goal': [3, 3], 'body': 's-bot', 'controller': 'none'},
                   {'pose': [2, 2, 1], 'body': 's-bot', 'controller': 'none'}],
        'sensors': {'infrared': True, 'scan_beams': 9, 'scan_sees_robots': True},
        'wind': {'wind_speed_mean': 0.01}}
RANGES = {'wind.wind_speed_mean': [0.0, 0.04], 'wind.wind_direction': [-3.0, 3.0],
          'wind.wind_gust_speed_mean': [0.0, 0.03], 'wind.wind_gust_start': [0.1, 0.3],
          'wind.wind_gust_duration': [0.2, 0.5], 'wind.wind_gust_direction': [0.0, 1.0],
          'wind.wind_force_mean': [0.0, 0.01], 'wind.wind_gust_force_mean': [0.0, 0.01],
          'sensors.scan_noise_std': [0.0, 0.1], 'sensors.infrared_noise': [0.0, 0.2],
          'sensors.odometry_noise_radius': [0.0, 0.1], 'sensors.odometry_noise_slip': [0.0, 0.1]}


class Varied(sbot.learn.AvoidObstacles):
    senses = ('infrared', 'scan', 'odometry', 'wind')
    outputs, max_speed, turn, hold, seconds = 'twist', 0.05, 1.0, 1, 0.8
    randomise = RANGES


def test_an_episode_is_the_scenario_with_the_drawn_values():
    env = sbot.learn.vector_env(BASE, 3, task=Varied(), autoreset='disabled')
    env.reset(seed=5)
    assert set(RANGES) == set(KEYS)
    for episode in range(2):
        drawn = copy.deepcopy(env.episodes.drawn[1])
        assert list(drawn) == list(RANGES)
        for key, (low, high) in RANGES.items():
            assert isinstance(drawn[key], list) or low <= drawn[key] <= high
        world = sbot.World(BASE, seed=int(env.episodes.worlds.seeds[1]),
                           sense=env.episodes.worlds.senses, **drawn)
        for _ in range(8):
            *_, late, _ = env.step(np.full((3, 2, 2), 0.5, np.float32))
            mine, alone = env.episodes.now, world.step(env.episodes.now.commands[1])
            for name in ('pose', 'scan', 'infrared', 'odometry', 'wind'):
                np.testing.assert_array_equal(getattr(mine.seen, name)[1], getattr(alone, name),
                                              err_msg=f'{name}, episode {episode}')
        assert late.all()
        env.reset(options={'reset_mask': late})
        assert env.episodes.drawn[1] != drawn
    assert env.episodes.drawn[0] != env.episodes.drawn[1]


def test_a_curriculum_changes_the_ranges():
    task = Varied()
    task.randomise = {'wind.wind_speed_mean': [0.02, 0.02]}
    env = sbot.learn.env(BASE, task=task)
    env.reset(seed=1)
    assert env.episodes.worlds.wind_velocity[0, 0] == 0.02
    task.randomise = {}
    env.reset()
    assert env.episodes.worlds.wind_velocity[0, 0] == 0.01
    assert env.episodes.drawn == [{}]
    task.randomise = {'wind.wind_speed_mean': [0.03, 0.03]}
    env.reset()
    state = env.save()
    task.randomise = {}
    env.reset()
    env.restore(state)
    assert env.episodes.worlds.wind_velocity[0, 0] == 0.03
    assert env.episodes.drawn == [{'wind.wind_speed_mean': 0.03}]


@pytest.mark.parametrize(('ranges', 'words'), [({'robots.0.goal': [0, 1]},
     r'randomise of the task: robots\.0\.goal: cannot be drawn for each episode; use one of'),
    ({'wind.wind_speed_mean': [0.4, 0.0]}, r'randomise .*: got \[0\.4, 0\.0\], expected two num'),
    ({'wind.wind_speed_mean': [-1.0, 0.0]}, 'randomise .*: got -1.0, expected a .* >= 0'),
    ({'wind.wind_speed_mean': 0.4}, r"randomise .*: got 'shape \(\)'"),
    ({'wind.wind_speed_mean': [0.0, np.inf]}, 'randomise .* finite numbers'),
    ({'wind.wind_gust_start': [0.0, 1e308]},
     r'randomise of the task: wind\.wind_gust_start: got 1e\+308, expected .* <= 1e\+09 \(s\)'),
    ({'wind.wind_direction': [-1e308, 1e308]}, r'randomise .*: got -1e\+308, expected .*\(rad\)'),
    ('wind', "randomise of the task: got 'wind', expected ranges by key")])
def test_wrong_ranges_are_named(ranges, words):
    task = Varied()
    task.randomise = ranges
    with pytest.raises(InputError, match=f'^{words}') as caught:
        sbot.learn.env(BASE, task=task)
    assert '\n' not in str(caught.value)


PILLARS = [{**BASE, 'world': {**BASE['world'], 'circles': [{'center': [x, 3], 'radius': 0.3}]},
            'robots': [{**robot, 'goal': [x, 1.0]} for robot in BASE['robots']]}
           for x in (1.0, 2.0, 3.0)]


class Aimed(Varied):
    inputs, randomise = ('goal', 'infrared'), {}


def test_worlds_share_out_several_scenarios():
    envs = sbot.learn.vector_env(PILLARS, 5, task=Aimed(), render_mode='rgb_array')
    rng = np.random.default_rng(1)
    seen, _ = envs.reset(seed=5)
    alone = [sbot.learn.env(PILLARS[k % 3], task=Aimed()) for k in range(5)]
    for k, env in enumerate(alone):
        assert np.array_equal(seen[k], env.reset(seed=world_seeds(5, 5)[k])[0])
    for _ in range(6):
        actions = rng.uniform(-1, 1, (5, 2, 2)).astype(np.float32)
        seen, reward, *_ = envs.step(actions)
        for k, env in enumerate(alone):
            observed, own, *_ = env.step(actions[k])
            assert np.array_equal(seen[k], observed)
            assert reward[k] == own
    scans = envs.episodes.now.seen.scan
    assert not np.array_equal(scans[0], scans[1])
    images = envs.render()
    assert not np.array_equal(images[0], images[1])


class Unlimited(Aimed):
    max_speed, turn = None, None


@pytest.mark.parametrize(('scenarios', 'words'), [
    ([], "scenario: got '0 scenarios', expected 1 to 2"), (PILLARS, "scenario: got '3 scenarios'"),
    ([BASE, {**BASE, 'robots': BASE['robots'][:1]}], 'worlds of one batch: number of robots: '),
    ([BASE, {**BASE, 'bodies': {'s-bot': {'max_wheel_speed': 3.0}}}],
     'scenario: the robots of these scenarios have different greatest speeds')])
def test_scenarios_that_cannot_be_played_together_are_named(scenarios, words):
    with pytest.raises(InputError, match=f'^{words}'):
        sbot.learn.vector_env(scenarios, 2, task=Unlimited())
