"""Commands from a network's two outputs in [-1, 1]."""

from __future__ import annotations

import math

from sbot_common.compiled.jit import njit

WHEELS, TWIST = 'wheels', 'twist'
OUTPUTS = (WHEELS, TWIST)


@njit
def command_of_wheels(left: float, right: float, max_speed: float,
                      wheel_distance: float) -> tuple[float, float]:
    """Return the Twist (m/s, rad/s) of wheels at shares of their greatest speed.

    Parameters
    ----------
    left, right : in [-1, 1]
    max_speed : m/s, of a wheel along the ground
    wheel_distance : m

    """
    left, right = max_speed * bounded(left), max_speed * bounded(right)
    return 0.5 * (left + right), (right - left) / wheel_distance


@njit
def command_of_twist(forward: float, turn: float, max_speed: float,
                     max_turn: float) -> tuple[float, float]:
    """Return the Twist (m/s, rad/s) of shares in [-1, 1] of a greatest speed and turn rate."""
    return max_speed * bounded(forward), max_turn * bounded(turn)


@njit
def bounded(share: float) -> float:
    """Return a share within [-1, 1]; NaN becomes 0."""
    if math.isnan(share):
        return 0.0
    return min(max(share, -1.0), 1.0)
