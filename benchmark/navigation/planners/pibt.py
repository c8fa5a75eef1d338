"""Priority inheritance with backtracking on the true map: one plan for all robots, made at once.

Okumura, Machida, Défago, Tamura, Priority Inheritance with Backtracking for Iterative Multi-agent
Path Finding, Artificial Intelligence 310, 2022. It knows the map, all starts and all goals, so it
is no competitor but tells what one plan for all would reach. Cells are so large that robots pass a
corner of two cells without contact; the grid is laid where the robots' ways are shortest. In each
step all robots turn, then drive one cell. Wind and moving obstacles are not foreseen.
"""

from __future__ import annotations

import math
from collections import deque

import numpy as np
from numpy.typing import NDArray

from sbot.controllers.entry import Place
from sbot.navigation.tangents import outline_distances
from sbot_common.angles import wrap_angle
from sbot_common.arrays import Floats
from sbot_common.elementary import atan2, hypot
from sbot_common.observation import Observation
from sbot_sim.collision.overlap import rectangle_distance
from sbot_sim.world.geometry import World, inside_polygon

_MARGIN = 0.03  # m, around each robot
_OFFSETS = 8  # of the grid, in each direction
_SAMPLES = 8  # places along an edge at which the body must fit
_LONGEST = 1000  # steps
_FAR = 10**6  # steps, where there is no way
_SIDES = ((0, 1), (1, 0), (0, -1), (-1, 0))


def inside_solids(world: World, points: Floats) -> NDArray[np.bool_]:
    """Return which points (P, 2) m are within rectangles, polygons or a map's cells; (P,)."""
    inside = np.zeros(len(points), np.bool_)
    for rectangle in world.rectangles:
        inside |= rectangle_distance(points, np.tile(rectangle, (len(points), 1))) <= 0.0
    for corners in world.polygons:
        inside |= inside_polygon(corners, points)
    if world.cells is not None:
        inside |= world.cells.occupies(points)
    return inside


class Graph:
    """Cells of a grid that the body can be in, and between which it can drive."""

    def __init__(self, world: World, radius: float, cell: float, corner: Floats) -> None:
        x_max, y_max = world.bounds[2:].tolist()
        xs, ys = np.arange(corner[0], x_max, cell), np.arange(corner[1], y_max, cell)
        self.places = np.column_stack([np.tile(xs, len(ys)), np.repeat(ys, len(xs))])

        def fits(points: Floats) -> NDArray[np.bool_]:
            return (outline_distances(world, points) >= radius) & ~inside_solids(world, points)
        free, columns = fits(self.places), len(xs)
        self.near: list[list[int]] = [[] for _ in self.places]
        self.free = np.flatnonzero(free)
        for down, right in _SIDES[:2]:
            a = self.free[(self.free % columns + right < columns)
                          & (self.free + down * columns < len(free))]
            b = a + down * columns + right
            a, b = a[free[b]], b[free[b]]
            shares = (np.arange(1, _SAMPLES) / _SAMPLES)[:, None, None]
            between = self.places[a] + shares * (self.places[b] - self.places[a])
            passes = fits(between.reshape(-1, 2)).reshape(_SAMPLES - 1, len(a)).all(axis=0)
            for u, v in zip(a[passes].tolist(), b[passes].tolist(), strict=True):
                self.near[u].append(v)
                self.near[v].append(u)

    def nearest(self, points: Floats) -> list[int]:
        """Return a free cell for each point (N, 2), the nearest that no point before it has."""
        taken: list[int] = []
        for point in points:
            order = self.free[((self.places[self.free] - point) ** 2).sum(axis=1).argsort(
                kind='stable')].tolist()
            taken.append(next(cell for cell in order if cell not in taken))
        return taken

    def steps(self, goal: int) -> list[int]:
        """Return the number of steps (V,) from each cell to a goal."""
        found, queue = [_FAR] * len(self.near), deque([goal])
        found[goal] = 0
        while queue:
            at = queue.popleft()
            for cell in self.near[at]:
                if found[cell] == _FAR:
                    found[cell] = found[at] + 1
                    queue.append(cell)
        return found


