"""Rectangular robots among polygons: run, nodes and replay agree; markers show them."""

import math

import numpy as np
import pytest
from over_nodes import check_nodes, run_and_bag, written

from sbot.regression.replay import replay
from sbot_common import topics
from sbot_common.wire import cdr
from sbot_common.wire.templates import CUBE, CYLINDER

pytestmark = pytest.mark.forked

YARD = """
duration: 2.0
rate: 20
world: {bounds: [0, 0, 6, 5], polygons: [{corners: [[3, 2], [5, 2], [5, 4], [4.2, 2.6]]}],
        moving: [{radius: 0.3, path: [[1, 4], [3, 4]], speed: 1.0}]}
bodies:
  cart: {length: 0.8, width: 0.4, offset: 0.2, collision_distance: 0.02}
  car: {length: 0.9, width: 0.5, offset: 0.3, drive: ackermann, wheelbase: 0.4}
robots:
  - {pose: [1, 1, 0], goal: [5.5, 4.5], controller: navigate, body: cart}
  - {pose: [2, 3, 0], body: car, controller: 'rounds:Rounds'}
  - {pose: [3, 1, 3.1], controller: 'rounds:Rounds'}
  - {pose: [4, 1, 1.0], body: cart, controller: 'rounds:Rounds'}
sensors: {scan_sees_robots: true, scan_beams: 90, odometry_noise_slip: 0.001}
wind: {wind_speed_mean: 0.2}
"""
ROUNDS = """
class Rounds:
    def step(self, observation, rng):
        ahead = min(observation.scan.ranges[40:50])
        return min(1.0, 0.2 + 0.5 * float(ahead)), 4.0 * rng.random() - 2.0
"""


@pytest.fixture(scope='module')
def path(tmp_path_factory):
    return written(tmp_path_factory.mktemp('yard'), 'yard', YARD, 'rounds', ROUNDS)


@pytest.fixture(scope='module')
def recorded(path):
    return run_and_bag(path)


def test_a_run_has_collisions_and_no_overlap(recorded):
    run, _ = recorded
    assert run.summary['overlaps'] == 0
    assert run.collided.any()


def test_markers_are_boxes_where_the_bodies_are(recorded):
    run, bag = recorded
    shown = [cdr.decode(message.payload, message.type) for message in bag.messages()
             if message.name == topics.MARKERS.name]
    bodies = [[each for each in message.markers if each.ns == 'bodies'] for message in shown]
    boxes = [markers for markers in bodies if markers]
    assert [each.type for each in boxes[0]] == [CUBE, CUBE, CYLINDER, CUBE]
    for tick, markers in zip(range(0, 41, 2), boxes, strict=True):
        for i, offset, size in ((0, 0.2, (0.8, 0.4)), (1, 0.3, (0.9, 0.5)), (3, 0.2, (0.8, 0.4))):
            x, y, yaw = run.poses[tick, i]
            pose, scale = markers[i].pose, markers[i].scale
            assert (scale.x, scale.y) == pytest.approx(size)
            np.testing.assert_allclose(
                [pose.position.x, pose.position.y],
                [x + offset * math.cos(yaw), y + offset * math.sin(yaw)], atol=1e-9)
            assert math.remainder(2 * math.atan2(pose.orientation.z, pose.orientation.w) - yaw,
                                  math.tau) == pytest.approx(0.0, abs=1e-9)
        assert (markers[2].pose.position.x, markers[2].pose.orientation.w) == (
            run.poses[tick, 2, 0], 1.0)


def test_a_replay_agrees(recorded):
    assert replay(recorded[1]).equal


@pytest.mark.ros
@pytest.mark.parametrize('mode', ['up', 'up --composed'])
def test_nodes_do_the_same(path, recorded, tmp_path, mode):
    check_nodes(mode, path, recorded, tmp_path)
