"""A* on the map of what the laser has seen, before an inner controller that avoids what is near.

The planner hands the inner controller a goal that moves along the cheapest way. Unknown cells
count as free. Where no way is left, the goal is handed on as it is.
"""

from __future__ import annotations

import math
from heapq import heappop, heappush
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from sbot.controllers.dwa import Dwa
from sbot.controllers.dwa import Parameters as DwaParameters
from sbot.controllers.entry import Place
from sbot_common.arrays import Floats
from sbot_common.compiled.jit import njit
from sbot_common.elementary import sincos
from sbot_common.observation import Observation, Scan

_CELLS = 3.0  # to the radius of the body
_MARGIN = 12.0  # m, of the map around start and goal: a laser sees 8 m
_PERIOD = 0.5  # s between two searches
_HIT, _MOST = 2, 8  # what a reading adds to a cell, at most; a beam that passes takes away 1
DEAR = 30.0  # price of a cell beside an obstacle, and of those where the body is too near


class Raster(NamedTuple):
    """Where the centre of a disc may be."""

    free: NDArray[np.bool_]  # (rows, columns)
    corner: Floats  # (2,) x, y (m) of the first cell's corner
    cell: float  # m

    def number(self, place: tuple[float, float]) -> int:
        """Return the number of the cell that holds a place (m), or of the nearest one."""
        rows, columns = self.free.shape
        column = int((place[0] - float(self.corner[0])) / self.cell)
        row = int((place[1] - float(self.corner[1])) / self.cell)
        return int(min(max(row, 0), rows - 1) * columns + min(max(column, 0), columns - 1))

    def middles(self, cells: NDArray[np.int64]) -> Floats:
        """Return the middles (P, 2) m of cells (P,)."""
        rows, columns = np.divmod(cells, self.free.shape[1])
        return self.corner + self.cell * (np.column_stack([columns, rows]) + 0.5)


class Planner:
    """Map of what a robot's laser has seen, with the cheapest way through it.

    Parameters
    ----------
    place : of the robot
    clearance : from obstacles (m) beyond which a way is no dearer

    """

    def __init__(self, place: Place, clearance: float) -> None:
        self._mount, body = place.mount, place.body
        self.radius = body.radius + body.collision_distance
        self.cell = self.radius / _CELLS
        self._clearance = clearance
        self.hits = np.zeros((0, 0), np.int8)
        self.prices = np.zeros((0, 0))  # of a step into each cell; inf: the body does not fit
        self.corner, self._due = np.zeros(2), 0.0
        self._way = np.zeros((0, 2))

    def way(self, observation: Observation) -> Floats:
        """Return the places (P, 2) m of the way to the goal, from where the robot is."""
        assert observation.goal is not None
        pose, goal = observation.poses[observation.robot_id], np.array(observation.goal)
        if not self.hits.size:
            low, high = np.minimum(pose[:2], goal) - _MARGIN, np.maximum(pose[:2], goal) + _MARGIN
            columns, rows = np.ceil((high - low) / self.cell).astype(int).tolist()
            self.corner, self.hits = low, np.zeros((rows, columns), np.int8)
        self._look(observation, pose)
        now = observation.tick * observation.dt
        if now >= self._due:
            self._due = now + _PERIOD
            self.prices = _prices(self.hits, self.radius / self.cell,
                                  (self.radius + self._clearance) / self.cell)
            self._way = self._found(pose, goal)
        return self._way

    def sub_goal(self, observation: Observation, ahead: float) -> tuple[float, float]:
        """Return the farthest place of the way, at most ``ahead`` (m), that is straight ahead."""
        way, here = self.way(observation), observation.poses[observation.robot_id, :2]
        at = int(((way - here) ** 2).sum(axis=1).argmin())
        far, steps = at, np.sqrt((np.diff(way[at:], axis=0) ** 2).sum(axis=1)).cumsum()
        for k in range(1, 1 + int(np.searchsorted(steps, ahead))):
            if not _is_free(self.prices, (here - self.corner) / self.cell,
                            (way[at + k] - self.corner) / self.cell):
                break
            far = at + k
        return float(way[far, 0]), float(way[far, 1])

    def _look(self, observation: Observation, pose: Floats) -> None:
        """Write what the scan shows to the map."""
        scan, heading = observation.scan, observation.scan_heading
        assert scan is not None
        yaw = float(pose[2]) if heading is None else heading
        s, c = sincos(yaw)
        ahead, aside, turned = self._mount
        at = pose[:2] + np.array([c * ahead - s * aside, s * ahead + c * aside])
        others = np.delete(observation.poses[:, :2], observation.robot_id, axis=0)
        others = (others[np.isfinite(others).all(axis=1)] - self.corner) / self.cell
        _mark(self.hits, (at - self.corner) / self.cell, yaw + turned + scan.angle_min,
              scan.angle_increment, _in_cells(scan, self.cell), others,
              1.5 * self.radius / self.cell)

    def _found(self, pose: Floats, goal: Floats) -> Floats:
        raster = Raster(np.isfinite(self.prices), self.corner, self.cell)
        prices = self.prices.copy()
        for x, y in (pose[:2].tolist(), goal.tolist()):  # the body may be too near to something
            row, column = divmod(raster.number((x, y)), prices.shape[1])
            reach = math.ceil(self.radius / self.cell) + 1
            near = np.s_[max(0, row - reach):row + reach + 1,
                         max(0, column - reach):column + reach + 1]
            prices[near] = np.where(self.hits[near] > 0, prices[near],
                                    np.minimum(prices[near], DEAR))
            prices[row, column] = 1.0
        first, last = (raster.number((float(x), float(y))) for x, y in (pose[:2], goal))
        towards, cells = search(prices, last, first), [first]
        while cells[-1] != last and towards[cells[-1]] >= 0:
            cells.append(int(towards[cells[-1]]))
        return np.vstack([raster.middles(np.array(cells[:-1], np.int64)), goal])


