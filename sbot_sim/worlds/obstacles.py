"""Obstacles of a simulation that move: a tick among them, and what sensors see of them.

Those on a path are circles of the world at each tick; boxes are bodies that collide with the
robots and are displaced with them. All tables of the world are made anew when any has moved, so
sensors and lines of sight treat them as any other circle or rectangle.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sbot_sim.collision.fixed_objects import FixedObjects, make_fixed_objects
from sbot_sim.collision.moving_bodies import Movers, separate_shapes
from sbot_sim.collision.overlap import TOLERANCE
from sbot_sim.collision.rectangle_overlap import corners_at, depths_of_discs
from sbot_sim.collision.separation import Separation, separate
from sbot_sim.world.bodies import BodyArrays
from sbot_sim.world.boxes import world_with_boxes
from sbot_sim.world.geometry import World
from sbot_sim.world.moving import Ticks, disc_positions, discs_met, world_with
from sbot_sim.worlds.parameters import Obstacles, SimulationParameters, reach_of, tables_of

Array = NDArray[np.float64]


def place_obstacles(parameters: SimulationParameters, moved: Ticks | None,
                    boxes: Array | None) -> SimulationParameters:
    """Return the parameters with the obstacles where they are.

    Parameters
    ----------
    parameters : of the world
    moved : (M,) in how many ticks those on a path have moved; None: there are no obstacles
    boxes : (B, 3) poses of boxes; None: there are no obstacles

    """
    obstacles = parameters.obstacles
    if obstacles is None or moved is None or boxes is None:
        return parameters
    world = world_with_boxes(world_with(obstacles.still, obstacles.discs, moved),
                             obstacles.boxes.bodies, boxes)
    if (np.array_equal(world.circles, parameters.world.circles)
            and np.array_equal(world.rectangles, parameters.world.rectangles)):
        return parameters
    return tables_of(parameters, world, obstacles)


def all_bodies(parameters: SimulationParameters, moved: Ticks | None, boxes: Array | None,
               pose: Array) -> tuple[World, BodyArrays, Array, Movers | None]:
    """Return what may overlap: fixed objects and obstacles on paths; robots, and then boxes.

    Parameters
    ----------
    parameters, moved, boxes : as of ``place_obstacles``
    pose : (N, 3) x, y (m), yaw (rad) of the robots

    Returns
    -------
    The world, and of N + B bodies their arrays, poses (N + B, 3) and shapes.

    """
    obstacles = parameters.obstacles
    if obstacles is None or moved is None:
        return parameters.world, parameters.bodies, pose, parameters.movers
    return (world_with(obstacles.still, obstacles.discs, moved), obstacles.bodies,
            pose if boxes is None else np.vstack([pose, boxes]), obstacles.movers)


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


def separate_among(obstacles: Obstacles, moved: Ticks, boxes: Array, pose: Array,
                   proposed: Array) -> tuple[Separation, Ticks, Array]:
    """Return the outcome of collisions, and the obstacles one tick on: counts (M,), boxes (B, 3).

    An obstacle on a path pushes robots and boxes out of its way as a wall would. Where one cannot
    get out, as it stands against a wall or others, the obstacle waits for that tick: nothing
    overlaps. A box is where it was unless something pushes it.

    Parameters
    ----------
    obstacles : of the world
    moved : (M,) in how many ticks those on a path have moved so far
    boxes : (B, 3) where the boxes are
    pose : (N, 3) of the robots, free of overlaps with everything
    proposed : (N, 3) where the robots would be without collisions

    """
    bodies, movers, n = obstacles.bodies, obstacles.movers, len(pose)
    before, goal = np.vstack([pose, boxes]), np.vstack([proposed, boxes])
    radius, waits = reach_of(bodies, movers), np.zeros(len(moved), np.bool_)
    while True:  # at least one obstacle more waits each time
        after = moved + np.where(waits, 0, 1)
        fixed = obstacles.fixed if not len(moved) else make_fixed_objects(
            world_with(obstacles.still, obstacles.discs, after), radius)
        outcome = separated(fixed, bodies, movers, before, goal)
        blocked = _met(obstacles, after, outcome.pose) & ~waits
        if not blocked.any():
            break
        waits |= blocked
    robots = Separation(outcome.pose[:n], outcome.displacement[:n], outcome.collided[:n],
                        outcome.reverted[:n], outcome.passes)
    if len(boxes) and movers is not None:
        # As among discs alone, one that goes back may turn.
        turns = (movers.size[:n, 0] == 0.0) & np.isfinite(proposed).all(axis=1)
        robots.pose[turns, 2] = proposed[turns, 2]
    return robots, after, outcome.pose[n:]


def _met(obstacles: Obstacles, moved: Ticks, pose: Array) -> NDArray[np.bool_]:
    """Return which obstacles on a path (M,) overlap robots and boxes at ``pose`` (N + B, 3)."""
    discs, bodies, movers = obstacles.discs, obstacles.bodies, obstacles.movers
    if movers is None:
        return discs_met(discs, moved, pose, bodies.safety_radius, TOLERANCE)
    flat = movers.size[:, 0] > 0.0
    met = discs_met(discs, moved, pose[~flat], bodies.safety_radius[~flat], TOLERANCE)
    corners = corners_at(pose[flat], movers.offset[flat, 0], movers.size[flat, :2])
    _, which, depth = depths_of_discs(corners, np.column_stack([disc_positions(discs, moved),
                                                                discs.radius]))
    met[which[depth > TOLERANCE]] = True
    return met
