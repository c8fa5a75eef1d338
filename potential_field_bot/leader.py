"""The leader's sector in a follower's scan (document 001, sections 9 and 10).

Angles of readings run from the hit back to the sensor: heading + beam angle + pi. The listing's
sector runs the other way, from the follower to the leader, and neither wraps (docs/errata.md P1).
`as_written` keeps that bit for bit; `geometric` compares both in one frame and takes the
angle that a disc really fills (docs/errata.md P12).
"""

from __future__ import annotations

import math
from typing import NamedTuple

from sbot_common.angles import wrap_angle
from sbot_common.compiled.jit import njit
from sbot_common.elementary import asin, atan2


class Leader(NamedTuple):
    """The sector of the leader as the listing has it (document 001 section 10)."""

    distance_threshold: float  # m; closer readings are obstacles in between
    theta_min: float  # rad
    theta_max: float  # rad


class LeaderDisc(NamedTuple):
    """The sector of the leader in the plane, for the filter `geometric`."""

    distance_threshold: float  # m
    bearing: float  # rad in `map`, from the follower to the leader
    half_angle: float  # rad


@njit
def laser_angle_min(heading: float, angle_min: float) -> float:
    """Return the angle (rad) of the first reading, hit to sensor, unwrapped.

    Document 001 section 9.
    """
    return heading + angle_min + math.pi


@njit
def locate_leader(x0x: float, x0y: float, xjx: float, xjy: float, r0: float,
                  epsilon: float) -> Leader:
    """Return the sector of a leader at (x0x, x0y) for a follower at (xjx, xjy) (m), as listed.

    Document 001 section 10; ``r0`` is the leader's radius (m).
    """
    sx = x0x - xjx
    sy = x0y - xjy
    sm = math.sqrt(sx * sx + sy * sy)
    s_theta = atan2(sy, sx)
    d_theta = abs(atan2(r0, sm))
    return Leader(sm - (r0 + epsilon), s_theta - d_theta, s_theta + d_theta)


@njit
def check_for_leader(leader: Leader, laser_range: float, laser_angle: float) -> bool:
    """Tell whether a reading (m, rad hit to sensor) counts as the leader.

    Document 001 section 10.
    """
    return (laser_angle >= leader.theta_min and laser_angle <= leader.theta_max
            and laser_range >= leader.distance_threshold)


@njit
def locate_leader_disc(x0x: float, x0y: float, xjx: float, xjy: float, r0: float,
                       epsilon: float) -> LeaderDisc:
    """Return the sector that the leader's disc fills; all directions from within it."""
    sx = x0x - xjx
    sy = x0y - xjy
    sm = math.sqrt(sx * sx + sy * sy)
    half_angle = asin(r0 / sm) if r0 < sm else math.pi
    return LeaderDisc(sm - (r0 + epsilon), atan2(sy, sx), half_angle)


@njit
def check_for_leader_disc(leader: LeaderDisc, laser_range: float, laser_angle: float) -> bool:
    """Tell whether a reading (m, rad hit to sensor) lies in the sector that the leader fills."""
    if not laser_range >= leader.distance_threshold:
        return False
    return abs(wrap_angle(laser_angle - math.pi - leader.bearing)) <= leader.half_angle
