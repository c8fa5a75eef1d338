# SPDX-License-Identifier: Apache-2.0
"""Impulses of document 000 section 4.1; inertia: limits of speed, acceleration and delay.

A command is cut to the limits of speed, each component by itself, before the wheels are asked what
they reach: drivers of real robots do so [2]_ [3]_. What the wheels drive follows a command that is
some ticks old as fast as the limits of acceleration let it: the point of speeds goes straight to
the one that is asked for, by its limit of deceleration as long as it gets slower and by that of
acceleration from there on. Along one axis that is a trapezoidal profile, exact at every tick. With
equal limits it is what navground's modulation ``LimitAcceleration`` computes [1]_.

References
----------
.. [1] idsia-robotics/navground, ``behavior_modulations/limit_acceleration.cpp``.
.. [2] ROBOTIS-GIT/OpenCR, ``turtlebot3_ros2/src/turtlebot3/turtlebot3_controller.cpp``.
.. [3] ros-controls/ros2_controllers, ``diff_drive_controller/src/speed_limiter.cpp``.

"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot_common.arrays import Floats
from sbot_common.compiled.jit import njit, njit_inline
from sbot_common.elementary import copy_numbers, hypot, sincos_of
from sbot_common.observation import OMEGA, VX, VY
from sbot_sim.drives.record import Wheeled
from sbot_sim.drives.registry import STEERED, limited_twist
from sbot_sim.dynamics.motion import driven_twists

# The impulse pipeline of document 000 section 4.1, in SI units.
#
# Impulses are summed during a tick and applied after the collisions: their velocity J/m moves the
# robot during the next tick and no longer (docs/errata.md W3).


@njit
def effective_wind(wind_xy: Floats, reduction: Floats) -> Floats:
    """Return max(0, 1 - r) times the wind; (N, 2) m/s and (N,) in, (N, 2) m/s out."""
    out = np.empty_like(wind_xy)
    for i in range(wind_xy.shape[0]):
        share = max(0.0, 1.0 - reduction[i])
        out[i, 0] = share * wind_xy[i, 0]
        out[i, 1] = share * wind_xy[i, 1]
    return out


@njit_inline
def impulse_of(mass: float, wind: float, force: float, speed: float, share: float,
               dt: float) -> float:
    """Return one component of a robot's impulse; ``share`` is that of its heading."""
    return mass * wind + mass * speed * share + force * dt


@njit
def sum_impulses(mass: Floats, effective_wind_xy: Floats, force_xy: Floats, drive_speed: Floats,
                 yaw: Floats, dt: float) -> Floats:
    """Return the impulse of each robot in one tick: wind (eq. 1), drive (eq. 2) and forces.

    Parameters
    ----------
    mass : (N,) kg
    effective_wind_xy : (N, 2) m/s
    force_xy : (N, 2) N, the same on every robot of a world (docs/errata.md R4)
    drive_speed : (N,) m/s along the heading; 0 for robots on wheels
    yaw : (N,) rad
    dt : s

    Returns
    -------
    (N, 2) kg m/s, eq. (3)

    """
    out = np.empty_like(effective_wind_xy)
    sine, cosine = np.zeros(mass.shape[0]), np.ones(mass.shape[0])
    driven = False
    for i in range(mass.shape[0]):
        driven |= drive_speed[i] != 0.0
    if driven:
        sincos_of(yaw, sine, cosine)
    for i in range(mass.shape[0]):
        m, v = mass[i], drive_speed[i]
        out[i, 0] = impulse_of(m, effective_wind_xy[i, 0], force_xy[i, 0], v, cosine[i], dt)
        out[i, 1] = impulse_of(m, effective_wind_xy[i, 1], force_xy[i, 1], v, sine[i], dt)
    return out


@njit
def impulse_velocity(impulse: Floats, mass: Floats) -> Floats:
    """Return J/m: the velocity (N, 2) m/s that moves the robots during the next tick only."""
    out = np.empty_like(impulse)
    for i in range(mass.shape[0]):
        out[i, 0] = impulse[i, 0] / mass[i]
        out[i, 1] = impulse[i, 1] / mass[i]
    return out


