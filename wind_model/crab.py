"""Wind triangle: crab heading that compensates for the wind."""

from __future__ import annotations

from sbot_common.angles import wrap_angle
from sbot_common.compiled.jit import njit
from sbot_common.elementary import asin, atan2, sincos


@njit
def crab_heading(direction: float, speed: float, wind_x: float, wind_y: float) -> float:
    """Return the heading (rad) with which ``speed`` along it plus wind follows a direction.

    The part of the drive across the direction cancels the wind across it. A wind across that is
    stronger than the drive cannot be cancelled: then the robot heads straight against that part.
    A robot without speed heads along the direction. Document 000 section 4.1 gives the motion,
    this is its inverse.

    Parameters
    ----------
    direction : rad, frame `map`
    speed : m/s along the heading, >= 0
    wind_x, wind_y : m/s, effective wind, frame `map`

    """
    if not speed > 0.0:
        return wrap_angle(direction)
    sine, cosine = sincos(direction)
    across = cosine * wind_y - sine * wind_x
    return wrap_angle(direction - asin(min(1.0, max(-1.0, across / speed))))


@njit
def published_heading(direction: float, speed: float, wind_x: float, wind_y: float) -> float:
    """Return the heading (rad) along the difference of track and wind, each over ``speed``.

    The heading of document 000's published controller. It does not cancel the wind across, yet
    makes way along the track also where the wind across is stronger than the drive
    (docs/errata.md W8). Parameters are those of ``crab_heading``.
    """
    if not speed > 0.0:
        return wrap_angle(direction)
    sine, cosine = sincos(direction)
    x, y = cosine - wind_x / speed, sine - wind_y / speed
    if x == 0.0 and y == 0.0:
        return wrap_angle(direction)
    return atan2(y, x)


@njit
def turn_rate(yaw: float, heading: float, gain: float, limit: float, dt: float) -> float:
    """Return the angular velocity (rad/s) that turns from yaw to heading (rad) the short way.

    Proportional to the difference by ``gain`` (1/s), at most ``limit`` (rad/s), and never so fast
    that a tick of ``dt`` (s) overshoots.
    """
    difference = wrap_angle(heading - yaw)
    return min(limit, max(-limit, min(gain, 1.0 / dt) * difference))