def _in_cells(scan: Scan, cell: float) -> Floats:
    """Return ranges (B,) in cells; inf: no echo."""
    ranges = scan.ranges.astype(np.float64)
    return np.where(ranges < scan.range_max, ranges, math.inf) / cell


@njit
def search(prices: Floats, goal: int, start: int) -> NDArray[np.int64]:
    """Return for each cell (R * C,) the next one on the cheapest way to ``goal``, -1: none found.

    A* over eight neighbours, from ``goal`` to ``start``. ``prices`` (R, C) are of a step into a
    cell, for each cell of way: 1 or more, inf where there is none.
    """
    rows, columns = prices.shape
    cost = np.full(rows * columns, math.inf)
    towards = np.full(rows * columns, -1, np.int64)
    cost[goal], heap = 0.0, [(0.0, 0.0, goal)]
    while len(heap) > 0:
        _, paid, at = heappop(heap)
        if at == start:
            break
        if paid > cost[at]:
            continue
        row, column = at // columns, at % columns
        for down in range(-1, 2):
            for right in range(-1, 2):
                y, x = row + down, column + right
                if not (0 <= y < rows and 0 <= x < columns):
                    continue
                whole = paid + math.sqrt(float(down * down + right * right)) * prices[y, x]
                if whole < cost[y * columns + x]:
                    cost[y * columns + x], towards[y * columns + x] = whole, at
                    up, aside = abs(start // columns - y), abs(start % columns - x)
                    left = max(up, aside) + (math.sqrt(2.0) - 1.0) * min(up, aside)
                    heappush(heap, (whole + left, whole, y * columns + x))
    return towards


@njit
def _mark(hits: NDArray[np.int8], at: Floats, angle: float, increment: float, ranges: Floats,
          others: Floats, reach: float) -> None:
    """Count readings and passing beams in cells; none on ``others`` (M, 2) within ``reach``."""
    rows, columns = hits.shape
    for k in range(len(ranges)):
        s, c = sincos(angle + k * increment)
        seen = ranges[k]
        for step in range(int(min(seen, 60.0) - 1.0)):
            row, column = int(at[1] + s * step), int(at[0] + c * step)
            if 0 <= row < rows and 0 <= column < columns and hits[row, column] > 0:
                hits[row, column] -= 1
        row, column = int(at[1] + s * min(seen, 1e6)), int(at[0] + c * min(seen, 1e6))
        known = not (0 <= row < rows and 0 <= column < columns)
        for j in range(len(others)):
            dx, dy = column + 0.5 - others[j, 0], row + 0.5 - others[j, 1]
            known |= dx * dx + dy * dy < reach * reach
        if not known:
            hits[row, column] = min(hits[row, column] + _HIT, _MOST)


@njit
def _prices(hits: NDArray[np.int8], radius: float, clear: float) -> Floats:
    """Return the price of each cell: inf within ``radius`` of a hit, 1 beyond ``clear``."""
    rows, columns = hits.shape
    prices, reach = np.ones((rows, columns)), math.ceil(clear)
    for row in range(rows):
        for column in range(columns):
            if hits[row, column] == 0:
                continue
            for y in range(max(0, row - reach), min(rows, row + reach + 1)):
                for x in range(max(0, column - reach), min(columns, column + reach + 1)):
                    apart = math.sqrt(float((y - row) ** 2 + (x - column) ** 2))
                    if apart < radius:
                        prices[y, x] = math.inf
                    elif apart < clear:
                        share = (clear - apart) / (clear - radius)
                        prices[y, x] = max(prices[y, x], 1.0 + DEAR * share * share)
    return prices


@njit
def _is_free(prices: Floats, a: Floats, b: Floats) -> bool:
    """Tell whether the body may go straight from one place to another (cells)."""
    dx, dy = b[0] - a[0], b[1] - a[1]
    steps = int(math.sqrt(dx * dx + dy * dy)) + 1
    for k in range(1, steps + 1):
        row, column = int(a[1] + dy * k / steps), int(a[0] + dx * k / steps)
        if not (0 <= row < prices.shape[0] and 0 <= column < prices.shape[1]) or (
                prices[row, column] == math.inf):
            return False
    return True


class _Inner(Protocol):
    def step(self, observation: Observation, rng: np.random.Generator) -> tuple[float, float]:
        """Return (vx in m/s, omega in rad/s)."""


class _Planned:
    """A controller that is handed the sub-goals of a planner.

    Parameters
    ----------
    place : of the robot
    clearance, ahead : of the planner (m)
    inner : parameters of the inner controller

    """

    takes_place = True

    def __init__(self, place: Place | None = None, clearance: float = 0.3, ahead: float = 1.5,
                 **inner: Any) -> None:  # noqa: ANN401 - of the inner controller
        assert place is not None
        self._planner, self._ahead = Planner(place, clearance), ahead
        self._inner = self._made(place, inner)

    def _made(self, place: Place, inner: dict[str, Any]) -> _Inner:
        raise NotImplementedError

    def step(self, observation: Observation, rng: np.random.Generator) -> tuple[float, float]:
        """Return (vx in m/s, omega in rad/s)."""
        if observation.goal is not None and np.isfinite(
                observation.poses[observation.robot_id]).all():
            observation = observation._replace(
                goal=self._planner.sub_goal(observation, self._ahead))
        return self._inner.step(observation, rng)


class AstarDwa(_Planned):
    """A* before the dynamic window."""

    def _made(self, place: Place, inner: dict[str, Any]) -> _Inner:
        return Dwa(DwaParameters(**inner), place.body, place.mount)


class AstarOrca(_Planned):
    """A* before ORCA of navground."""

    def _made(self, place: Place, inner: dict[str, Any]) -> _Inner:
        from sbot.controllers.navground import NavgroundController  # an optional library
        return NavgroundController('navground:ORCA', place.body, inner, place.mount)