class Inertia(NamedTuple):
    """Limits of N robots; a robot without any has no limits and no delay."""

    acceleration: Floats  # (N,) m/s^2; inf: no limit
    deceleration: Floats  # (N,) m/s^2
    angular: Floats  # (N,) rad/s^2
    speed: Floats  # (N,) m/s, along each axis
    turn: Floats  # (N,) rad/s
    delay: NDArray[np.int64]  # (N,) ticks
    limited: NDArray[np.bool_]  # (N,) whether any of these limits a robot


class Momentum(NamedTuple):
    """State of N robots with inertia; arrays are changed in place."""

    twist: Floats  # (N, 3) what the wheels drove in the last tick
    asked: Floats  # (N, D + 1, 3) the last commands, that of tick t at t modulo D + 1

    @classmethod
    def at_rest(cls, robots: int, inertia: Inertia) -> Momentum:
        """Return the state of robots that stand, and were told nothing yet."""
        ticks = int(inertia.delay.max()) if len(inertia.delay) else 0
        return cls(np.zeros((robots, 3)), np.zeros((robots, ticks + 1, 3)))


@njit
def _approach(vx: float, vy: float, to_x: float, to_y: float, acceleration: float,
             deceleration: float, dt: float) -> tuple[float, float]:
    """Return the speeds after ``dt`` on the straight way from (vx, vy) to (to_x, to_y).

    Parameters
    ----------
    vx, vy : now (m/s, or any unit)
    to_x, to_y : asked for
    acceleration, deceleration : limits while the length of (vx, vy) grows, and while it shrinks
    dt : s

    """
    dx, dy = to_x - vx, to_y - vy
    way = hypot(dx, dy)
    if way == 0.0:
        return to_x, to_y
    # The point of the way that is nearest to standing still: slower until there, faster then.
    slowing = min(max(-(vx * dx + vy * dy) / way, 0.0), way)
    gone = deceleration * dt
    if gone >= slowing:
        left = max(dt - slowing / deceleration, 0.0)
        gone = way if acceleration == math.inf else slowing + acceleration * left
    if gone >= way:
        return to_x, to_y
    return vx + dx * (gone / way), vy + dy * (gone / way)


@njit_inline
def _cut(speed: float, limit: float) -> float:
    return math.copysign(limit, speed) if abs(speed) > limit else speed  # what is no number stays


@njit
def follow(bodies: Wheeled, inertia: Inertia, momentum: Momentum, command: Floats, tick: int,
           dt: float, out: Floats) -> None:
    """Write the Twists (N, 3) that robots drive in a tick, and take over their state.

    Parameters
    ----------
    bodies, inertia, momentum : of N robots; ``momentum`` is changed
    command : (N, 3) of this tick
    tick : its number, which says where in the ring of commands it goes
    dt : s
    out : (N, 3), written to

    """
    n, ring = momentum.asked.shape[0], momentum.asked.shape[1]
    for i in range(n):
        copy_numbers(command[i], momentum.asked[i, tick % ring])
        asked = momentum.asked[i, (tick - inertia.delay[i]) % ring]
        out[i, VX] = _cut(asked[VX], inertia.speed[i])
        out[i, VY] = _cut(asked[VY], inertia.speed[i])
        out[i, OMEGA] = _cut(asked[OMEGA], inertia.turn[i])
    wanted, before = driven_twists(bodies, out), momentum.twist
    for i in range(n):
        if not inertia.limited[i]:
            continue
        vx, vy = _approach(before[i, VX], before[i, VY], wanted[i, VX], wanted[i, VY],
                          inertia.acceleration[i], inertia.deceleration[i], dt)
        omega = wanted[i, OMEGA]
        if STEERED[bodies.drive[i]] and wanted[i, VX] != 0.0:
            slower = vx / wanted[i, VX]
            if math.isfinite(slower):  # not of a speed that is almost zero
                omega *= slower  # the wheels are steered for the same curve
        omega, _ = _approach(before[i, OMEGA], 0.0, omega, 0.0, inertia.angular[i],
                            inertia.angular[i], dt)
        if STEERED[bodies.drive[i]]:
            vx, vy, omega = limited_twist(bodies, i, vx, vy, omega)
        out[i, VX], out[i, VY], out[i, OMEGA] = vx, vy, omega
    driven = driven_twists(bodies, out)
    for i in range(n):
        if not math.isfinite(driven[i, VX] + driven[i, VY] + driven[i, OMEGA]):
            driven[i] = 0.0  # a command that is no number ends with its tick
        copy_numbers(driven[i], momentum.twist[i])
