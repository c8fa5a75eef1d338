"""Range and bearing: who hears whom, how far away and where (document 000 section 5.5)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sbot_common.angles import wrap_angle
from sbot_common.jit import njit
from sbot_common.specs import Spec
from sbot_sim.grid import cell_index, grid_of_points, grid_shape

if TYPE_CHECKING:
    from sbot_sim.world import World

Array = NDArray[np.float64]
Heard = tuple[NDArray[np.int64], NDArray[np.int64], Array, Array]

RAB_SPECS = (
    Spec('range_and_bearing', False, '', 'Robots broadcast ten bytes and hear their neighbours.',
         '000 section 5.1'),
    Spec('rab_range', 3.0, 'm', 'Greatest distance between centres at which robots hear.',
         '000 section 5.5', 0.0),
    Spec('rab_blocked_by_walls', True, '',
         'Walls and obstacles stop the broadcast, robots do not.',
         '000 section 5.5'),
)

DATA_BYTES = 10

# A cell is a little wider than the range, so that rounding cannot put a neighbour two cells away.
_SLACK = 1e-9


@njit
def _side(ax: float, ay: float, bx: float, by: float, px: float, py: float) -> float:
    """Return on which side of the line a b the point p lies: > 0 left, < 0 right, 0 on it."""
    return (bx - ax) * (py - ay) - (by - ay) * (px - ax)


@njit
def segments_meet(ax: float, ay: float, bx: float, by: float,
                  cx: float, cy: float, dx: float, dy: float) -> bool:
    """Tell whether the segments a b and c d have a point in common; touching counts."""
    if max(ax, bx) < min(cx, dx) or max(cx, dx) < min(ax, bx):
        return False
    if max(ay, by) < min(cy, dy) or max(cy, dy) < min(ay, by):
        return False
    c, d = _side(ax, ay, bx, by, cx, cy), _side(ax, ay, bx, by, dx, dy)
    if (c > 0 and d > 0) or (c < 0 and d < 0):
        return False
    a, b = _side(cx, cy, dx, dy, ax, ay), _side(cx, cy, dx, dy, bx, by)
    return not ((a > 0 and b > 0) or (a < 0 and b < 0))


@njit
def segment_meets_disc(ax: float, ay: float, bx: float, by: float,
                       x: float, y: float, radius: float) -> bool:
    """Tell whether the segment a b comes closer than ``radius`` to (x, y)."""
    ux, uy = bx - ax, by - ay
    square = ux * ux + uy * uy
    t = 0.0
    if square > 0.0:
        t = min(1.0, max(0.0, ((x - ax) * ux + (y - ay) * uy) / square))
    ex, ey = ax + t * ux - x, ay + t * uy - y
    return ex * ex + ey * ey < radius * radius


@njit
def _blocked(ax: float, ay: float, bx: float, by: float, segments: Array, circles: Array) -> bool:
    """Tell whether a wall or a disc stands between a and b."""
    for s in range(segments.shape[0]):
        x0, y0, x1, y1 = segments[s, 0], segments[s, 1], segments[s, 2], segments[s, 3]
        if segments_meet(ax, ay, bx, by, x0, y0, x1, y1):
            return True
    for c in range(circles.shape[0]):
        if segment_meets_disc(ax, ay, bx, by, circles[c, 0], circles[c, 1], circles[c, 2]):
            return True
    return False


@njit
def _doubled(pairs: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the rows of ``pairs`` followed by room for as many."""
    longer = np.empty((2 * pairs.shape[0], 2), np.int64)
    for p in range(pairs.shape[0]):
        longer[p, 0], longer[p, 1] = pairs[p, 0], pairs[p, 1]
    return longer


