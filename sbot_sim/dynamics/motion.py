"""Differential-drive kinematics: command to next pose (document 002 section 4, equation (4)).

Robots with steered wheels turn their rear wheels the same way (``ackermann``).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from sbot_common.compiled.jit import njit, njit_inline, njit_inner
from sbot_common.elementary import sin, sin_of, sincos, sincos_of
from sbot_common.twist import OMEGA, VX
from sbot_sim.dynamics.ackermann import ackermann_twist
from sbot_sim.world.bodies import BY_ACKERMANN, BY_IMPULSE, BodyArrays

Array = NDArray[np.float64]

_BLOCK = 1024  # robots


@njit
def wheel_speeds(v: float, omega: float, wheel_distance: float,
                 wheel_radius: float) -> tuple[float, float]:
    """Return the wheels' speeds (left, right) (rad/s) for a Twist.

    Parameters
    ----------
    v : forward speed (m/s)
    omega : turn rate (rad/s), positive to the left
    wheel_distance, wheel_radius : of the body (m)

    """
    half = 0.5 * omega * wheel_distance
    return (v - half) / wheel_radius, (v + half) / wheel_radius


@njit
def saturate(wheel_speed: float, max_wheel_speed: float) -> float:
    """Clamp one wheel's speed (rad/s) to the interval of document 002, Table 1.

    Each wheel separately, as its motor does: a saturated robot keeps neither speed nor arc.
    """
    return min(max(wheel_speed, -max_wheel_speed), max_wheel_speed)


@njit
def wrap_yaw(yaw: float) -> float:
    """Return the same direction in [-pi, pi) (rad); a yaw that is already there keeps its bits."""
    if yaw >= math.pi or yaw < -math.pi:
        yaw -= 2.0 * math.pi * math.floor((yaw + math.pi) / (2.0 * math.pi))
        if yaw >= math.pi:  # rounding
            yaw -= 2.0 * math.pi
        yaw = max(yaw, -math.pi)
    return yaw


@njit
def advance(x: float, y: float, yaw: float, v_left: float, v_right: float,
            wheel_distance: float, dt: float) -> tuple[float, float, float]:
    """Return (x, y, yaw) after ``dt`` seconds: document 002, equation (4).

    Both of its branches in one formula. The arc about the instantaneous centre of curvature, seen
    as its chord: length V dt sin(h)/h in the direction yaw + h, where V is the mean of the wheels'
    ground velocities and h half the angle turned. It is exact for every difference of the wheels,
    where the document's first branch subtracts two large numbers (docs/errata.md S3).

    Parameters
    ----------
    x, y, yaw : the pose (m, m, rad)
    v_left, v_right : the wheels' velocities along the ground (m/s)
    wheel_distance : m
    dt : s

    """
    half_turn, way = _arc(*_twist(v_left, v_right, wheel_distance), dt)
    return _end_of_arc(x, y, yaw, half_turn, way, sin(half_turn), sincos(yaw + half_turn))


@njit_inline
def _twist(v_left: float, v_right: float, wheel_distance: float) -> tuple[float, float]:
    """Return v (m/s) and omega (rad/s), given the wheels' velocities along the ground (m/s)."""
    return 0.5 * (v_left + v_right), (v_right - v_left) / wheel_distance


@njit_inline
def _arc(v: float, omega: float, dt: float) -> tuple[float, float]:
    """Return half the angle turned (rad) and the way of the arc (m)."""
    return 0.5 * omega * dt, v * dt


@njit_inline
def _end_of_arc(x: float, y: float, yaw: float, half_turn: float, way: float, sine: float,
                heading: tuple[float, float]) -> tuple[float, float, float]:
    """Return (x, y, yaw), given sin(half_turn), and sine and cosine of yaw + half_turn."""
    # sin(h)/h is accurate for every other h, however small.
    chord = way * (sine / half_turn if half_turn != 0.0 else 1.0)
    return x + chord * heading[1], y + chord * heading[0], yaw + 2.0 * half_turn


@njit
def advance_all(pose: Array, twist: Array, dt: float) -> Array:
    """Return ``advance`` of each pose (N, 3), yaw in [-pi, pi); ``twist`` (2, N): v, omega.

    Loops of one subject each, which LLVM makes vectors of, over blocks that fit the nearest cache;
    the same bits.
    """
    n = pose.shape[0]
    size = min(n, _BLOCK)
    half_turn, way, heading, sine = (np.empty(size), np.empty(size), np.empty(size),
                                     np.empty(size))
    heading_sine, heading_cosine, out = np.empty(size), np.empty(size), np.empty((n, 3))
    for first in range(0, n, _BLOCK):
        count = min(n - first, _BLOCK)
        for k in range(count):
            i = first + k
            half_turn[k], way[k] = _arc(twist[0, i], twist[1, i], dt)
            heading[k] = pose[i, 2] + half_turn[k]
        sin_of(half_turn[:count], sine)
        sincos_of(heading[:count], heading_sine, heading_cosine)
        for k in range(count):
            i = first + k
            out[i, 0], out[i, 1], out[i, 2] = _end_of_arc(
                pose[i, 0], pose[i, 1], pose[i, 2], half_turn[k], way[k], sine[k],
                (heading_sine[k], heading_cosine[k]))
        for i in range(first, first + count):
            out[i, 2] = wrap_yaw(out[i, 2])
    return out


