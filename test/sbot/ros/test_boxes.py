"""Pushable boxes: run, nodes and replay agree; messages and markers have them where they are."""

import math

import numpy as np
import pytest
from over_nodes import check_nodes, run_and_bag, written

from sbot.figures.data import RunData
from sbot.regression.replay import replay
from sbot_common import topics
from sbot_common.wire import cdr
from sbot_common.wire.templates import CUBE, CYLINDER

pytestmark = pytest.mark.forked

DEPOT = """
duration: 2.0
rate: 20
world:
  bounds: [0, 0, 6, 5]
  boxes: [{center: [2, 1.1], size: [0.4, 0.6], yaw: 0.3}, {center: [4, 2], radius: 0.2, mass: 5}]
  moving: [{radius: 0.3, path: [[1, 4], [3, 4]], speed: 1.0}]
bodies: {cart: {length: 0.8, width: 0.4, offset: 0.2, collision_distance: 0.02}}
robots:
  - {pose: [1, 1, 0], controller: 'pushes:Pushes'}
  - {pose: [3, 2, 0], body: cart, controller: 'pushes:Pushes'}
  - {pose: [3, 3, 3.1], goal: [1, 1], controller: navigate}
sensors: {scan_sees_robots: true, scan_beams: 90, range_and_bearing: true}
wind: {wind_speed_mean: 0.2, wake: true}
"""
PUSHES = """
class Pushes:
    def step(self, observation, rng):
        return 1.0, 0.2 * rng.random()
"""


@pytest.fixture(scope='module')
def path(tmp_path_factory):
    return written(tmp_path_factory.mktemp('depot'), 'depot', DEPOT, 'pushes', PUSHES)


@pytest.fixture(scope='module')
def recorded(path):
    return run_and_bag(path)


def test_a_run_pushes_both_and_has_no_overlap(recorded):
    run, _ = recorded
    assert run.summary['overlaps'] == 0
    assert (np.abs(run.boxes[-1] - run.boxes[0])[:, 0] > 0.3).all()
    assert abs(run.boxes[-1, 0, 2] - 0.3) > 0.05


def test_markers_are_where_they_are(recorded):
    run, bag = recorded
    shown = [cdr.decode(message.payload, message.type) for message in bag.messages()
             if message.name == topics.MARKERS.name]
    boxes = [found for each in shown if (found := [m for m in each.markers if m.ns == 'boxes'])]
    assert [each.type for each in boxes[0]] == [CUBE, CYLINDER]
    assert (boxes[0][0].scale.x, boxes[0][0].scale.y, boxes[0][1].scale.x) == (0.4, 0.6, 0.4)
    for tick, markers in zip(range(0, 41, 2), boxes, strict=True):
        for marker, (x, y, yaw) in zip(markers, run.boxes[tick], strict=True):
            place, turn = marker.pose.position, marker.pose.orientation
            assert (place.x, place.y) == (x, y)
            assert 2 * math.atan2(turn.z, turn.w) == pytest.approx(yaw, abs=1e-12)


def test_a_replay_agrees(recorded):
    assert replay(recorded[1]).equal


@pytest.mark.ros
@pytest.mark.parametrize('mode', ['up', 'up --composed'])
def test_nodes_do_the_same(path, recorded, tmp_path, mode):
    live = check_nodes(mode, path, recorded, tmp_path)
    np.testing.assert_array_equal(RunData.from_bag(live).boxes, recorded[0].boxes)