def next_cells(graph: Graph, at: list[int], steps: list[list[int]],
               order: list[int]) -> list[int]:
    """Return the cells of all robots after a step; who comes first in ``order`` goes first."""
    to: dict[int, int] = {}
    robot_at, taken = {cell: i for i, cell in enumerate(at)}, dict[int, int]()

    def goes(i: int) -> bool:
        wanted = sorted([*graph.near[at[i]], at[i]], key=lambda cell: (
            steps[i][cell], cell in robot_at and cell != at[i], cell))
        for cell in wanted:
            other = robot_at.get(cell)
            if cell in taken or (other is not None and to.get(other) == at[i] != cell):
                continue
            to[i], taken[cell] = cell, i
            if other is None or other in to or goes(other):
                return True
            del taken[cell]
        to[i], taken[at[i]] = at[i], i
        return False

    for i in order:
        if i not in to:
            goes(i)
    return [to[i] for i in range(len(at))]


def plan(world: World, starts: Floats, goals: Floats, radius: float) -> Floats:
    """Return where each robot is after each step, (S, N, 2) m; the first is where it starts."""
    cell, best = 2.0 * math.sqrt(2.0) * radius, (math.inf, 0)
    graphs = [Graph(world, radius, cell, world.bounds[:2] + cell / _OFFSETS * np.array([i, j]))
              for i in range(_OFFSETS) for j in range(_OFFSETS)]
    graphs = [graph for graph in graphs if len(graph.free) >= len(starts)]
    for k, graph in enumerate(graphs):
        ends = graph.nearest(starts), graph.nearest(goals)
        ways = [graph.steps(to)[a] for a, to in zip(*ends, strict=True)]
        beside = sum(np.abs(graph.places[cells] - points).sum() for cells, points in zip(
            ends, (starts, goals), strict=True))  # m, without a cell
        best = min(best, (sum(ways) + 4.0 * float(beside) / cell, k))
    if not graphs:
        return np.stack([starts, goals])
    graph = graphs[best[1]]
    at, ends = graph.nearest(starts), graph.nearest(goals)
    steps, waited, places = [graph.steps(end) for end in ends], [0] * len(at), [starts]
    while len(places) < _LONGEST:
        places.append(graph.places[at])
        if at == ends:
            break
        waited = [0 if cell == end else each + 1
                  for cell, end, each in zip(at, ends, waited, strict=True)]
        at = next_cells(graph, at, steps, sorted(range(len(at)), key=lambda i: (-waited[i], i)))
    return np.stack([*places, goals])


class Pibt:
    """Drives its part of the common plan.

    Parameters
    ----------
    place : of the robot
    speed : m/s
    turn : rad/s

    """

    takes_place = True

    def __init__(self, place: Place | None = None, speed: float = 1.5, turn: float = 3.0) -> None:
        assert place is not None
        self._place, self._speed, self._turn = place, speed, turn
        self._radius = place.body.radius + place.body.collision_distance + _MARGIN
        self._way = np.zeros((0, 2))

    def step(self, observation: Observation, rng: np.random.Generator) -> tuple[float, float]:
        """Return (vx in m/s, omega in rad/s)."""
        if observation.goal is None:
            return 0.0, 0.0
        if not len(self._way):
            going = [i for i, robot in enumerate(self._place.robots) if robot.goal is not None]
            goals = np.array([self._place.robots[i].goal for i in going], np.float64)
            self._way = plan(self._place.outline(), observation.poses[going, :2], goals,
                             self._radius)[:, going.index(observation.robot_id)]
        turns, cell = math.pi / self._turn, 2.0 * math.sqrt(2.0) * self._radius
        lasts, now = turns + cell / self._speed + 0.1, observation.tick * observation.dt
        step = int(now / lasts)
        x, y, yaw = observation.poses[observation.robot_id].tolist()
        to_x, to_y = self._way[min(step + 1, len(self._way) - 1)].tolist()
        apart = hypot(to_x - x, to_y - y)
        if apart < 0.02:
            return 0.0, 0.0
        off = wrap_angle(atan2(to_y - y, to_x - x) - yaw)
        turn = min(max(off / observation.dt, -self._turn), self._turn)
        drives = now - step * lasts >= turns and abs(off) < 0.05  # all turn before one drives
        return (min(self._speed, apart / observation.dt) if drives else 0.0), turn
