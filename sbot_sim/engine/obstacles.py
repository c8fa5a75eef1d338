"""Moving obstacles of a simulation: a tick among them, and what sensors see of them.

They are circles of the world at each tick. All tables of the world are made anew when they have
moved, so collisions, sensors and lines of sight treat them as any other circle.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sbot_sim.collision.fixed_objects import make_fixed_objects
from sbot_sim.collision.overlap import TOLERANCE
from sbot_sim.collision.separation import Separation, separate
from sbot_sim.engine.parameters import Obstacles, SimulationParameters, tables_of
from sbot_sim.world.geometry import World
from sbot_sim.world.moving import Ticks, discs_met, world_with

Array = NDArray[np.float64]


def place_obstacles(parameters: SimulationParameters,
                    moved: Ticks | None) -> SimulationParameters:
    """Return the parameters with the obstacles where they are after ``moved`` (M,) ticks."""
    if parameters.obstacles is None:
        return parameters
    return tables_of(parameters, place_world(parameters, moved), parameters.obstacles)


def place_world(parameters: SimulationParameters, moved: Ticks | None) -> World:
    """Return the world with the obstacles where they are after ``moved`` (M,) ticks."""
    obstacles = parameters.obstacles
    if obstacles is None or moved is None:
        return parameters.world
    return world_with(obstacles.still, obstacles.discs, moved)


def separate_among(parameters: SimulationParameters, obstacles: Obstacles, moved: Ticks,
                   pose: Array, proposed: Array) -> tuple[Separation, Ticks]:
    """Return the outcome of collisions with the obstacles one tick on, and their new counts (M,).

    An obstacle pushes robots out of its way as a wall would. Where a robot cannot get out, as it
    stands against a wall or others, the obstacle waits for that tick: robots overlap nothing.

    Parameters
    ----------
    parameters : the world
    obstacles : the same parameters'
    moved : (M,) in how many ticks they have moved so far
    pose : (N, 3) of the robots, free of overlaps with everything
    proposed : (N, 3) where the robots would be without collisions

    """
    radius, waits = parameters.bodies.safety_radius, np.zeros(len(moved), np.bool_)
    while True:  # at least one obstacle more waits each time
        after = moved + np.where(waits, 0, 1)
        fixed = make_fixed_objects(world_with(obstacles.still, obstacles.discs, after), radius)
        outcome = separate(fixed, radius, pose, proposed)
        blocked = discs_met(obstacles.discs, after, outcome.pose, radius, TOLERANCE) & ~waits
        if not blocked.any():
            return outcome, after
        waits |= blocked
