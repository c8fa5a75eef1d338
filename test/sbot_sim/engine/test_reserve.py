"""Robots in reserve: not in the world until they are put there; gone once they are taken out."""

import numpy as np
import pytest

import sbot
from sbot.scenario.assemble import initial_poses, simulation_parameters
from sbot_common.errors import InputError
from sbot_sim.engine.simulation import Engine
from wind_model.gust import Wind

pytestmark = pytest.mark.forked

PLACE = (6.0, 6.3, 0.0)
WORLD = {'bounds': [0, 0, 9, 9], 'circles': [{'center': [4.5, 4.5], 'radius': 0.4}],
         'polygons': [{'corners': [[8, 8], [8.5, 8], [8.2, 8.6]]}]}
# Everything that looks at other robots, or draws numbers.
SENSORS = {'infrared': True, 'range_and_bearing': True, 'rab_range': 4.0, 'imu': True,
           'imu_noise_yaw': 0.01, 'imu_bias_turn_rate': 0.1, 'gnss': True, 'gnss_noise': 0.1,
           'scan_sees_robots': True, 'scan_noise_std': 0.01, 'odometry_noise_radius': 0.01,
           'odometry_noise_slip': 0.01}
WIND = {'wind_speed_mean': 0.3, 'wake': True, 'turbulence': 'robot'}
CROWD = [{'pose': [6.7, 6.3, 3.1], 'controller': 'none'},
         {'pose': [2, 7.6, 0], 'controller': 'none'}]
KINDS = {
    'discs': {}, 'rectangles': {'bodies': {'robot': {'length': 0.4, 'width': 0.3}}},
    'inertia': {'bodies': {'robot': {'max_acceleration': 0.5, 'command_delay': 0.2}}},
    'among boxes': {'world': {**WORLD, 'boxes': [{'center': [3, 7], 'size': [0.4, 0.4]}],
                              'moving': [{'radius': 0.2, 'speed': 0.3,
                                          'path': [[1, 4], [1, 8]]}]}},
    'many': {'robots': [*CROWD, {'count': 18, 'area': [0.3, 0.3, 8.7, 3.9], 'layout': 'grid',
                                 'controller': 'none'}]}}


def make(last, kind='discs', threads=1):
    """Return an engine with two robots or more, and then what `last` says, of one kind."""
    written = {'seed': 3, 'world': WORLD, 'sensors': SENSORS, 'wind': WIND, 'robots': CROWD,
               **KINDS[kind]}
    loaded = sbot.load({**written, 'robots': [*written['robots'],
                                              *({'controller': 'none', **each} for each in last)]})
    return Engine(simulation_parameters(loaded, threads), initial_poses(loaded), loaded.seed)


WINDY = Wind.still()._replace(velocity=np.array([0.3, 0.1, 0.0]))


def advance(engine, ticks=1):
    """Drive all robots in circles, each in its own."""
    n = len(engine.snapshot.pose)
    command = np.column_stack([0.3 + 0.02 * np.arange(n), np.zeros(n), np.full(n, 0.4)])
    for _ in range(ticks):
        engine.advance(command, WINDY, engine.snapshot.rab_data)


def rows(engine, first=0, end=None):
    """Return all that some robots are and sense, as bytes."""
    engine.sense_wind(WINDY)
    now = engine.snapshot
    found = [now.pose, now.twist, now.wind, now.odometry, now.ranges, now.infrared, now.collided,
             now.reverted, *now.readings.values()]
    starts, robots, *_ = now.heard
    n = len(now.pose) if end is None else end
    return [each[first:n].tobytes() for each in found] + [
        robots[starts[i]:starts[i + 1]].tolist() for i in range(first, n)]


@pytest.mark.parametrize('kind', KINDS)
def test_robots_in_reserve_change_no_bit_of_the_others(kind):
    without, engine = make([], kind), make([{'reserved': True, 'count': 2}], kind)
    n = len(without.snapshot.pose)
    for _ in range(30):
        assert rows(engine, end=n) == rows(without)
        advance(without)
        advance(engine)
    assert np.isnan(engine.snapshot.pose[n:, :2]).all()
    assert np.isinf(engine.snapshot.ranges[n:]).all()
    assert not engine.snapshot.reverted[n:].any()


@pytest.mark.parametrize('kind', KINDS)
def test_a_robot_put_into_the_world_is_what_it_is_had_it_stood_there_from_the_start(kind):
    from_start, engine = make([{'pose': PLACE}], kind), make([{'reserved': True}], kind)
    engine.teleport({len(engine.snapshot.pose) - 1: PLACE})
    met = False
    for _ in range(60):
        advance(from_start)
        advance(engine)
        assert rows(engine) == rows(from_start)
        met |= bool(engine.snapshot.collided[[0, -1]].all())
    assert met  # the two that are near each other


def test_a_robot_taken_out_of_the_world_is_gone():
    without, engine = make([{'reserved': True}]), make([{'pose': (7.6, 2.0, 0.0)}])
    engine.teleport({2: None})
    for _ in range(30):
        advance(without)
        advance(engine)
        assert rows(engine, end=2) == rows(without, end=2)
    assert np.isnan(engine.snapshot.true_pose[2, :2]).all()
    engine.teleport({2: PLACE})
    advance(engine)
    assert np.hypot(*engine.snapshot.odometry[2, :2]) < 0.1  # it begins anew


def test_no_two_stand_in_one_place_and_an_exchange_is_one_step():
    engine = make([{'reserved': True, 'count': 2}])
    with pytest.raises(InputError, match=r'robot 2 to .*: robot 0 at .* too near to robot 2'):
        engine.teleport({2: (6.7, 6.3, 0.0)})
    with pytest.raises(InputError, match='not finite'):
        engine.teleport({2: (np.nan, 6.0, 0.0)})
    with pytest.raises(InputError, match=r'robot 2 at .* too near to robot 3'):
        engine.teleport({2: PLACE, 3: PLACE})
    engine.teleport({0: None, 2: (6.7, 6.3, 0.0)})
    assert np.isnan(engine.snapshot.true_pose[:, 0]).tolist() == [True, False, False, True]


def test_saved_moments_and_the_start_have_the_robots_that_they_had():
    engine = make([{'reserved': True}])
    first = rows(engine)
    engine.teleport({2: PLACE})
    advance(engine, 5)
    saved = engine.save()
    advance(engine, 5)
    wanted = rows(engine)
    engine.teleport({2: None})
    advance(engine, 3)
    engine.restore(saved)
    advance(engine, 5)
    assert rows(engine) == wanted
    engine.reset()
    assert rows(engine) == first
