"""World of a scenario as the simulator's arrays."""

from __future__ import annotations

from sbot.scenario.maps import load_map
from sbot.scenario.model import World
from sbot_common.errors import bad_value
from sbot_sim.world.cell_map import cells_bounds
from sbot_sim.world.geometry import World as WorldArrays
from sbot_sim.world.geometry import make_world


def world_arrays(world: World) -> WorldArrays:
    """Return bounds, segments, circles and rectangles as arrays; rows in the order of the file.

    A map's outlines are the last of the free segments. Where a map alone makes the world, its
    edges are the bounds.

    Raises
    ------
    InputError
        if the map cannot be read; its path must be absolute by now.

    """
    cells = load_map(world.map) if world.map else None
    bounds = world.bounds or (cells_bounds(cells) if cells is not None else None)
    if bounds is None:
        raise bad_value('world.bounds', None, '[xmin, ymin, xmax, ymax] (m)')
    return make_world(
        bounds,
        world.segments,
        [(*circle.center, circle.radius) for circle in world.circles],
        [(*box.center, *box.size, box.yaw) for box in world.rectangles],
        cells)
