# SPDX-License-Identifier: Apache-2.0
"""Kinematics of all drives: command to next pose.

Two wheels side by side follow document 002 section 4, equation (4), a loop for each subject, which
LLVM makes vectors of; the robots of other drives (``sbot_sim.drives``) are computed one by one.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot_common.arrays import Floats
from sbot_common.compiled.jit import njit, njit_inline, njit_inner, stack_floats
from sbot_common.elementary import sin, sin_of, sincos, sincos_of
from sbot_common.observation import OMEGA, VX, VY
from sbot_sim.drives.record import Wheeled
from sbot_sim.drives.registry import COUNTED, DRIVES, limited_twist

BLOCK = 1000  # robots: the arrays of a block fit the nearest cache (48 KiB of six)
_CARRIED = tuple(drive.carried for drive in DRIVES)


class Driven(NamedTuple):
    """What the wheels of N robots do in a tick."""

    rim: Floats  # (2, N) m/s along the ground, left and right; of robots with two wheels
    own: Floats  # (3, N) vx, vy (m/s), omega (rad/s) of others; (3, 0) where there are none


@njit
def _wheel_speeds(v: float, omega: float, wheel_distance: float,
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
def _saturate(wheel_speed: float, max_wheel_speed: float) -> float:
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
def _advance(x: float, y: float, yaw: float, v_left: float, v_right: float,
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
def _advance_twist(x: float, y: float, yaw: float, vx: float, vy: float, omega: float,
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
def advance_all(drive: NDArray[np.int8], pose: Floats, twist: Floats, dt: float) -> Floats:
    """Return the poses (N, 3) that twists (3, N) lead to, yaw in [-pi, pi).

    Two wheels go as ``_advance`` has it, other drives as ``_advance_twist``; ``drive`` is (N,).
    """
    n = pose.shape[0]
    out, half_turn, way = np.empty((n, 3)), stack_floats(BLOCK), stack_floats(BLOCK)
    heading, sine = stack_floats(BLOCK), stack_floats(BLOCK)
    heading_sine, heading_cosine = stack_floats(BLOCK), stack_floats(BLOCK)
    for first in range(0, n, BLOCK):
        count = min(n - first, BLOCK)
        for k in range(count):
            i = first + k
            half_turn[k], way[k] = _arc(twist[VX, i], twist[OMEGA, i], dt)
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
    for i in range(n):
        if COUNTED[drive[i]] > 0:
            out[i, 0], out[i, 1], out[i, 2] = _advance_twist(
                pose[i, 0], pose[i, 1], pose[i, 2], twist[VX, i], twist[VY, i], twist[OMEGA, i],
                dt)
    return out


@njit_inline
def _rims(bodies: Wheeled, i: int, v: float, omega: float) -> tuple[float, float]:
    """Return the wheels' velocities along the ground (m/s) that robot ``i`` reaches."""
    left, right = _wheel_speeds(v, omega, bodies.wheel_distance[i], bodies.wheel_radius[i])
    limit, radius = bodies.max_wheel_speed[i], bodies.wheel_radius[i]
    return _saturate(left, limit) * radius, _saturate(right, limit) * radius


@njit
def drive(bodies: Wheeled, command: Floats) -> Driven:
    """Return the motion for commands (N, 3), each within the limits of its drive.

    What a drive cannot do, such as vy with two wheels, counts as 0.
    """
    n, others = command.shape[0], 0
    rim = np.empty((2, n))
    left, right = rim[0], rim[1]
    for i in range(n):
        left[i], right[i] = _rims(bodies, i, command[i, VX], command[i, OMEGA])
    for i in range(n):
        others += COUNTED[bodies.drive[i]] > 0
    own = np.empty((3, n if others > 0 else 0))
    for i in range(n):
        number = bodies.drive[i]
        if number == 0:
            continue
        vx, vy, omega = limited_twist(bodies, i, command[i, VX], command[i, VY],
                                      command[i, OMEGA])
        if COUNTED[number] == 0:
            left[i], right[i] = _rims(bodies, i, vx, omega)
        else:
            own[VX, i], own[VY, i], own[OMEGA, i] = vx, vy, omega
    return Driven(rim, own)


