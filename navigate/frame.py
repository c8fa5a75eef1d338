"""Frame of the start: origin and x axis at the robot's first pose.

Everything is computed in it, so that turning or moving a whole world changes no decision.
"""

from __future__ import annotations

from typing import NamedTuple

from sbot_common.compiled.jit import njit, njit_inner
from sbot_common.elementary import sincos


class Frame(NamedTuple):
    """A pose in `map`."""

    x: float  # m
    y: float  # m
    yaw: float  # rad
    cosine: float  # of yaw
    sine: float


class Place(NamedTuple):
    """Where a robot is in a frame, and where it heads."""

    x: float  # m
    y: float
    cosine: float  # of the heading
    sine: float


@njit
def frame_at(x: float, y: float, yaw: float) -> Frame:
    """Return the frame of a pose (m, m, rad)."""
    sine, cosine = sincos(yaw)
    return Frame(x, y, yaw, cosine, sine)


@njit_inner
def into(frame: Frame | Place, x: float, y: float) -> tuple[float, float]:
    """Return a point (m) in a frame, or as seen from a place: ahead and to its left."""
    dx, dy = x - frame.x, y - frame.y
    return frame.cosine * dx + frame.sine * dy, frame.cosine * dy - frame.sine * dx
