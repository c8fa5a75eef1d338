"""Parameters of a simulation: the tables that follow from them, and objects that are added."""

import numpy as np
import pytest
from worlds import make_parameters

from sbot_sim.sensors.laser import ScanSettings
from sbot_sim.sensors.odometry import OdometryParameters
from sbot_sim.sensors.range_and_bearing import RangeAndBearing
from sbot_sim.world.bodies import ROBOT, BodyArrays
from sbot_sim.world.geometry import make_world
from sbot_sim.world.moving import Paths, make_box
from sbot_sim.worlds.parameters import Senses, SimulationParameters
from wind_model.parameters import WakeParameters


def with_obstacles(blocked=True):
    scan = ScanSettings(scan_beams=3, scan_range_max=4.0).parameters()
    return SimulationParameters.make(
        dt=0.1, bodies=BodyArrays.of([ROBOT], [make_box(0.4, 0.4, 0.0, 1.0)]),
        world=make_world((0, 0, 10, 10)), odometry=[OdometryParameters()], wake=WakeParameters(),
        senses=Senses(scan, neighbours=RangeAndBearing(True, 3.0, blocked)), wind_height=0.5,
        paths=Paths.of([(0.3, 0.5, [(2.0, 2.0), (8.0, 2.0)], False)], 0.1),
        boxes=np.array([[5.0, 8.0, 0.5]]))


def test_scenes_reach_as_far_as_their_sensors():
    far = make_parameters(scan={'scan_range_max': 6.0, 'laser_x': 3.0, 'laser_y': 4.0})
    assert far.sensors.scene.reach == pytest.approx(11.0)
    assert far.sensors.infrared_scene is far.sensors.scene, 'nobody has infrared'
    near = make_parameters(infrared={'infrared': True}, scan={'scan_range_max': 6.0})
    assert near.sensors.infrared_scene.reach < 1.0 < near.sensors.scene.reach


@pytest.mark.parametrize('blocked', [False, True])
def test_a_circle_that_moved_is_seen_where_it_is(blocked):
    before = with_obstacles(blocked)
    after = before.with_obstacles(np.array([10]), before.obstacles.start)
    np.testing.assert_allclose(after.world.circles, [[2.5, 2.0, 0.3]])
    np.testing.assert_allclose(after.sensors.scene.circles, [[2.5, 2.0, 0.3]])
    assert after.sensors.scene.segment_grid is before.sensors.scene.segment_grid, 'nothing else'
    assert len(after.sensors.line_of_sight.circles) == int(blocked)
    assert after.with_obstacles(np.array([10]), before.obstacles.start) is after


def test_objects_are_added_to_what_stands_still():
    p = with_obstacles().with_objects([(7.0, 5.0, 0.5)], [(1.0, 5.0, 0.5, 0.25, 0.0)])
    assert p.obstacles.still.circles.tolist() == [[7.0, 5.0, 0.5]]
    assert [7.0, 5.0, 0.5] in p.world.circles.tolist()
    assert [2.0, 2.0, 0.3] in p.world.circles.tolist(), 'those that move are there, too'
    plain = make_parameters().with_objects([(7.0, 5.0, 0.5)], [])
    assert plain.world.circles.tolist() == plain.sensors.scene.circles.tolist() == [[7, 5, 0.5]]


@pytest.mark.parametrize(('pose', 'words'), [
    ([3.0, 5.0, 0.0], None), ([2.1, 2.0, 0.0], 'circles[0] at (2, 2)'),
    ([5.0, 8.1, 0.0], 'boxes[0] at (5, 8)')])
def test_a_start_in_something_is_named(pose, words):
    problem = with_obstacles().start_error(np.array([pose]))
    assert problem is None if words is None else words in problem
