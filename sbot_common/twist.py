"""Twist: velocity of a robot in the plane, in its own frame; the order of every command."""

from __future__ import annotations

from typing import NamedTuple

VX, VY, OMEGA = range(3)  # columns of arrays of commands and of measured twists (N, 3)


class Twist(NamedTuple):
    """A command, or measured odometry; REP 103: x forwards, y to the left."""

    vx: float  # m/s
    vy: float = 0.0  # m/s, to the left; 0 but for holonomic drives
    omega: float = 0.0  # rad/s, to the left


STOP = Twist(0.0)
