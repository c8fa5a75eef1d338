"""Wind triangle: drift from commanded and achieved motion, and the drive that compensates for it.

What moves a robot over ground is its drive along the heading plus the drift: wind, mean force and
gust alike (document 000 section 4.1).
"""

from __future__ import annotations

from typing import NamedTuple

from sbot.controllers.navigate.parameters import AT_REST, Parameters
from sbot_common.compiled.jit import njit, njit_inner
from sbot_common.elementary import atan2, sincos

# Frame of the start: origin and x axis at the robot's first pose.
#
# Everything is computed in it, so that turning or moving a whole world changes no decision.

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


class Drift(NamedTuple):
    """Estimate of the motion that wheels do not cause, and the command that it belongs to."""

    x: float  # m/s, frame of the start
    y: float
    v: float  # m/s, linear.x of the last command
    omega: float  # rad/s, angular.z of the last command


@njit_inner
def is_calm(p: Parameters, drift: Drift) -> bool:
    """Tell whether the drift is too slow to act on: no wind, but noise."""
    slow = AT_REST * p.forward_speed_mps
    return drift.x * drift.x + drift.y * drift.y < slow * slow


@njit
def _driven_chord(v: float, omega: float, dt: float) -> tuple[float, float]:
    """Return the mean velocity (forward, left) (m/s) of the drive in a tick, in the new frame.

    The way is an arc; its chord points half of the turn back from the new heading.
    """
    half = omega * dt / 2
    sine, cosine = sincos(half)
    speed = v * sine / half if half != 0.0 else v
    return speed * cosine, -speed * sine


@njit
def updated_drift(drift: Drift, weight: float, limit: float, forward: float, left: float,
                  cosine: float, sine: float, dt: float) -> tuple[float, float]:
    """Return the estimate of the drift (x, y) (m/s) after one more measurement.

    Parameters
    ----------
    drift : before, with the command of the last turn
    weight : of the new measurement in the moving average
    limit : m/s, largest drift; a robot that pushes against something measures more
    forward, left : m/s, achieved velocity in the robot's frame
    cosine, sine : of the heading
    dt : s

    """
    driven_forward, driven_left = _driven_chord(drift.v, drift.omega, dt)
    ahead, aside = forward - driven_forward, left - driven_left
    x = drift.x + weight * (cosine * ahead - sine * aside - drift.x)
    y = drift.y + weight * (sine * ahead + cosine * aside - drift.y)
    return min(limit, max(-limit, x)), min(limit, max(-limit, y))


@njit
def drive(x: float, y: float, cosine: float, sine: float) -> tuple[float, float]:
    """Return the speed (m/s, >= 0) and the angle to turn (rad) for a velocity through the air.

    Parameters
    ----------
    x, y : m/s, wanted velocity over ground minus the drift
    cosine, sine : of the heading

    """
    ahead = cosine * x + sine * y
    aside = cosine * y - sine * x
    return max(0.0, ahead), atan2(aside, ahead)
