"""Robots of one world within the rows of all worlds, for collisions and sensors.

A world of few robots is one cell, whose items are the world's rows themselves: nothing is sorted
and nothing copied. Of more robots a grid is made, as in the engine.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sbot_common.compiled.jit import njit_inner
from sbot_common.spatial import BucketGrid
from sbot_sim.world.scene import Discs, sort_discs
from sbot_sim.worlds.state import Worlds

Floats = NDArray[np.float64]
Rows = NDArray[np.int32]


@njit_inner
def only_cell(ends: Rows, rows: Rows) -> BucketGrid:
    """Return a grid of one cell with the rows ends[0] … ends[1] - 1, whatever these are later."""
    return BucketGrid(0.0, 0.0, 1.0, 1, 1, ends, rows)


@njit_inner
def all_in_view(worlds: Worlds, radius: Floats, first: int, end: int, ends: Rows) -> Discs:
    """Return the discs of the rows first … end-1 in one cell; ``ends`` chooses a world of them."""
    largest = 0.0
    for i in range(first, end):
        worlds.x[i], worlds.y[i] = worlds.pose[i, 0], worlds.pose[i, 1]
        largest = max(largest, radius[i])
    return Discs(worlds.x, worlds.y, radius, worlds.row, only_cell(ends, worlds.row), largest)


@njit_inner
def discs_of_world(pose: Floats, radius: Floats, first: int, end: int, cell: float) -> Discs:
    """Return the discs of the rows first … end-1, sorted by cells of about ``cell`` (m)."""
    discs = sort_discs(pose[first:end], radius[first:end], cell)
    for k in range(end - first):
        discs.robot[k] += first
    return discs
