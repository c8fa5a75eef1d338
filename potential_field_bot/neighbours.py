"""Repulsion between many robots by a bucket grid.

Robots beyond the relevance distance push with exactly zero, and adding zero to a sum that started
at zero changes no bit. So it is enough to visit those in the cells around a robot, as long as they
are added in order of their numbers, as the document's loop does (section 8).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from potential_field_bot.forces import Force, repulsion_reach, repulsions
from potential_field_bot.parameters import Parameters
from sbot_common.compiled.jit import njit, njit_inline, njit_inner
from sbot_common.elementary import atan2_of
from sbot_common.spatial import BucketGrid, cell_index, grid_around_points

Floats = NDArray[np.float64]
Numbers = NDArray[np.int64]

_LEAST_CELL = 1e-9  # m
_WIDER = 1.0 + 1e-9  # a square of the reach, so that rounding loses nobody
_FEW = 20  # numbers that are sorted by insertion alone


class Scratch(NamedTuple):
    """Working memory for ``nearby_repulsion`` among N robots, (N,) each."""

    number: Numbers
    dx: Floats  # m
    dy: Floats  # m
    distance: Floats  # m
    angle: Floats  # rad
    x: Floats
    y: Floats


@njit
def make_scratch(robots: int) -> Scratch:
    """Return working memory for so many robots."""
    return Scratch(np.empty(robots, np.int64), np.empty(robots), np.empty(robots),
                   np.empty(robots), np.empty(robots), np.empty(robots), np.empty(robots))


@njit
def repulsion_grid(p: Parameters, poses: NDArray[np.float64]) -> BucketGrid:
    """Return the grid of all robots' positions for ``nearby_repulsion``; ``poses`` is (N, 3)."""
    return grid_around_points(poses, max(repulsion_reach(p), _LEAST_CELL))


def one_cell(robots: int) -> BucketGrid:
    """Return a grid of one cell that lists so many robots: for few turns, whatever the poses."""
    return BucketGrid(0.0, 0.0, 1.0, 1, 1, np.array([0, robots], np.int32),
                      np.arange(robots, dtype=np.int32))


@njit_inline
def _number_those_near(reach: float, robot_id: int, poses: Floats, grid: BucketGrid,
                       number: Numbers) -> int:
    """Write the numbers of the robots within ``reach`` (m), the leader left out; return how many.

    They are in the grid's order, and may be a few more.
    """
    x, y, far = poses[robot_id, 0], poses[robot_id, 1], reach * reach * _WIDER
    column = cell_index(x, grid.x0, grid.cell, grid.nx)
    row = cell_index(y, grid.y0, grid.cell, grid.ny)
    left, right = max(column - 1, 0), min(column + 1, grid.nx - 1)
    count = np.uint64(0)
    for r in range(max(row - 1, 0), min(row + 2, grid.ny)):
        # Cells of a row follow each other.
        for entry in range(np.uint64(grid.starts[r * grid.nx + left]),
                           np.uint64(grid.starts[r * grid.nx + right + 1])):
            j = grid.items[entry]
            dx, dy = x - poses[j, 0], y - poses[j, 1]
            number[count] = j
            count += np.uint64((dx * dx + dy * dy <= far) & (j != 0) & (j != robot_id))
    return int(count)


@njit_inner
def _sort(number: Numbers) -> None:
    """Sort numbers (M,), usually a dozen, in place: Shell's sort, by insertion at last.

    numba's own sort would take longer to compile than the repulsion.
    """
    gap = 1
    while gap < len(number) // _FEW:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(gap, len(number)):
            value, k = number[i], i
            while k >= gap and number[k - gap] > value:
                number[k] = number[k - gap]
                k -= gap
            number[k] = value
        gap //= 3


@njit
def nearby_repulsion(p: Parameters, robot_id: int, poses: Floats, grid: BucketGrid,
                     scratch: Scratch) -> Force:
    """Return the push of all robots but the leader on one robot, from the cells around it.

    Document 001 section 8, with a sum that starts at zero (docs/errata.md P10). Distances are
    between centres, radii left out (P12).

    Parameters
    ----------
    p : the constants
    robot_id : whom the others push
    poses : (N, 3) x, y (m), yaw (rad) in `map`
    grid : ``repulsion_grid(p, poses)`` or ``one_cell(N)``
    scratch : ``make_scratch(N)``

    """
    x, y = poses[robot_id, 0], poses[robot_id, 1]
    if not (math.isfinite(x) and math.isfinite(y)):
        return 0.0, 0.0
    count = _number_those_near(repulsion_reach(p), robot_id, poses, grid, scratch.number)
    number = scratch.number[:count]
    _sort(number)  # the document adds in the order of the robots' numbers
    dx, dy, distance, angle = (scratch.dx[:count], scratch.dy[:count], scratch.distance[:count],
                               scratch.angle[:count])
    for k in range(count):
        dx[k], dy[k] = x - poses[number[k], 0], y - poses[number[k], 1]
        distance[k] = math.sqrt(dx[k] * dx[k] + dy[k] * dy[k])
    atan2_of(dy, dx, angle)
    repulsions(p, distance, angle, scratch.x, scratch.y)
    fx, fy = 0.0, 0.0
    for k in range(count):
        fx += scratch.x[k]
        fy += scratch.y[k]
    return fx * p.other_repulsion_factor, fy * p.other_repulsion_factor
