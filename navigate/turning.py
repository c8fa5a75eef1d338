"""Turning of a slow robot, with hysteresis, so that it does not shake in a queue."""

from __future__ import annotations

import math
from typing import NamedTuple

from navigate.damping.damper import ALONG
from navigate.drift import drive
from navigate.frame import Place
from navigate.parameters import (
    HOME,
    SETTLE,
    SMOOTH,
    STILL,
    TURN_BACK,
    TURN_BEGIN,
    TURN_END,
    Parameters,
    bounded,
)
from navigate.ways.passage_line import out_of
from navigate.yielding import WAITS, Yield
from sbot_common.compiled.jit import njit, njit_inner
from sbot_common.elementary import atan2


class Turning(NamedTuple):
    """The last turn of a robot."""

    omega: float  # rad/s, of the last command
    side: float  # 1 left, -1 right: of the last turn; 0: none so far
    time: float  # s, when that was
    x: float  # m/s, wanted velocity through the air, the mean of the last time
    y: float
    room: float  # m/s, what obstacles ahead leave to a slow robot, the mean of the last time


class Look(NamedTuple):
    """What a robot with a narrow view looks at before it drives on."""

    x: float  # m
    y: float
    since: float  # s; inf: it does not
    cosine: float  # of the heading when it began
    sine: float
    turns_back: bool  # it has seen all, and does not drive yet


NO_LOOK = Look(0.0, 0.0, math.inf, 1.0, 0.0, False)


def no_turn() -> Turning:
    """Return the state of a robot that has not turned."""
    return Turning(0.0, 0.0, -math.inf, 0.0, 0.0, math.inf)


@njit_inner
def wanting(turning: Turning, x: float, y: float, room: float, dt: float) -> Turning:
    """Return the state with one more velocity (m/s) in the mean, ``dt`` (s) after the last.

    ``room`` (m/s) is that of ``damping.damper.steady_room``.
    """
    weight = min(1.0, dt / SMOOTH)
    x, y = turning.x + weight * (x - turning.x), turning.y + weight * (y - turning.y)
    return Turning(turning.omega, turning.side, turning.time, x, y, room)


@njit_inner
def turned(turning: Turning, omega: float, time: float) -> Turning:
    """Return the state after a turn of ``omega`` (rad/s) at a time (s)."""
    if omega == 0.0:
        return Turning(omega, turning.side, turning.time, turning.x, turning.y, turning.room)
    return Turning(omega, 1.0 if omega > 0.0 else -1.0, time, turning.x, turning.y, turning.room)


@njit_inner
def same_side(turning: Turning, angle: float) -> float:
    """Return the angle (rad) to turn by: half round or nearly keeps the side of the last turn."""
    return -angle if turning.omega * angle < 0.0 and abs(angle) > TURN_BACK else angle


@njit
def aligning(p: Parameters, turning: Turning, place: Place, dt: float) -> float:
    """Return the turn (rad/s) of a slow lone robot, towards the mean of its wanted headings.

    Beside a wall what it wants changes with the noise of its laser.
    """
    _, angle = drive(turning.x, turning.y, place.cosine, place.sine)
    return bounded(p, min(p.turn_gain / 2, 1.0 / dt) * angle)


@njit
def turn_with_hysteresis(p: Parameters, turning: Turning, angle: float, time: float) -> float:
    """Return the turn (rad/s) of a slow robot among others, by ``angle`` (rad).

    Hysteresis: a turn begins above one angle and ends below a smaller one, and one half round or
    nearly does not change its side. A turn to the other side begins some time after the last one.
    A robot that obstacles do not let drive on turns until it does not approach them: nothing else
    helps.
    """
    least = TURN_BEGIN if turning.omega == 0.0 else TURN_END
    if turning.room <= STILL * p.forward_speed_mps:
        least = ALONG
    if abs(angle) < least:
        return 0.0
    angle = same_side(turning, angle)
    if turning.side * angle < 0.0 and time - turning.time < SETTLE:
        return 0.0
    return bounded(p, p.turn_gain / 2 * angle)


@njit
def resting_turn(p: Parameters, waiting: Yield, turning: Turning, place: Place, dx: float,
                 dy: float, far_x: float, far_y: float, time: float) -> float:
    """Return the turn (rad/s) of a robot at rest: others see by its heading where it wants to go.

    Who insists faces its way (dx, dy) (m), who waits turns its back on the passage; one nearly at
    its goal, (far_x, far_y) (m) from here, stays as it is.
    """
    if waiting.mode == WAITS:
        dx, dy = out_of(p, waiting.passage)
    elif far_x * far_x + far_y * far_y < HOME * HOME * p.robot_radius_m * p.robot_radius_m:
        return 0.0
    angle = atan2(place.cosine * dy - place.sine * dx, place.cosine * dx + place.sine * dy)
    return turn_with_hysteresis(p, turning, angle, time)
