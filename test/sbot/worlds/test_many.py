"""Worlds against runs of each alone: every bit of every world."""

import numpy as np
import pytest

import sbot
from sbot_common.errors import InputError
from sbot_common.observation import OMEGA, VX

# Five s-bots among obstacles of each kind, with sensors, noise and a gust.
ARENA = {'bounds': [0, 0, 3, 3], 'circles': [{'center': [2, 2], 'radius': 0.3}],
         'rectangles': [{'center': [1, 2], 'size': [0.4, 0.2], 'yaw': 0.3}],
         'segments': [[0.5, 0.5, 1.5, 0.7]],
         'polygons': [{'corners': [[2.2, 0.4], [2.8, 0.4], [2.8, 1.2], [2.5, 0.7]]}]}
S_BOTS = {'name': 's_bots', 'rate': 10, 'world': ARENA,
          'robots': [{'count': 5, 'body': 's-bot', 'controller': 'none'}],
          'sensors': {'infrared': True, 'scan_beams': 19, 'scan_range_max': 2.0,
                      'scan_noise_std': 0.01, 'odometry_noise_slip': 0.02,
                      'odometry_noise_radius': 0.01, 'laser_x': 0.02, 'laser_yaw': 0.3},
          'wind': {'wind_speed_mean': 0.05, 'wind_gust_force_mean': 0.2,
                   'wind_gust_speed_mean': 0.03, 'wind_gust_start': 0.5,
                   'wind_gust_duration': 0.6}}
HEARING = {**S_BOTS, 'name': 'hearing',
           'sensors': {**S_BOTS['sensors'], 'range_and_bearing': True, 'scan_sees_robots': True},
           'wind': {'wind_speed_mean': 0.05, 'wake': True}}
SHELTERED = {**S_BOTS, 'name': 'sheltered', 'wind': {'wind_speed_mean': 0.05, 'wake': True}}
CROWD = {**HEARING, 'name': 'crowd',
         'robots': [{'count': 30, 'body': 's-bot', 'controller': 'none'},
                    {'count': 2, 'body': 'e-puck2', 'controller': 'none'}]}
FAST = {**S_BOTS, 'name': 'fast', 'rate': 1, 'bodies': {'s-bot': {'max_wheel_speed': 100.0}},
        'robots': [{'count': 4, 'body': 's-bot', 'controller': 'none'}]}
IMPULSE = {**S_BOTS, 'name': 'impulse',
           'bodies': {'e-puck2': {'drive': 'impulse'}},
           'robots': [{'count': 3, 'body': 'e-puck2', 'controller': 'none'},
                      {'count': 2, 'body': 's-bot', 'controller': 'none'}]}
STEERED = {**S_BOTS, 'name': 'steered',
           'bodies': {'s-bot': {'drive': 'ackermann', 'max_steering_angle': 0.3}}}
SCENARIOS = {data['name']: data for data in (
    S_BOTS, HEARING, SHELTERED, CROWD, FAST, IMPULSE, STEERED)}
TICKS = 25


def random_commands(rng, shape):
    commands = np.zeros((*shape, 3))
    commands[..., [VX, OMEGA]] = rng.uniform(-1.0, 1.0, (*shape, 2)) * [0.15, 1.0] + [0.05, 0.0]
    return commands


def test_a_gust_that_is_written_is_that_of_a_scenario():
    steady = {'wind_direction': [0, 1, 0], 'wind_speed_mean': 0.05}
    wind = {**steady, 'wind_gust_direction': [1, 0, 0],
            'wind_gust_speed_mean': 0.03, 'wind_gust_start': 0.3, 'wind_gust_duration': 0.4}
    given = sbot.Worlds({**S_BOTS, 'wind': wind}, 1)
    written = sbot.Worlds({**S_BOTS, 'wind': steady}, 1)
    written.gust_velocity[0] = 0.03, 0.0, 0.0
    written.gust_ticks[0] = given.gust_ticks[0]
    ticks = range(*given.gust_ticks[0].tolist())
    assert 0 < ticks[0] < ticks[-1] < 30
    still = np.zeros((1, 5, 2))
    for tick in range(1, 30):
        seen = written.step(still)
        np.testing.assert_array_equal(seen.wind, given.step(still).wind)
        assert (seen.wind[0, :, 0] != 0.0).all() == (tick in ticks)


def test_worlds_of_different_scenarios_equal_each_alone():
    variants = [sbot.load(S_BOTS, **overrides) for overrides in (
        {}, {'world.circles': [], 'wind.wind_speed_mean': 0.2},
        {'bodies.s-bot.mass': 2.0, 'sensors.infrared_noise': 0.0, 'world.bounds': [0, 0, 4, 3]},
        {'sensors.odometry_noise_slip': 0.3, 'sensors.scan_noise_std': 0.0})]
    seeds = [5, 6, 7, 8]
    worlds = sbot.Worlds(variants, seeds=seeds)
    commands = random_commands(np.random.default_rng(3), (4, 5))
    together = worlds.step(commands, ticks=10)
    for k, variant in enumerate(variants):
        alone = sbot.World(variant, seed=seeds[k]).step(commands[k], ticks=10)
        for name in ('pose', 'scan', 'infrared', 'odometry', 'wind'):
            np.testing.assert_array_equal(getattr(together, name)[k], getattr(alone, name))


