"""Intersecting bodies: shares of an overlap, sums of several, and coincident centres."""

from __future__ import annotations

import numpy as np
from settling import R, settle

from sbot_sim.world.geometry import make_world


def test_two_robots_share_their_overlap():
    outcome = settle([[0, 0, 0.3], [2 * R - 0.01, 0, 0]], [[-0.01, 0, 0], [2 * R, 0, 0]])
    np.testing.assert_allclose(outcome.displacement, [[-0.005, 0], [0.005, 0]], atol=1e-15)
    assert outcome.collided.all()
    assert not outcome.reverted.any()
    assert outcome.passes == 1
    assert outcome.pose[0, 2] == 0.3


def test_the_displacement_is_the_sum_over_everything_overlapped():
    # Robot 0 between robot 1 to the west and the wall to the south: half of one, all of the other.
    world = make_world((0, 0, 2, 2))
    outcome = settle([[1.0, R - 0.004, 0], [1.0 - 2 * R + 0.006, R, 0]],
                     [[1.01, R, 0], [1.0 - 2 * R, R, 0]], world)
    # Robot 1 is a little farther north: what its direction and the next pass change is tiny.
    np.testing.assert_allclose(outcome.displacement[0], [0.003, 0.004], atol=2e-4)


def test_coincident_centres_part_as_they_came_or_in_a_fixed_direction():
    outcome = settle([[0, 0, 0], [0, 0, 0]], [[0, 0.03, 0], [0, -0.03, 0]])
    np.testing.assert_allclose(outcome.pose[:, :2], [[0, R], [0, -R]], atol=0.01 * R)
    outcome = settle([[1, 1, 0], [1, 1, 0]], [[0.99, 1, 0], [0.99, 1, 0]])
    assert np.isfinite(outcome.pose).all()
