"""Task and memory of a robot, kept from turn to turn."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from navigate.drift import Drift
from navigate.frame import Frame
from navigate.moving import MOST, Movers, make_movers
from navigate.parameters import HIDDEN, SIDE, Parameters
from navigate.turning import NO_LOOK, Look, Turning, no_turn
from navigate.ways import trail as trails
from navigate.ways.grid import make_grid
from navigate.ways.known import Known, nothing_known
from navigate.ways.route import Route, Watch
from navigate.ways.search import LONGEST, Search, make_search
from navigate.yielding import Yield, no_yield

Floats = NDArray[np.float64]


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
    stands: Watch  # whoever is near
    looked: float  # s, when obstacles that move were last looked for
    noise: float  # m, standard deviation of the laser's ranges
    turning: Turning
    look: Look


class Memory(NamedTuple):
    """Arrays that turns write."""

    nearness: NDArray[np.float32]  # of ``Grid``
    evidence: NDArray[np.int8]
    hits: NDArray[np.float32]
    search: Search
    path: Floats  # (search.LONGEST, 2) m
    trail: Floats  # (trail.LONGEST, 2) m
    others: Floats  # (num_robots, 2) m, positions of the turn before
    near: Floats  # (num_robots + MOST, 8) working memory of ``encounters``
    headings: Floats  # (num_robots, 3) unit vectors, and whether they move: of ``yielding``
    group: NDArray[np.int8]  # (num_robots,) working memory of ``yielding``
    limits: Floats  # (of ``make_limits``, 3) working memory of ``damping``
    movers: Movers
    known: Known


class Task(NamedTuple):
    """What a robot is to do, and with which body."""

    robot_id: int
    has_goal: bool
    goal_x: float  # m, `map`
    goal_y: float
    rank: int  # among the followers; -1: follows nobody
    followers: int  # how many there are
    corner: float  # m, reach of the body's corners from its centre; 0: a disc


def make_memory(num_robots: int, beams: int) -> Memory:
    """Return the memory of a robot that has seen nothing."""
    grid = make_grid(0.0, 0.0, 1.0)
    return Memory(grid.nearness, grid.evidence, grid.hits, make_search(), np.zeros((LONGEST, 2)),
                  np.zeros((trails.LONGEST, 2)), np.full((num_robots, 2), np.nan),
                  np.zeros((num_robots + MOST, 8)), np.zeros((num_robots, 3)),
                  np.zeros(num_robots, np.int8), make_limits(num_robots, beams), make_movers(),
                  nothing_known())


def make_limits(num_robots: int, beams: int) -> Floats:
    """Return room for limits: of robots, beams, moving obstacles and hidden ones."""
    return np.zeros((num_robots + 2 * MOST + HIDDEN + beams, 3))


def initial_state(frame: Frame, p: Parameters) -> State:
    """Return the state before the first turn."""
    corner = -SIDE / 2 * p.cell_m
    return State(frame, Drift(0.0, 0.0, 0.0, 0.0), Route(0, 0, 0.0, 0, 0, 0.0, 0.0, False),
                 corner, corner, 0, 0.0, 0, p.margin_m, no_yield(), 0.0, 0.0, Watch(0.0, 0.0, 0.0),
                 Watch(0.0, 0.0, 0.0), -math.inf, 0.0, no_turn(), NO_LOOK)
