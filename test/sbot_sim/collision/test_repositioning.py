"""Re-positioning: who finds no free pose goes back to the last one."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from settling import R, settle

from sbot_common.compiled.jit import njit
from sbot_sim.collision import separation
from sbot_sim.collision.overlap import overlaps
from sbot_sim.collision.separation import MOST_STEPS, STEP
from sbot_sim.world.bodies import ROBOT, S_BOT, BodyArrays, _make_shapes
from sbot_sim.world.geometry import make_world

metres = st.floats(-1e3, 1e3)
radii = st.floats(1e-3, 2.0)


@njit
def needed(radius, previous, proposed):
    return separation.steps_needed(radius, None, previous, proposed)


@njit
def share(steps, radius, previous, proposed):
    return separation._share_of_way(0, steps, radius, None, previous, proposed)


@njit
def share_of_shapes(shapes, previous, proposed):
    steps = separation.steps_needed(shapes.outer_radius, shapes, previous, proposed)
    return steps, separation._share_of_way(0, steps, shapes.outer_radius, shapes, previous,
                                          proposed)


@given(radii, metres, metres)
def test_no_step_is_longer_than_half_a_radius(radius, dx, dy):
    tick = np.array([radius]), np.zeros((1, 3)), np.array([[dx, dy, 0.0]])
    steps = needed(*tick)
    assert 1 <= steps <= MOST_STEPS
    part = share(steps, *tick)
    assert math.hypot(dx, dy) * part <= STEP * radius * (1.0 + 1e-12)
    if steps < MOST_STEPS:  # then all of the way is gone
        assert part * steps == pytest.approx(1.0)


def test_a_corner_of_a_rectangle_that_turns_goes_no_farther_in_a_step():
    shapes = _make_shapes([ROBOT._replace(length=0.8, width=0.4)])
    turn = np.array([[0.0, 0.0, 1.0]])
    corner, most = math.hypot(0.4, 0.2), STEP * shapes.step_radius[0]
    steps, part = share_of_shapes(shapes, np.zeros((1, 3)), turn)
    assert steps == math.ceil(corner / most)
    assert part == 1.0 / steps
    steps, part = share_of_shapes(shapes, np.zeros((1, 3)), 1e6 * turn)
    assert steps == MOST_STEPS
    assert 1e6 * part * corner == pytest.approx(most)


def test_reverted_robots_return_to_where_they_were_and_may_turn():
    # A corridor full of robots, pushed from both ends.
    world = make_world((0, 0, 10 * R, 2 * R))
    previous = np.array([[(2 * k + 1) * R, R, 0.0] for k in range(5)])
    proposed = previous.copy()
    proposed[:, 0] += [0.02, 0.02, 0.02, -0.02, -0.02]
    proposed[:, 2] = 0.5
    outcome = settle(proposed, previous, world, passes=20)
    assert overlaps(world, BodyArrays.of([S_BOT] * 5), outcome.pose) == 0
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
