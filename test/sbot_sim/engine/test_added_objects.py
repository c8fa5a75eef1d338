"""Objects that are added to a world while it goes on."""

import numpy as np
import pytest

from sbot.scenario.assemble import initial_poses, simulation_parameters
from sbot.scenario.load import scenario_from_mapping
from sbot_common.errors import InputError
from sbot_sim.engine.simulation import Engine
from wind_model.gust import Wind

pytestmark = pytest.mark.forked
NONE = {'controller': 'none'}


def engine(**world):
    scenario = scenario_from_mapping({
        'rate': 10, 'duration': 10, 'sensors': {'imu': True, 'imu_noise_yaw': 0.1},
        'world': {'bounds': [0, 0, 12, 6], **world},
        'robots': [{'pose': [2, 3, 0], **NONE}, {'pose': [2, 1, 0], **NONE}]})
    return Engine(simulation_parameters(scenario), initial_poses(scenario), 3)


def drive(engine, ticks, speed=1.0):
    command = np.zeros((2, 3))
    command[0, 0] = speed
    for _ in range(ticks):
        engine.advance(command, Wind.still(), np.zeros((2, 10), np.uint8))
    return engine.snapshot


def test_a_robot_sees_an_added_object_and_stops_at_it_and_a_reset_removes_it():
    run = engine()
    before = drive(run, 5)
    beam = np.argmin(np.abs(run.parameters.sensors.lasers.all[0].angle_min + np.arange(
        before.ranges.shape[1]) * run.parameters.sensors.lasers.all[0].angle_increment))
    run.place_objects([(6.0, 3.0, 0.5)], [], {})
    assert np.array_equal(run.snapshot.ranges, before.ranges)  # of this tick
    seen = drive(run, 1)
    assert run.tick == 6
    assert seen.ranges[0, beam] == pytest.approx(5.5 - seen.true_pose[0, 0], abs=0.05)
    assert drive(run, 60).true_pose[0, 0] == pytest.approx(5.2, abs=0.01)
    run.place_objects([], [], {})
    assert drive(run, 10).true_pose[0, 0] > 6.0
    run.place_objects([], [(9.0, 3.0, 0.4, 3.0, 0.0)], {})
    run.reset()
    assert run.tick == 0
    assert drive(run, 80).true_pose[0, 0] > 9.5


def test_what_has_nothing_to_do_with_it_keeps_its_bits():
    one, other = engine(), engine()
    drive(one, 4)
    drive(other, 4)
    other.place_objects([], [(11.5, 5.5, 0.2, 0.2, 0.3)], {})  # behind all beams' reach of 5 m
    other.place_objects([], [], {})
    for _ in range(5):
        a, b = drive(one, 1, 0.4), drive(other, 1, 0.4)
        for name in ('true_pose', 'odometry', 'ranges', 'twist'):
            assert np.array_equal(getattr(a, name), getattr(b, name)), name
        assert np.array_equal(a.readings['imu'], b.readings['imu'])


def test_boxes_and_obstacles_on_paths_stay_where_they_are():
    moving = [{'radius': 0.3, 'speed': 0.5, 'path': [[4, 5], [10, 5]]}]
    boxes = [{'center': [3, 3], 'size': [0.4, 0.4]}]
    one, other = engine(moving=moving, boxes=boxes), engine(moving=moving, boxes=boxes)
    drive(one, 10)
    drive(other, 10)
    other.place_objects([(11.0, 1.0, 0.2)], [], {})
    a, b = drive(one, 10), drive(other, 10)
    assert np.array_equal(a.boxes, b.boxes)
    assert a.boxes[0, 0] > 3.5
    assert np.array_equal(a.moved, b.moved)
    with pytest.raises(InputError, match='too near to circles'):
        other.place_objects([(float(b.boxes[0, 0]), 3.0, 0.2)], [], {})


def test_an_object_in_a_robot_is_refused():
    run = engine()
    with pytest.raises(InputError, match=r'robot 1 at \(2, 1\).* too near to circles\[0\]'):
        run.place_objects([(2.1, 1.0, 0.2)], [], {})
    assert len(run.parameters.world.circles) == 0
