"""Fixed objects of several layouts in shared arrays, and those of one layout as views of them.

Worlds of a batch stand in one layout each: all in the same, or each in its own. Where obstacles
move, each world has its own, with room to spare, and it is written anew at each tick.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot_common.compiled.jit import by_address, njit_inline
from sbot_common.spatial import BucketGrid
from sbot_sim.collision.fixed_objects import FixedObjects
from sbot_sim.world.scene import Scene

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@by_address
class Rows(NamedTuple):
    """Arrays of several layouts, one after the other, perhaps with room between them."""

    values: NDArray[Any]
    starts: Integers  # (layouts,)
    ends: Integers  # (layouts,)


@by_address
class Grids(NamedTuple):
    """``BucketGrid`` of each layout."""

    numbers: Floats  # (layouts, 3) x0, y0, cell
    shape: Integers  # (layouts, 2) nx, ny
    starts: Rows
    items: Rows


@by_address
class FixedLayouts(NamedTuple):
    """``FixedObjects`` of each layout."""

    bounds: Floats  # (layouts, 4)
    boxes: Rows
    grids: Grids
    largest_radius: Floats  # (layouts,)


@by_address
class Scenes(NamedTuple):
    """``Scene`` of each layout."""

    segments: Rows
    circles: Rows
    segment_grids: Grids
    circle_grids: Grids
    reach: Floats  # (layouts,)


def _rows(arrays: Sequence[NDArray[Any]], room: float) -> Rows:
    lengths = np.array([len(array) for array in arrays], np.int64)
    starts = np.cumsum([0, *np.ceil(room * lengths)]).astype(np.int64)
    values = np.zeros((starts[-1], *arrays[0].shape[1:]), arrays[0].dtype)
    rows = Rows(values, starts[:-1].copy(), starts[:-1] + lengths)
    for k, array in enumerate(arrays):
        values[rows.starts[k]:rows.ends[k]] = array
    return rows


def _grids(grids: Sequence[BucketGrid | FixedObjects], room: float) -> Grids:
    return Grids(np.array([(g.x0, g.y0, g.cell) for g in grids]),
                 np.array([(g.nx, g.ny) for g in grids], np.int64),
                 _rows([g.starts for g in grids], room), _rows([g.items for g in grids], room))


def pack_fixed(layouts: Sequence[FixedObjects]) -> FixedLayouts:
    """Return the tables of collisions of all layouts in shared arrays."""
    return FixedLayouts(np.array([fixed.bounds for fixed in layouts]),
                        _rows([fixed.boxes for fixed in layouts], 1.0), _grids(layouts, 1.0),
                        np.array([fixed.largest_radius for fixed in layouts]))


def pack_scenes(scenes: Sequence[Scene], room: float = 1.0) -> Scenes:
    """Return the scenes of all layouts for sensors, in shared arrays.

    Each has ``room`` times what it needs, for ``replace_scene``.
    """
    return Scenes(_rows([scene.segments for scene in scenes], room),
                  _rows([scene.circles for scene in scenes], room),
                  _grids([scene.segment_grid for scene in scenes], room),
                  _grids([scene.circle_grid for scene in scenes], room),
                  np.array([float(scene.reach) for scene in scenes]))


def replace_scene(scenes: Scenes, k: int, scene: Scene, circles_alone: bool = False) -> bool:
    """Update the scene of layout k for sensors; False, without a change, if there is no room.

    ``circles_alone``: segments are where they were.
    """
    replaced = [(scenes.circle_grids, scene.circle_grid)]
    new: list[tuple[Rows, NDArray[Any]]] = [(scenes.circles, scene.circles)]
    if not circles_alone:
        replaced.append((scenes.segment_grids, scene.segment_grid))
        new.append((scenes.segments, scene.segments))
    for grids, grid in replaced:
        new += [(grids.starts, grid.starts), (grids.items, grid.items)]
    for rows, array in new:
        last = k + 1 == len(rows.starts)
        if len(array) > (len(rows.values) if last else rows.starts[k + 1]) - rows.starts[k]:
            return False
    for rows, array in new:
        rows.ends[k] = rows.starts[k] + len(array)
        rows.values[rows.starts[k]:rows.ends[k]] = array
    for grids, grid in replaced:
        grids.numbers[k] = grid.x0, grid.y0, grid.cell
        grids.shape[k] = grid.nx, grid.ny
    return True


@njit_inline
def _of(rows: Rows, k: int) -> NDArray[Any]:
    return rows.values[rows.starts[k]:rows.ends[k]]


@njit_inline
def _grid_of(grids: Grids, k: int) -> BucketGrid:
    return BucketGrid(grids.numbers[k, 0], grids.numbers[k, 1], grids.numbers[k, 2],
                      grids.shape[k, 0], grids.shape[k, 1], _of(grids.starts, k),
                      _of(grids.items, k))


@njit_inline
def fixed_of(layouts: FixedLayouts, k: int) -> FixedObjects:
    """Return the fixed objects of layout k, as views."""
    grid = _grid_of(layouts.grids, k)
    return FixedObjects(layouts.bounds[k], _of(layouts.boxes, k), grid.x0, grid.y0, grid.cell,
                        grid.nx, grid.ny, grid.starts, grid.items, layouts.largest_radius[k])


@njit_inline
def scene_of(scenes: Scenes, k: int) -> Scene:
    """Return the scene of layout k for sensors, as views."""
    return Scene(_of(scenes.segments, k), _of(scenes.circles, k),
                 _grid_of(scenes.segment_grids, k), _grid_of(scenes.circle_grids, k),
                 scenes.reach[k])
