"""Moving obstacles of a simulation: a tick among them, and what sensors see of them.

They are circles of the world at each tick. All tables of the world are made anew when they have
moved, so collisions, sensors and lines of sight treat them as any other circle.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sbot_sim.collision.fixed_objects import FixedObjects, make_fixed_objects
from sbot_sim.collision.moving_bodies import Movers, separate_shapes
from sbot_sim.collision.overlap import TOLERANCE
from sbot_sim.collision.rectangle_overlap import corners_at, depths_of_discs
from sbot_sim.collision.separation import Separation, separate
from sbot_sim.engine.parameters import Obstacles, SimulationParameters, reach_of, tables_of
from sbot_sim.world.bodies import BodyArrays
from sbot_sim.world.geometry import World
from sbot_sim.world.moving import Ticks, disc_positions, discs_met, world_with

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


def separated(fixed: FixedObjects, bodies: BodyArrays, movers: Movers | None, pose: Array,
              proposed: Array) -> Separation:
    """Return the outcome of collisions, of discs alone or of ``movers`` of any shape.

    Parameters
    ----------
    fixed, bodies, movers : the world, and N robots
    pose, proposed : (N, 3) where they are, and would be without collisions

    """
    if movers is None:
        return separate(fixed, bodies.safety_radius, pose, proposed)
    return separate_shapes(fixed, movers, pose, proposed)


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
    bodies, movers = parameters.bodies, parameters.movers
    radius, waits = reach_of(bodies, movers), np.zeros(len(moved), np.bool_)
    while True:  # at least one obstacle more waits each time
        after = moved + np.where(waits, 0, 1)
        fixed = make_fixed_objects(world_with(obstacles.still, obstacles.discs, after), radius)
        outcome = separated(fixed, bodies, movers, pose, proposed)
        blocked = _met(obstacles, after, outcome.pose, bodies, movers) & ~waits
        if not blocked.any():
            return outcome, after
        waits |= blocked


def _met(obstacles: Obstacles, moved: Ticks, pose: Array, bodies: BodyArrays,
         movers: Movers | None) -> NDArray[np.bool_]:
    """Return which obstacles (M,) overlap a robot at ``pose`` (N, 3)."""
    discs = obstacles.discs
    if movers is None:
        return discs_met(discs, moved, pose, bodies.safety_radius, TOLERANCE)
    flat = movers.size[:, 0] > 0.0
    met = discs_met(discs, moved, pose[~flat], bodies.safety_radius[~flat], TOLERANCE)
    corners = corners_at(pose[flat], movers.offset[flat, 0], movers.size[flat, :2])
    _, which, depth = depths_of_discs(corners, np.column_stack([disc_positions(discs, moved),
                                                                discs.radius]))
    met[which[depth > TOLERANCE]] = True
    return met