@njit
def _pairs(pose: Array, reach: float, segments: Array, circles: Array) -> NDArray[np.int64]:
    """Return the pairs (i, j), i < j, that hear each other, shape (K, 2), i increasing."""
    count = pose.shape[0]
    limit = 2 * int(math.sqrt(count)) + 1
    x0, y0, x1, y1 = pose[0, 0], pose[0, 1], pose[0, 0], pose[0, 1]
    for i in range(1, count):
        x0, x1 = min(x0, pose[i, 0]), max(x1, pose[i, 0])
        y0, y1 = min(y0, pose[i, 1]), max(y1, pose[i, 1])
    width = max(reach * (1.0 + _SLACK), _SLACK)
    cell, nx, ny = grid_shape(x0, y0, x1, y1, width, limit)
    grid = grid_of_points(pose, cell, x0, y0, nx, ny)
    pairs = np.empty((4 * count, 2), np.int64)
    found = 0
    for i in range(count):
        x, y = pose[i, 0], pose[i, 1]
        column, row = cell_index(x, x0, cell, nx), cell_index(y, y0, cell, ny)
        for r in range(max(0, row - 1), min(ny, row + 2)):
            for k in range(r * nx + max(0, column - 1), r * nx + min(nx, column + 2)):
                for item in range(grid.starts[k], grid.starts[k + 1]):
                    j = grid.items[item]
                    if j <= i:
                        continue
                    dx, dy = pose[j, 0] - x, pose[j, 1] - y
                    if not math.sqrt(dx * dx + dy * dy) <= reach:
                        continue
                    if _blocked(x, y, pose[j, 0], pose[j, 1], segments, circles):
                        continue
                    if found == pairs.shape[0]:
                        pairs = _doubled(pairs)
                    pairs[found, 0], pairs[found, 1] = i, j
                    found += 1
    return pairs[:found]  # a view; the caller goes through it once


@njit
def _rows(pose: Array, pairs: NDArray[np.int64]) -> Heard:
    """Return the pairs as compressed rows, both ways round, each row in order of robot id."""
    count, found = pose.shape[0], pairs.shape[0]
    starts = np.zeros(count + 1, np.int64)
    for p in range(found):
        starts[pairs[p, 0] + 1] += 1
        starts[pairs[p, 1] + 1] += 1
    for i in range(count):
        starts[i + 1] += starts[i]
    # Transposing compressed rows orders them: go through the unordered rows by sender, and append
    # the sender to each of its receivers.
    unordered = np.empty(2 * found, np.int64)
    ends = starts[:-1].copy()
    for p in range(found):
        for side in range(2):
            receiver, sender = pairs[p, side], pairs[p, 1 - side]
            unordered[ends[receiver]] = sender
            ends[receiver] += 1
    indexes = np.empty(2 * found, np.int64)
    ranges = np.empty(2 * found)
    bearings = np.empty(2 * found)
    ends = starts[:-1].copy()
    for sender in range(count):
        for p in range(starts[sender], starts[sender + 1]):
            receiver = unordered[p]
            dx = pose[sender, 0] - pose[receiver, 0]
            dy = pose[sender, 1] - pose[receiver, 1]
            place = ends[receiver]
            indexes[place] = sender
            ranges[place] = math.sqrt(dx * dx + dy * dy)
            bearings[place] = wrap_angle(math.atan2(dy, dx) - pose[receiver, 2])
            ends[receiver] += 1
    return starts, indexes, ranges, bearings


def neighbours(pose: Array, reach: float, world: World | None) -> Heard:
    """Return whom each robot hears, in order of robot id.

    Parameters
    ----------
    pose : (N, 3) x, y (m), yaw (rad), frame `map`
    reach : m, greatest distance between centres, included
    world : walls and obstacles that stop a broadcast; None: nothing does

    Returns
    -------
    starts : (N + 1,); robot i hears ``indexes[starts[i]:starts[i + 1]]``
    indexes : (P,) robot ids
    ranges : (P,) m, centre to centre
    bearings : (P,) rad from the receiver's heading, in [-pi, pi)

    """
    if pose.shape[0] == 0:
        return np.zeros(1, np.int64), np.zeros(0, np.int64), np.zeros(0), np.zeros(0)
    segments = np.empty((0, 4)) if world is None else world.segments
    circles = np.empty((0, 3)) if world is None else world.circles
    return _rows(pose, _pairs(pose, reach, segments, circles))
