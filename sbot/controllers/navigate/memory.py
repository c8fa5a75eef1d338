# SPDX-License-Identifier: Apache-2.0
"""Task and memory of a robot, kept from turn to turn; turning of a slow robot."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot.controllers.navigate.damping import ALONG, Drift, Frame, Place
from sbot.controllers.navigate.map import make_grid
from sbot.controllers.navigate.moving import MOST, Movers, make_movers
from sbot.controllers.navigate.parameters import (
    HIDDEN,
    HOME,
    LONGEST_TRAIL,
    SETTLE,
    SIDE,
    SMOOTH,
    STILL,
    TURN_BACK,
    TURN_BEGIN,
    TURN_END,
    Parameters,
    Size,
    bounded,
    resolved,
)
from sbot.controllers.navigate.route import Route, Watch
from sbot.controllers.navigate.search import LONGEST, Search, make_search
from sbot.controllers.navigate.yielding import NO_YIELD, WAITS, Yield
from sbot_common.arrays import Floats
from sbot_common.compiled.jit import njit, njit_inner
from sbot_common.elementary import atan2

# Turning of a slow robot, with hysteresis, so that it does not shake in a queue.

class Turning(NamedTuple):
    """The last command of a robot, and what it wanted lately."""

    v: float  # m/s, of the last command
    omega: float  # rad/s, of the last command
    side: float  # 1 left, -1 right: of the last turn; 0: none so far
    time: float  # s, when that was
    x: float  # m/s, wanted velocity through the air, the mean of the last time
    y: float
    room: float  # m/s, what obstacles ahead leave to a slow robot, the mean of the last time


NO_TURN = Turning(0.0, 0.0, 0.0, -math.inf, 0.0, 0.0, math.inf)  # it has not turned


@njit_inner
def wanting(turning: Turning, x: float, y: float, room: float, dt: float) -> Turning:
    """Return the state with one more velocity (m/s) in the mean, ``dt`` (s) after the last.

    ``room`` (m/s) is that of ``navigate.damping.steady_room``.
    """
    weight = min(1.0, dt / SMOOTH)
    x, y = turning.x + weight * (x - turning.x), turning.y + weight * (y - turning.y)
    return Turning(turning.v, turning.omega, turning.side, turning.time, x, y, room)


@njit_inner
def turned(turning: Turning, v: float, omega: float, time: float) -> Turning:
    """Return the state after a command of ``v`` (m/s) and ``omega`` (rad/s) at a time (s)."""
    side, since = turning.side, turning.time
    if omega != 0.0:
        side, since = 1.0 if omega > 0.0 else -1.0, time
    return Turning(v, omega, side, since, turning.x, turning.y, turning.room)


@njit_inner
def same_side(turning: Turning, angle: float) -> float:
    """Return the angle (rad) to turn by: half round or nearly keeps the side of the last turn."""
    return -angle if turning.omega * angle < 0.0 and abs(angle) > TURN_BACK else angle


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
        dx, dy = -waiting.passage.near.cosine, -waiting.passage.near.sine
    elif far_x * far_x + far_y * far_y < HOME * HOME * p.robot_radius_m * p.robot_radius_m:
        return 0.0
    angle = atan2(place.cosine * dy - place.sine * dx, place.cosine * dx + place.sine * dy)
    return turn_with_hysteresis(p, turning, angle, time)



class State(NamedTuple):
    """What a robot remembers from turn to turn, beside ``Memory``."""

    frame: Frame
    drift: Drift
    route: Route
    origin_x: float  # m, of the grid's window
    origin_y: float
    trail: int  # points of the leader's trail so far
    time: float  # s since the first turn
    turn: int  # turns so far
    margin: float  # m, kept from obstacles beside the radius
    waiting: Yield
    chosen_x: float  # m/s, velocity of the last turn
    chosen_y: float
    watch: Watch
    looked: float  # s, when obstacles that move were last looked for
    noise: float  # m, standard deviation of the laser's ranges
    dust: float  # share of its beams that end in the air
    turning: Turning
    backs: bool  # a car that turns


class Memory(NamedTuple):
    """Arrays that turns write."""

    nearness: NDArray[np.float32]  # of ``Grid``
    evidence: NDArray[np.int8]
    hits: NDArray[np.float32]
    search: Search
    path: Floats  # (search.LONGEST, 2) m
    trail: Floats  # (LONGEST_TRAIL, 2) m
    others: Floats  # (num_robots, 2) m, positions of the turn before
    mobile: Floats  # (num_robots, 2) m, ``others`` without those that have stood for long: NaN
    stood: Floats  # (num_robots, 3) m, m, s: where they stand, and for how long
    near: Floats  # (num_robots + MOST, 8) working memory of ``encounters``
    headings: Floats  # (num_robots, 3) unit vectors, and whether they move: of ``yielding``
    limits: Floats  # (of ``make_limits``, 3) working memory of ``damping``
    movers: Movers
    known: Floats  # (S, 4) x0, y0, x1, y1 (m): outlines that are known from the start
    walls: Parameters  # with which it passes walls
    asked: Floats  # (T, 2) m/s, rad/s: commands of the last turns that are still on their way


class Task(NamedTuple):
    """What a robot is to do, and with which body."""

    robot_id: int
    has_goal: bool
    goal_x: float  # m, `map`
    goal_y: float
    rank: int  # among the followers; -1: follows nobody
    followers: int  # how many there are
    eye_x: float  # m, the laser in the robot's frame
    eye_y: float
    size: Size


ROUND = resolved(Parameters())  # of the body `robot`


def make_memory(num_robots: int, beams: int, walls: Parameters = ROUND,
                late: int = 0) -> Memory:
    """Return the memory of a robot that has seen nothing; ``late``: turns until it obeys."""
    grid = make_grid(0.0, 0.0, 1.0)
    return Memory(grid.nearness, grid.evidence, grid.hits, make_search(), np.zeros((LONGEST, 2)),
                  np.zeros((LONGEST_TRAIL, 2)), np.full((num_robots, 2), np.nan),
                  np.full((num_robots, 2), np.nan), np.zeros((num_robots, 3)),
                  np.zeros((num_robots + MOST, 8)), np.zeros((num_robots, 3)),
                  make_limits(num_robots, beams), make_movers(),
                  np.empty((0, 4)), walls, np.zeros((late, 2)))


def make_limits(num_robots: int, beams: int) -> Floats:
    """Return room for limits: of robots, beams, moving obstacles and hidden ones."""
    return np.zeros((num_robots + MOST + HIDDEN + beams, 3))


def initial_state(frame: Frame, p: Parameters) -> State:
    """Return the state before the first turn."""
    corner = -SIDE / 2 * p.cell_m
    return State(frame, Drift(0.0, 0.0, 0.0, 0.0),
                 Route(0, 0, 0.0, 0, 0, 0.0, 0.0, False, False, False), corner, corner, 0, 0.0, 0,
                 p.margin_m, NO_YIELD, 0.0, 0.0, Watch(0.0, 0.0, 0.0), -math.inf, 0.0, 0.0,
                 NO_TURN, False)