@njit
def wheel_commands(bodies: BodyArrays, twist: Array) -> Array:
    """Return the saturated wheel speeds (N, 2) left, right (rad/s) of Twists (N, 3).

    Two wheels do not drive to the side: vy counts as 0.
    """
    out = np.empty((twist.shape[0], 2))
    for i in range(twist.shape[0]):
        out[i, 0], out[i, 1] = _reached(bodies, i, twist[i, VX], twist[i, OMEGA])
    for i in range(twist.shape[0]):
        if bodies.drive[i] == BY_ACKERMANN:
            v, omega = ackermann_twist(
                twist[i, VX], twist[i, OMEGA], bodies.max_curvature[i],
                0.5 * bodies.wheel_distance[i], bodies.max_wheel_speed[i] * bodies.wheel_radius[i])
            out[i, 0], out[i, 1] = _reached(bodies, i, v, omega)
    return out


@njit_inline
def _reached(bodies: BodyArrays, i: int, v: float, omega: float) -> tuple[float, float]:
    """Return the wheel speeds (rad/s) that robot ``i`` reaches of a Twist's."""
    left, right = wheel_speeds(v, omega, bodies.wheel_distance[i], bodies.wheel_radius[i])
    limit = bodies.max_wheel_speed[i]
    return saturate(left, limit), saturate(right, limit)


@njit_inner
def ground_speeds(bodies: BodyArrays, wheel_speed: Array, side: int, out: Array) -> None:
    """Write the velocity along the ground (N,) (m/s) of each left (0) or right (1) wheel.

    Of ``wheel_speed`` (N, 2) (rad/s), saturated here. One subject a loop: few enough arrays for
    vectors.
    """
    limit, radius = bodies.max_wheel_speed, bodies.wheel_radius
    for i in range(len(out)):
        out[i] = saturate(wheel_speed[i, side], limit[i])
    for i in range(len(out)):
        out[i] *= radius[i]


@njit_inner
def to_twists(speed: Array, wheel_distance: Array) -> None:
    """Turn the wheels' velocities along the ground (2, N) (m/s) into v (m/s) and omega (rad/s)."""
    left, right = speed[0], speed[1]
    for i in range(len(left)):
        left[i], right[i] = _twist(left[i], right[i], wheel_distance[i])


@njit_inner
def twist_rows(columns: Array) -> Array:
    """Return Twists (N, 3) of v (m/s) and omega (rad/s), (2, N)."""
    out = np.zeros((columns.shape[1], 3))
    for i in range(len(out)):
        out[i, VX], out[i, OMEGA] = columns[0, i], columns[1, i]
    return out


@njit
def body_twists(bodies: BodyArrays, wheel_speed: Array) -> Array:
    """Return what two wheels do, Twists (N, 3), from (N, 2) rad/s, saturated here."""
    out = np.empty((2, wheel_speed.shape[0]))
    for side in range(2):
        ground_speeds(bodies, wheel_speed, side, out[side])
    to_twists(out, bodies.wheel_distance)
    return twist_rows(out)


@njit
def move(bodies: BodyArrays, pose: Array, wheel_speed: Array, impulse_velocity: Array,
         dt: float) -> Array:
    """Return the poses (N, 3) after one tick, collisions aside.

    A body with drive ``impulse`` is turned by its wheels and carried by the impulse alone: its
    wheels' mean speed counts as zero (document 000 section 4.1).

    Parameters
    ----------
    bodies : of N robots
    pose : (N, 3) x, y (m), yaw (rad)
    wheel_speed : (N, 2) left, right (rad/s), saturated here
    impulse_velocity : (N, 2) m/s in frame `map`, added for this one tick (docs/errata.md W3)
    dt : s

    Returns
    -------
    (N, 3), yaw in [-pi, pi)

    """
    twist = np.empty((2, pose.shape[0]))
    for side in range(2):
        ground_speeds(bodies, wheel_speed, side, twist[side])
    to_twists(twist, bodies.wheel_distance)
    for i in range(pose.shape[0]):
        if bodies.drive[i] == BY_IMPULSE:
            twist[0, i] = 0.0
    out = advance_all(pose, twist, dt)
    for i in range(pose.shape[0]):
        out[i, 0] += impulse_velocity[i, 0] * dt
        out[i, 1] += impulse_velocity[i, 1] * dt
    return out


@njit
def achieved_twists(before: Array, after: Array, dt: float) -> Array:
    """Return what moved the robots (N, 3), in their new frames: m/s, m/s, rad/s."""
    out, yaw = np.empty_like(before), after[:, 2].copy()
    sine, cosine = np.empty(before.shape[0]), np.empty(before.shape[0])
    sincos_of(yaw, sine, cosine)
    for i in range(before.shape[0]):
        vx = (after[i, 0] - before[i, 0]) / dt
        vy = (after[i, 1] - before[i, 1]) / dt
        s, c = sine[i], cosine[i]
        out[i, 0] = c * vx + s * vy
        out[i, 1] = c * vy - s * vx
        out[i, 2] = wrap_yaw(after[i, 2] - before[i, 2]) / dt
    return out
