"""Checks of robot placement by a scenario or a teleport: obstacle, distance and message."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sbot_sim.collision.overlap import BOUND, CELLS, CIRCLE, PAIR, POLYGON, SEGMENT, find_overlaps
from sbot_sim.world.body_arrays import BodyArrays
from sbot_sim.world.geometry import World

Array = NDArray[np.float64]
_BOUNDS = ('xmin', 'ymin', 'xmax', 'ymax')


def _name_of(world: World, kind: int, other: int, pose: Array, robots: int) -> str:
    """Name what a robot overlaps, with its numbers."""
    if kind == PAIR:
        name = f'robot {other}' if other < robots else f'boxes[{other - robots}]'
        return f'{name} at ({pose[other, 0]:g}, {pose[other, 1]:g})'
    if kind == BOUND:
        return f'the bound {_BOUNDS[other]} = {world.bounds[other]:g}'
    if kind == CELLS or (kind == SEGMENT and other >= len(world.given_segments)):
        return 'an occupied cell of the map'
    if kind == POLYGON:
        x, y = world.polygons[other][0]
        return f'polygons[{other}] with a corner at ({x:g}, {y:g})'
    if kind == SEGMENT:
        x0, y0, x1, y1 = world.given_segments[other]
        return f'segments[{other}] from ({x0:g}, {y0:g}) to ({x1:g}, {y1:g})'
    if kind == CIRCLE:
        x, y, radius = world.circles[other]
        return f'circles[{other}] at ({x:g}, {y:g}) of radius {radius:g}'
    cx, cy, width, height, _ = world.rectangles[other]
    return f'rectangles[{other}] at ({cx:g}, {cy:g}) of {width:g} x {height:g}'


def placement_errors(world: World, bodies: BodyArrays, pose: Array,
                     robots: int | None = None) -> list[str]:
    """Return one line for every robot that stands where it cannot, in order of id; none is good.

    Parameters
    ----------
    world : the fixed objects
    bodies : of N bodies: the robots, and then boxes, which are free of all but robots
    pose : (N, 3) x, y (m), yaw (rad)
    robots : how many of them are; None: all

    """
    count = len(pose) if robots is None else robots
    bad = np.flatnonzero(~np.isfinite(pose).all(axis=1))
    if len(bad):
        return [f'robot {i}: pose {pose[i].tolist()} is not finite' for i in bad]
    found = find_overlaps(world, bodies, pose)
    lines, shapes = [], bodies.shape
    order = np.lexsort((found.other, found.kind, found.robot))
    for k in order:
        i, depth = int(found.robot[k]), float(found.depth[k])
        what = _name_of(world, int(found.kind[k]), int(found.other[k]), pose, count)
        size = f'collision radius {shapes.outer_radius[i]:g} m'
        if shapes.size[i, 0] > 0.0:
            size = f'{2 * shapes.size[i, 0]:g} m x {2 * shapes.size[i, 1]:g} m'
        who = f'robot {i}' if i < count else f'boxes[{i - count}]'
        lines.append(f'{who} at ({pose[i, 0]:g}, {pose[i, 1]:g}), {size}, is {depth:.3g} m '
                     f'too near to {what}')
    return lines


def placement_error(world: World, bodies: BodyArrays, pose: Array,
                    robots: int | None = None) -> str | None:
    """Return the first line of ``placement_errors``, saying how many more there are, or None."""
    lines = placement_errors(world, bodies, pose, robots)
    if not lines:
        return None
    more = f' (and {len(lines) - 1} more)' if len(lines) > 1 else ''
    return lines[0] + more
