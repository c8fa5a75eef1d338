"""Range and bearing: who hears whom, how far away and where (document 000 section 5.5)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sbot_common.angles import wrap_angle
from sbot_common.jit import njit, njit_inner
from sbot_common.params import Spec
from sbot_common.spatial import cell_index, grid_of_points, grid_shape
from sbot_sim.world.line_of_sight import blocked, empty_scene, sight_scene
from sbot_sim.world.scene import Scene

if TYPE_CHECKING:
    from sbot_sim.world.geometry import World

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


@njit_inner
def _doubled(pairs: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the rows of ``pairs`` followed by room for as many."""
    longer = np.empty((2 * pairs.shape[0], 2), np.int64)
    for p in range(pairs.shape[0]):
        longer[p, 0], longer[p, 1] = pairs[p, 0], pairs[p, 1]
    return longer


@njit
def _pairs(pose: Array, reach: float, scene: Scene, walls: bool) -> NDArray[np.int64]:
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
                    if walls and blocked(x, y, pose[j, 0], pose[j, 1], scene):
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
    scene = empty_scene() if world is None else sight_scene(world)
    return _rows(pose, _pairs(pose, reach, scene, world is not None))
