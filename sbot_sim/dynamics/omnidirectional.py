"""Omnidirectional drive: command to next pose of robots on four Mecanum wheels."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sbot_common.compiled.jit import njit
from sbot_common.elementary import sin, sincos
from sbot_common.twist import OMEGA, VX, VY
from sbot_sim.dynamics.motion import wrap_yaw
from sbot_sim.world.bodies import BY_OMNIDIRECTIONAL, BodyArrays

Array = NDArray[np.float64]


@njit
def limited_twist(vx: float, vy: float, omega: float, reach: float,
                  rim_speed: float) -> tuple[float, float, float]:
    """Return the (vx, vy, omega) that four Mecanum wheels can drive.

    Their rims run at vx -+ vy -+ reach * omega, with four combinations of signs (Taheri, Qiao,
    Ghaeminezhad, Kinematic Model of a Four Mecanum Wheeled Mobile Robot, 2015). Where the fastest
    would be too fast all slow down by one factor: the path stays what was asked for.

    Parameters
    ----------
    vx, vy, omega : m/s, m/s, rad/s
    reach : half the track plus half the wheelbase (m)
    rim_speed : greatest speed of a wheel's rim (m/s)

    """
    fastest = abs(vx) + abs(vy) + reach * abs(omega)
    if fastest > rim_speed:
        factor = rim_speed / fastest
        return vx * factor, vy * factor, omega * factor
    return vx, vy, omega


@njit
def limited_twists(bodies: BodyArrays, twist: Array) -> Array:
    """Return what N robots drive of Twists (N, 3); zeros for robots with another drive."""
    out = np.zeros((twist.shape[0], 3))
    for i in range(twist.shape[0]):
        if bodies.drive[i] == BY_OMNIDIRECTIONAL:
            out[i, 0], out[i, 1], out[i, 2] = limited_twist(
                twist[i, VX], twist[i, VY], twist[i, OMEGA],
                0.5 * (bodies.wheel_distance[i] + bodies.wheelbase[i]),
                bodies.max_wheel_speed[i] * bodies.wheel_radius[i])
    return out


@njit
def advance_twist(x: float, y: float, yaw: float, vx: float, vy: float, omega: float,
                  dt: float) -> tuple[float, float, float]:
    """Return (x, y, yaw in [-pi, pi)) after ``dt`` seconds of a constant twist.

    The exponential map of SE(2), as the chord of its arc: the velocity times dt * sin(h)/h, turned
    by yaw + h, where h is half the angle turned. It is exact for every omega.

    Parameters
    ----------
    x, y, yaw : the pose (m, m, rad)
    vx, vy, omega : m/s, m/s, rad/s
    dt : s

    """
    half_turn = 0.5 * omega * dt
    chord = dt * (sin(half_turn) / half_turn if half_turn != 0.0 else 1.0)
    s, c = sincos(yaw + half_turn)
    return (x + chord * (c * vx - s * vy), y + chord * (s * vx + c * vy),
            wrap_yaw(yaw + 2.0 * half_turn))


@njit
def move_omnidirectional(bodies: BodyArrays, pose: Array, twist: Array, impulse_velocity: Array,
                         dt: float, moved: Array) -> None:
    """Set the rows of omnidirectional robots in the poses (N, 3) after one tick, ``moved``.

    Parameters
    ----------
    bodies : of N robots
    pose : (N, 3) x, y (m), yaw (rad)
    twist : (N, 3) from ``limited_twists``
    impulse_velocity : (N, 2) m/s in frame `map`, added for this one tick
    dt : s
    moved : (N, 3), as ``motion.move`` returned it; changed

    """
    for i in range(pose.shape[0]):
        if bodies.drive[i] == BY_OMNIDIRECTIONAL:
            x, y, yaw = advance_twist(pose[i, 0], pose[i, 1], pose[i, 2], twist[i, 0], twist[i, 1],
                                      twist[i, 2], dt)
            moved[i, 0] = x + impulse_velocity[i, 0] * dt
            moved[i, 1] = y + impulse_velocity[i, 1] * dt
            moved[i, 2] = yaw
