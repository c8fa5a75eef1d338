"""Poses as an entry of robots wants them drawn."""

import math

import numpy as np
import pytest

from sbot.scenario.model import RobotEntry
from sbot.scenario.robots.draws import draws_heading, most_at_random, tried_poses, turned

AREA = 0.0, 0.0, 4.0, 2.0


def poses(count=4000, **entry):
    return tried_poses(count, RobotEntry(count=count, **entry), AREA, 0.5,
                       np.random.default_rng(3))


def test_discs_are_within_the_area_with_any_heading():
    drawn = poses()
    low, high = drawn.min(axis=0), drawn.max(axis=0)
    np.testing.assert_allclose(low, [0.5, 0.5, -math.pi], atol=0.01)
    np.testing.assert_allclose(high, [3.5, 1.5, math.pi], atol=0.01)
    assert (poses(yaw=0.25)[:, 2] == 0.25).all()


def test_gaussians_have_their_mean_and_spread():
    drawn = poses(position_gaussian=[1.0, 2.0, 0.3, 0.0], yaw_gaussian=[0.5, 0.2])
    np.testing.assert_allclose(drawn.mean(axis=0), [1.0, 2.0, 0.5], atol=0.02)
    np.testing.assert_allclose(drawn.std(axis=0), [0.3, 0.0, 0.2], atol=0.02)


def test_a_heading_is_drawn_only_if_wanted():
    rng = np.random.default_rng(1)
    plain, uniform = RobotEntry(pose=[0, 0, 1]), RobotEntry(pose=[0, 0, 1], yaw_uniform=[2, 3])
    assert (draws_heading(plain), draws_heading(uniform)) == (False, True)
    assert turned(plain, (0.0, 0.0, 1.0), rng) == (0.0, 0.0, 1.0)
    assert 2.0 <= turned(uniform, (0.0, 0.0, 1.0), rng)[2] <= 3.0


def test_an_upper_bound_of_discs():
    assert most_at_random((0, 0, 1, 1), 0.5) >= 1
    assert most_at_random((0, 0, 10, 10), 0.5) == pytest.approx(0.547 * 100 / 0.785, rel=0.35)