@pytest.mark.parametrize('moving', [[], [
    {'radius': 0.1, 'speed': 0.1, 'path': [[0.2, 0.2], [0.7, 0.7]], 'at_end': 'turn'}]])
def test_equal_discs_beside_a_world_of_rectangles_equal_each_alone(moving):
    def crowd(body, side, **more):
        return sbot.load({'name': body, 'rate': 10, 'sensors': {},
                          'world': {'bounds': [0, 0, side, side], 'moving': moving},
                          'bodies': {body: {'max_wheel_speed': 100.0, **more}},
                          'robots': [{'count': 6, 'body': body, 'controller': 'none'}]})

    variants = [crowd('e-puck2', 0.9), crowd('s-bot', 1.5, length=0.15, width=0.1)]
    worlds = sbot.Worlds(variants, seeds=[1, 2])
    each = [sbot.World(variant, seed=1 + k) for k, variant in enumerate(variants)]
    rng, hit = np.random.default_rng(0), np.zeros(2, np.bool_)
    for _ in range(60):
        commands = rng.uniform(-1.0, 1.0, (2, 6, 2)) * [1.5, 2.0] + [0.75, 0.0]
        together = worlds.step(commands)
        hit |= together.collided.any(axis=1)
        for k, world in enumerate(each):
            alone = world.step(commands[k])
            for name in ('pose', 'collided'):
                np.testing.assert_array_equal(getattr(together, name)[k], getattr(alone, name))
    assert hit.all()


def test_neighbours_are_padded_rows_of_what_is_heard():
    world = sbot.World(HEARING, seed=3)
    data = np.arange(50, dtype=np.uint8).reshape(5, 10)
    seen = world.step(np.zeros((5, 2)), data=data)
    heard = seen.neighbours
    for i in range(5):
        number = heard.number[i]
        robots = heard.robot[i, :number]
        assert (np.diff(robots) > 0).all()
        assert (heard.robot[i, number:] == -1).all()
        away = np.linalg.norm(seen.pose[robots, :2] - seen.pose[i, :2], axis=1)
        np.testing.assert_allclose(heard.range[i, :number], away, rtol=1e-6)
        np.testing.assert_array_equal(heard.data[i, :number, 1:], data[robots, 1:])
    assert heard.number.sum() > 0


@pytest.mark.parametrize(('call', 'words'), [
    (lambda: sbot.Worlds(S_BOTS, 2, sense=['neighbours']), 'sense: neighbours needs'),
    (lambda: sbot.Worlds([S_BOTS, SHELTERED]), 'wakes: got'),
    (lambda: sbot.World(S_BOTS).step(np.zeros((5, 3)), wheels=True), r'got .*\(5, 3\)'),
    (lambda: sbot.World(S_BOTS).step(np.full((5, 3), 0.5)),
     'vy = 0.5 m/s.*expected 0, as the drive'),
    (lambda: sbot.World(S_BOTS).step(np.zeros((5, 2)), data=np.zeros((5, 10), np.uint8)),
     'data needs range and bearing; add sensors'),
    (lambda: sbot.World(HEARING).step(np.zeros((5, 2)), data=np.full((5, 10), 256)),
     'data: got .*0 to 255')])
def test_bad_input_is_named(call, words):
    with pytest.raises(InputError, match=words):
        call()


def test_threads_free_a_crowd_as_one_does(monkeypatch):
    """All drive to the middle, so chains of robots push; each robot is a task of its own."""
    monkeypatch.setattr('sbot_sim.engine.many._WORTH', 0)
    monkeypatch.setattr('sbot_sim.engine.many._WORTH_A_CALL', 0)
    monkeypatch.setattr('sbot_sim.worlds.batch._LEAST_ROWS', 1)
    alone, together = (sbot.Worlds({
        'duration': 1, 'rate': 7, 'world': {'bounds': [0, 0, 9, 9]}, 'sensors': {'infrared': True},
        'robots': [{'count': 70, 'area': [1, 1, 8, 8], 'controller': 'none'}]}, 1, threads=threads)
        for threads in (1, 3))
    for tick in range(500):
        if tick == 250:
            assert np.array_equal(alone.reset([2]).infrared, together.reset([2]).infrared)
        x, y, yaw = alone.observe().pose[0].T
        turn = 3.0 * np.sin(np.arctan2(4.5 - y, 4.5 - x) - yaw)
        commands = np.stack([np.ones(70), turn], axis=1)[None]
        one, other = alone.step(commands), together.step(commands)
        for name in ('pose', 'collided', 'infrared'):
            assert np.array_equal(getattr(one, name), getattr(other, name))
