"""From a scenario's world, as written, to the simulator's arrays."""

from __future__ import annotations

from sbot_bringup.scenario import MAX_COORDINATE, World
from sbot_sim.world import World as WorldArrays
from sbot_sim.world import make_world

# Where a map alone makes the world, its own edges are the bounds; until then nothing is outside.
_NO_BOUNDS = (-10 * MAX_COORDINATE, -10 * MAX_COORDINATE, 10 * MAX_COORDINATE, 10 * MAX_COORDINATE)


def world_arrays(world: World) -> WorldArrays:
    """Return bounds, segments, circles and rectangles as arrays; rows in the order of the file."""
    return make_world(
        world.bounds or _NO_BOUNDS,
        world.segments,
        [(*circle.center, circle.radius) for circle in world.circles],
        [(*box.center, *box.size, box.yaw) for box in world.rectangles])
