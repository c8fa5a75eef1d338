"""Re-positioning: who finds no free pose goes back to the last one."""


import numpy as np
from settling import R, settle

from sbot_sim.collision.overlap import overlaps
from sbot_sim.world.bodies import S_BOT
from sbot_sim.world.body_arrays import body_arrays
from sbot_sim.world.geometry import make_world


def test_reverted_robots_return_to_where_they_were_and_may_turn():
    # A corridor full of robots, pushed from both ends.
    world = make_world((0, 0, 10 * R, 2 * R))
    previous = np.array([[(2 * k + 1) * R, R, 0.0] for k in range(5)])
    proposed = previous.copy()
    proposed[:, 0] += [0.02, 0.02, 0.02, -0.02, -0.02]
    proposed[:, 2] = 0.5
    outcome = settle(proposed, previous, world, passes=20)
    assert overlaps(world, body_arrays([S_BOT] * 5), outcome.pose) == 0
    assert outcome.reverted.any()
    back = outcome.reverted
    np.testing.assert_array_equal(outcome.pose[back, :2], previous[back, :2])
    np.testing.assert_array_equal(outcome.pose[:, 2], 0.5)


def test_what_is_left_of_an_overlap_is_far_below_a_nanometre():
    """No displacement is allowed, so whatever counts as an overlap goes back."""
    previous = [[-0.01, 0, 0], [2 * R, 0, 0]]
    for depth in (0.6e-9, 0.9e-9, 3e-9, 1e-6):
        outcome = settle([[depth, 0, 0], [2 * R, 0, 0]], previous, passes=0)
        assert outcome.pose[1, 0] - outcome.pose[0, 0] >= 2 * R - 5.1e-10
    touching = settle([[0.3e-9, 0, 0], [2 * R, 0, 0]], previous, passes=0)
    assert not touching.collided.any()
    assert touching.pose[0, 0] == 0.3e-9
