"""Sensing of a block of worlds: yaws as sent, and who hears whom, world by world."""

import math

import numpy as np
from batches import make_batch

from sbot_common.angles import decoded_yaw
from sbot_sim.worlds import sensing


def test_yaws_are_those_that_a_receiver_decodes():
    batch = make_batch(count=2)
    batch.state.pose[:, 2] = [0.1, 2.0, -3.0, math.pi]
    batch.state.sent_pose[:] = 0.0
    batch.program([sensing.decode_yaws]).run(0, 2)
    np.testing.assert_array_equal(batch.state.sent_pose[:, :2], batch.state.pose[:, :2])
    assert batch.state.sent_pose[:, 2].tolist() == [
        decoded_yaw(yaw) for yaw in batch.state.pose[:, 2].tolist()]


def test_robots_hear_those_of_their_own_world():
    batch = make_batch(count=3, robots=3, rab=True)
    batch.state.pose[3:6, 0] = [1.0, 2.5, 18.0]  # of world 1: the last out of reach (8 m)
    batch.program([sensing.hear]).run(0, 2)
    state = batch.state
    assert state.heard_starts.tolist() == [[0, 2, 4, 6], [0, 1, 2, 2], [0, 0, 0, 0]]
    assert state.heard_robot[0].tolist() == [1, 2, 0, 2, 0, 1]
    assert state.heard_robot[1, :2].tolist() == [1, 0]
    np.testing.assert_allclose(state.heard_range[1, :2], 1.5)
    assert not state.heard_range[2].any(), 'world 2 was not asked for'


def test_a_sensor_that_is_off_has_no_beams():
    assert sensing.no_beams().beams == 0
    assert sensing.no_beams() is sensing.no_beams()