@njit_inner
def to_twists(left: Floats, right: Floats, wheel_distance: Floats, twist: Floats) -> None:
    """Write v and omega of twists (3, N), given the wheels' velocities (N,) (m/s).

    These may be the rows that are written.
    """
    v, omega = twist[VX], twist[OMEGA]
    for i in range(len(left)):
        v[i], omega[i] = _twist(left[i], right[i], wheel_distance[i])


@njit_inner
def _twists_of(bodies: Wheeled, driven: Driven) -> Floats:
    """Return the twists (3, N) that wheels drive; vy of robots with two wheels is left open."""
    n = driven.rim.shape[1]
    twist = np.empty((3, n))  # untouched rows cost nothing
    to_twists(driven.rim[0], driven.rim[1], bodies.wheel_distance, twist)
    if driven.own.shape[1] > 0:
        for i in range(n):
            if COUNTED[bodies.drive[i]] > 0:
                for row in range(3):
                    twist[row, i] = driven.own[row, i]
    return twist


@njit
def _drive_wheels(bodies: Wheeled, wheel_speed: Floats) -> Driven:
    """Return the motion for speeds (N, 2) of two wheels, left and right (rad/s), saturated."""
    n = wheel_speed.shape[0]
    rim = np.empty((2, n))
    for side in range(2):
        for i in range(n):
            rim[side, i] = (_saturate(wheel_speed[i, side], bodies.max_wheel_speed[i])
                            * bodies.wheel_radius[i])
    return Driven(rim, np.empty((3, 0)))


@njit_inner
def twist_rows(drive: NDArray[np.int8], columns: Floats) -> Floats:
    """Return Twists (N, 3), given them as (3, N), vy of robots with two wheels aside."""
    out = np.zeros((columns.shape[1], 3))
    for i in range(len(out)):
        out[i, VX], out[i, OMEGA] = columns[VX, i], columns[OMEGA, i]
    for i in range(len(out)):
        if COUNTED[drive[i]] > 0:
            out[i, VY] = columns[VY, i]
    return out


@njit
def driven_twists(bodies: Wheeled, command: Floats) -> Floats:
    """Return the Twists (N, 3) that robots drive, given commands (N, 3); see ``drive``."""
    return twist_rows(bodies.drive, _twists_of(bodies, drive(bodies, command)))


@njit
def body_twists(bodies: Wheeled, wheel_speed: Floats) -> Floats:
    """Return the Twists (N, 3) for speeds (N, 2) of two wheels (rad/s), saturated."""
    return twist_rows(np.zeros(len(wheel_speed), np.int8),
                      _twists_of(bodies, _drive_wheels(bodies, wheel_speed)))


@njit
def carried_speeds(bodies: Wheeled, driven: Driven) -> Floats:
    """Return the speeds (N,) m/s that impulses give, 0 for robots whose wheels carry them."""
    speed, carried = np.zeros(len(bodies.drive)), 0
    for i in range(len(speed)):
        carried += _CARRIED[bodies.drive[i]]
    if carried > 0:
        twist = _twists_of(bodies, driven)
        for i in range(len(speed)):
            if _CARRIED[bodies.drive[i]]:
                speed[i] = twist[VX, i]
    return speed


@njit
def move(bodies: Wheeled, pose: Floats, driven: Driven, impulse_velocity: Floats,
         dt: float) -> Floats:
    """Return the poses (N, 3) after one tick, collisions aside.

    A body with drive ``impulse`` is turned by its wheels and carried by the impulse alone: its
    wheels' mean speed counts as zero (document 000 section 4.1).

    Parameters
    ----------
    bodies : of N robots
    pose : (N, 3) x, y (m), yaw (rad)
    driven : by ``drive``
    impulse_velocity : (N, 2) m/s in frame `map`, added for this one tick (docs/errata.md W3)
    dt : s

    Returns
    -------
    (N, 3), yaw in [-pi, pi)

    """
    twist = _twists_of(bodies, driven)
    for i in range(pose.shape[0]):
        if _CARRIED[bodies.drive[i]]:
            twist[VX, i] = 0.0
    out = advance_all(bodies.drive, pose, twist, dt)
    for i in range(pose.shape[0]):
        out[i, 0] += impulse_velocity[i, 0] * dt
        out[i, 1] += impulse_velocity[i, 1] * dt
    return out


@njit
def achieved_twists(before: Floats, after: Floats, dt: float) -> Floats:
    """Return the achieved motion (N, 3) in the robots' new frames: m/s, m/s, rad/s."""
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
