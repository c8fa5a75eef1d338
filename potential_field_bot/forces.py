# SPDX-License-Identifier: Apache-2.0
"""Forces on a robot, a function per formula (document 001, 4, 5, 7, 8, 11), among many by a grid.

Every function returns the components (x, y) in the frame `map` and keeps the order of operations
of the document's listing, so that the same numbers give the same bits. Forces have no unit of
their own: ``linear_scaler_lambda`` makes a speed of them. Where a formula and its listing disagree
on who owns a boundary, the listing decides (docs/errata.md P3).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from potential_field_bot.parameters import Parameters
from sbot_common.arrays import Floats, Integers
from sbot_common.compiled.jit import njit, njit_inline, njit_inner
from sbot_common.elementary import atan2_of, sincos, sincos_of
from sbot_common.spatial import BucketGrid, cell_index, grid_around_points

Force = tuple[float, float]


@njit
def leader_attraction(gamma: float, gx: float, gy: float, rx: float, ry: float) -> Force:
    """Return the pull of the goal (gx, gy) on a leader at (rx, ry) (m).

    Its size is gamma times the distance squared. Document 001 section 4.
    """
    sx = gx - rx
    sy = gy - ry
    ka = gamma * math.sqrt(sx * sx + sy * sy)
    return ka * sx, ka * sy


@njit
def follower_attraction(alpha: float, gamma: float, x0x: float, x0y: float, xjx: float,
                        xjy: float, r0: float, rj: float, d_safe: float, d_far: float) -> Force:
    """Return the force by which the leader at (x0x, x0y) acts on a follower at (xjx, xjy) (m).

    Between the rims' distances ``d_safe`` and ``d_far`` it is zero, closer it repels, farther it
    attracts; ``r0`` and ``rj`` are the radii of leader and follower (m). Document 001 section 5.
    """
    sx = x0x - xjx
    sy = x0y - xjy
    sm = math.sqrt(sx * sx + sy * sy)
    d = sm - (r0 + rj)
    if d < d_safe:
        ka = -alpha / (d * d * sm)
    elif d < d_far:
        return 0.0, 0.0
    else:
        ka = gamma * d * d / sm
    return ka * sx, ka * sy


@njit_inline
def _repulsion_size(alpha: float, distance: float, d_safe: float, epsilon: float,
                    beta: float) -> tuple[float, bool]:
    """Return the size of a push, and whether it is one; without a branch, for loops."""
    touching, beyond = distance < d_safe + epsilon, distance - d_safe
    size = alpha / (epsilon * epsilon if touching else beyond * beyond)
    return size, touching | (distance < beta)


@njit
def repulsions(p: Parameters, distance: Floats, angle: Floats, x: Floats, y: Floats) -> None:
    """Write the push of M things to x and y (M,).

    ``distance`` (m) is how far each is away, ``angle`` (rad) is from it to the robot. A NaN
    distance pushes nothing, a negative one as hard as anything can. Document 001 section 7.
    """
    sincos_of(angle, y, x)
    for i in range(distance.shape[0]):
        size, near = _repulsion_size(p.repulsion_constant_alpha, distance[i], p.safe_distance_m,
                                     p.error_constant_epsilon_m, p.relevance_distance_beta_m)
        x[i] = size * x[i] if near else 0.0
        y[i] = size * y[i] if near else 0.0


@njit_inline
def repels(p: Parameters, distance: float) -> bool:
    """Tell whether the push from so far (m) is more than zero; not for NaN."""
    return distance < _repulsion_reach(p)


@njit
def _repulsion_reach(p: Parameters) -> float:
    """Return the distance (m) from which on a push is zero."""
    return max(p.relevance_distance_beta_m, p.safe_distance_m + p.error_constant_epsilon_m)


@njit_inner
def staying_put_index(x: float, y: float, ema_x: float, ema_y: float) -> float:
    """Return 1/distance (1/m) between the position and its average: +inf where they are equal.

    Document 001 section 11, docs/errata.md P2.
    """
    ipx = x - ema_x
    ipy = y - ema_y
    return 1 / math.sqrt(ipx * ipx + ipy * ipy)


@njit
def random_force(zeta: float, p: float, u: float) -> Force:
    """Return the force of the drawn angle ``u`` (rad) for the staying-put index ``p`` (1/m).

    A constant of zero means no force, also where the index is infinite (docs/errata.md P15).
    Document 001 section 11.
    """
    if zeta == 0.0 and not math.isfinite(p):
        return 0.0, 0.0
    k = zeta * p
    sine, cosine = sincos(u)
    return k * cosine, k * sine


@njit_inner
def update_average(eta: float, average: float, value: float) -> float:
    """Return one coordinate of the moving average of the position (m).

    The listing discounts the old average first and then adds. Document 001 section 11.
    """
    discounted = average * (1 - eta)
    return discounted + eta * value


# Repulsion between many robots by a bucket grid.
#
# Robots beyond the relevance distance push with exactly zero, and adding zero to a sum that
# started at zero changes no bit. So it is enough to visit those in the cells around a robot, as
# long as they are added in order of their numbers, as the document's loop does (section 8).

_LEAST_CELL = 1e-9  # m
_WIDER = 1.0 + 1e-9  # a square of the reach, so that rounding loses nobody
_FEW = 20  # numbers that are sorted by insertion alone


class Scratch(NamedTuple):
    """Working memory for ``nearby_repulsion`` among N robots, (N,) each."""

    number: Integers
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
    return grid_around_points(poses, max(_repulsion_reach(p), _LEAST_CELL))


def one_cell(robots: int) -> BucketGrid:
    """Return a grid of one cell that lists so many robots: for few turns, whatever the poses."""
    return BucketGrid(0.0, 0.0, 1.0, 1, 1, np.array([0, robots], np.int32),
                      np.arange(robots, dtype=np.int32))


@njit_inline
def _number_those_near(reach: float, robot_id: int, poses: Floats, grid: BucketGrid,
                       number: Integers) -> int:
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
def _sort(number: Integers) -> None:
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
    count = _number_those_near(_repulsion_reach(p), robot_id, poses, grid, scratch.number)
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
