# SPDX-License-Identifier: Apache-2.0
"""World of a scenario as the simulator's arrays."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sbot.scenario.model import World
from sbot_common.clock import Rate
from sbot_common.errors import bad_value
from sbot_sim.collision.overlap import BOUND, CELLS, CIRCLE, POLYGON, RECTANGLE, SEGMENT
from sbot_sim.world.bodies import Body, body_arrays
from sbot_sim.world.geometry import World as WorldArrays
from sbot_sim.world.geometry import cells_bounds, make_world
from sbot_sim.world.moving import Paths, make_box, make_paths, world_with, world_with_boxes

_BOUNDS = ('xmin', 'ymin', 'xmax', 'ymax')


def world_arrays(world: World) -> WorldArrays:
    """Return bounds and obstacles as arrays; rows in the order of the file.

    A map's outlines are the last of the free segments. Where a map alone makes the world, its
    edges are the bounds. An open world has no walls there.

    Raises
    ------
    InputError
        if the map cannot be read; its path must be absolute by now.

    """
    cells = None
    if world.map:
        from sbot.scenario.maps import load_map  # imports what reads pictures
        cells = load_map(world.map)
    bounds = world.bounds or (cells_bounds(cells) if cells is not None else None)
    if bounds is None:
        raise bad_value('world.bounds', None, '[xmin, ymin, xmax, ymax] (m)')
    return make_world(
        bounds,
        world.segments,
        [(*circle.center, circle.radius) for circle in world.circles],
        [(*box.center, *box.size, box.yaw) for box in world.rectangles],
        cells, has_walls=not world.open, polygons=[each.corners for each in world.polygons])


def obstacle_paths(world: World, rate: Rate) -> Paths | None:
    """Return the obstacles that move; None where there are none."""
    if not world.moving:
        return None
    return make_paths([(disc.radius, disc.speed, disc.path, disc.at_end == 'turn')
                       for disc in world.moving], rate.dt)


def box_bodies(world: World) -> list[Body]:
    """Return the boxes that robots can push."""
    return [make_box(*(box.size or (0.0, 0.0)), box.radius or 0.0, box.mass)
            for box in world.boxes]


def box_poses(world: World) -> NDArray[np.float64]:
    """Return where the boxes are at tick 0: (B, 3) x, y (m), yaw (rad)."""
    return np.array([(*box.center, 0.0 if box.size is None else box.yaw)
                     for box in world.boxes], np.float64).reshape(-1, 3)


def solid_names(world: World, arrays: WorldArrays, kind: int, row: int) -> str:
    """Return the name in messages of an object that ``find_overlaps`` has found."""
    if kind == BOUND:
        return f'{_BOUNDS[row]} of world.bounds'
    if kind == CELLS or (kind == SEGMENT and row >= len(arrays.given_segments)):
        return 'world.map'
    flat = [k for k, box in enumerate(world.boxes) if box.size is not None]
    round_ones = [k for k, box in enumerate(world.boxes) if box.size is None]
    lists: dict[int, list[tuple[str, Sequence[object]]]] = {
        SEGMENT: [('segments', world.segments)],
        CIRCLE: [('circles', world.circles), ('moving', world.moving)],
        RECTANGLE: [('rectangles', world.rectangles)],
        POLYGON: [('polygons', world.polygons)]}
    for key, entries in lists[kind]:
        if row < len(entries):
            return f'world.{key}.{row}'
        row -= len(entries)
    return f'world.boxes.{(flat if kind == RECTANGLE else round_ones)[row]}'


def starting_world(world: World, *, with_boxes: bool = True) -> WorldArrays:
    """Return ``world_arrays`` with moving obstacles (and boxes) at their starts."""
    arrays, paths = world_arrays(world), obstacle_paths(world, Rate(1, 1))
    if paths is not None:
        arrays = world_with(arrays, paths, np.zeros(len(paths.radius), np.int64))
    if not (with_boxes and world.boxes):
        return arrays
    return world_with_boxes(arrays, body_arrays((), box_bodies(world)), box_poses(world))
