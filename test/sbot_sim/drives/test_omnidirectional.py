"""Omnidirectional motion against the matrix exponential with 40 digits."""

import math

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sbot_sim.dynamics.motion import advance_twist, drive, driven_twists, move
from sbot_sim.world.bodies import ROBOT, body_arrays

DT = 0.1
OMNI = ROBOT._replace(name='omni', drive='omnidirectional', of_drive={'wheelbase': 0.3})
RIM = 3.0


def exponential(x, y, yaw, vx, vy, omega, dt):
    """Return the pose after the matrix exponential of the twist, an element of se(2)."""
    with mpmath.workdps(40):
        c, s = mpmath.cos(yaw), mpmath.sin(yaw)
        pose = mpmath.matrix([[c, -s, x], [s, c, y], [0, 0, 1]])
        twist = mpmath.matrix([[0, -omega, vx], [omega, 0, vy], [0, 0, 0]]) * mpmath.mpf(dt)
        after = pose * mpmath.expm(twist, method='taylor')
        return after[0, 2], after[1, 2], mpmath.mpf(yaw) + mpmath.mpf(omega) * mpmath.mpf(dt)


@settings(deadline=None)  # compiles on the first call
@given(st.floats(-3, 3), st.floats(-3, 3), st.floats(-3, 3),
       st.floats(-9, 9) | st.floats(-1e-9, 1e-9) | st.just(0.0))
def test_a_constant_twist_is_integrated_exactly(yaw, vx, vy, omega):
    got = advance_twist(1.0, -2.0, yaw, vx, vy, omega, DT)
    x, y, turned = exponential(1.0, -2.0, yaw, vx, vy, omega, DT)
    assert abs(got[0] - x) < 1e-14
    assert abs(got[1] - y) < 1e-14
    assert math.cos(got[2] - float(turned)) == pytest.approx(1.0, abs=1e-15)
    assert math.sin(got[2] - float(turned)) == pytest.approx(0.0, abs=1e-14)
    assert -math.pi <= got[2] < math.pi


def test_sideways_without_turning_is_a_straight_line():
    assert advance_twist(1.0, 2.0, 0.0, 0.0, 0.5, 0.0, DT) == (1.0, 2.05, 0.0)


def rims(vx, vy, omega):
    """Return the speeds of the four rims, by the geometry of rollers at 45 degrees.

    A wheel at (x, y) moves with the body's velocity there; its roller lets it slip along the
    diagonal, so what the rim does is that velocity's part across the roller, over cos 45 degrees.
    """
    speeds = []
    for x, y, slant in ((0.15, 0.25, 1), (0.15, -0.25, -1), (-0.15, 0.25, -1), (-0.15, -0.25, 1)):
        along, across = vx - omega * y, vy + omega * x
        # (along, across) . (1, -slant)/sqrt 2 / cos 45 degrees
        speeds.append(along - slant * across)
    return speeds


@settings(deadline=None)
@given(st.floats(-6, 6), st.floats(-6, 6), st.floats(-20, 20))
def test_no_rim_is_faster_than_it_can_and_the_path_keeps_its_shape(vx, vy, omega):
    got = tuple(driven_twists(body_arrays([OMNI]), np.array([[vx, vy, omega]]))[0])
    fastest = max(map(abs, rims(vx, vy, omega)))
    factor = 1.0 if fastest <= RIM else RIM / fastest
    np.testing.assert_allclose(got, [vx * factor, vy * factor, omega * factor], rtol=1e-12,
                               atol=1e-300)
    if fastest < RIM * (1 - 1e-12):
        assert got == (vx, vy, omega)


def test_without_sideways_speed_it_is_the_arc_of_two_wheels():
    twist = np.array([[1.0, 0.0, 0.7]])
    bodies, two = body_arrays([OMNI]), body_arrays([ROBOT])
    pose = np.array([[1.0, 2.0, 0.5]])
    wind = np.array([[0.5, -0.25]])
    np.testing.assert_allclose(move(bodies, pose, drive(bodies, twist), wind, DT),
                               move(two, pose, drive(two, twist), wind, DT), atol=1e-15)


def test_a_twist_to_the_side_moves_it_there():
    bodies = body_arrays([OMNI])
    moved = move(bodies, np.array([[1.0, 1.0, 0.0]]), drive(bodies, np.array([[0.5, -0.5, 0.1]])),
                 np.zeros((1, 2)), DT)
    np.testing.assert_allclose(moved[0], [1.05, 0.95, 0.01], atol=5e-4)
