# SPDX-License-Identifier: Apache-2.0
"""Overlaps of robots, obstacles and bounds, counted from geometry alone; checks of placement.

The judge of ``sbot_sim.collision.separation``: it shares no code with it and keeps no state. A
robot is its collision circle (the safety radius of document 002 section 5.1), or its rectangle
with the distance that is kept free; circles, rectangles and polygons are solid.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot_common.arrays import Flags, Floats, Indexes
from sbot_common.elementary import hypot_of, sincos_of
from sbot_sim.collision.shape_overlap import (
    corners_at,
    corners_of,
    depths_of_discs,
    depths_of_discs_in_polygons,
    depths_of_outlines,
    depths_of_rectangles_in_polygons,
    joined,
    near_objects,
    near_pairs,
)
from sbot_sim.world.bodies import BodyArrays
from sbot_sim.world.geometry import World

TOLERANCE = 1e-9  # m; what is deeper is an overlap (docs/errata.md S6)
_ROUNDING = 1e-6  # m, more than that of an x of many worlds of 10^6 m side by side
PAIR, BOUND, SEGMENT, CIRCLE, RECTANGLE, CELLS, POLYGON = range(7)


class Overlaps(NamedTuple):
    """M overlaps as arrays (M,): a robot, the overlapped object, and the depth (m)."""

    robot: Indexes
    kind: NDArray[np.int8]  # PAIR, BOUND, SEGMENT, CIRCLE, RECTANGLE, CELLS or POLYGON
    # Id of a robot, or row of bounds, thin_segments, circles, rectangles, polygons; 0: CELLS.
    other: Indexes
    depth: Floats

    @classmethod
    def find(cls, world: World, bodies: BodyArrays, pose: Floats, tolerance: float = TOLERANCE,
             tick: Indexes | None = None) -> Overlaps:
        """Return every overlap deeper than ``tolerance`` (m).

        Parameters
        ----------
        world : the fixed objects
        bodies : of N robots
        pose : (N, 2) or (N, 3): x, y (m) and whatever, yaw (rad) where some are rectangular; all
            finite
        tolerance : m
        tick : (N,) when they are there, from 0 on: robots of different ticks cannot meet; None:
            all at once

        """
        shapes, tick = bodies.shape, np.zeros(len(pose), np.intp) if tick is None else tick
        flat = shapes.size[:, 0] > 0.0
        if not flat.any():
            return _overlaps_of_discs(world, shapes.outer_radius, pose, tolerance, tick)
        rows, discs = np.flatnonzero(flat), np.flatnonzero(~flat)
        radius = shapes.outer_radius[discs]
        found = _overlaps_of_discs(world, radius, pose[discs], tolerance, tick[discs])
        other = found.other.copy()
        other[found.kind == PAIR] = discs[found.other[found.kind == PAIR]]
        among_discs = cls(discs[found.robot], found.kind, other, found.depth)
        rest = _overlaps_of_rectangles(
            world, corners_at(pose[rows], shapes.offset[rows, 0], shapes.size[rows]),
            np.column_stack([pose[discs, :2], radius]), rows, discs, shapes.inner_radius[rows],
            tolerance, tick)
        return cls(*(np.concatenate([getattr(one, name) for one in (among_discs, rest)])
                     for name in Overlaps._fields))


def _lengths(vectors: Floats) -> Floats:
    """Return the lengths (M,) of vectors (M, 2)."""
    out = np.empty(len(vectors))
    hypot_of(*np.ascontiguousarray(vectors.T), out)
    return out


def _segment_distance(points: Floats, segments: Floats) -> Floats:
    """Return the distance (M,) (m) of points (M, 2) from segments (M, 4), row by row."""
    start, along = segments[:, :2], segments[:, 2:] - segments[:, :2]
    offset = (points - start) * along
    square = along * along
    t = (offset[:, 0] + offset[:, 1]) / (square[:, 0] + square[:, 1])
    nearest = start + np.clip(t, 0.0, 1.0)[:, None] * along
    return _lengths(points - nearest)


def rectangle_distance(points: Floats, rectangles: Floats) -> Floats:
    """Return the signed distance (M,) (m) of points (M, 2) from solid rectangles (M, 5).

    It is negative inside.
    """
    dx, dy = (points - rectangles[:, :2]).T
    c, s = np.empty(len(dx)), np.empty(len(dx))
    sincos_of(rectangles[:, 4], s, c)
    qx = np.abs(c * dx + s * dy) - 0.5 * rectangles[:, 2]
    qy = np.abs(c * dy - s * dx) - 0.5 * rectangles[:, 3]
    outside = _lengths(np.maximum(np.column_stack([qx, qy]), 0.0))
    signed: Floats = outside + np.minimum(np.maximum(qx, qy), 0.0)
    return signed


def _overlaps_of_discs(world: World, radius: Floats, pose: Floats, tolerance: float,
                       tick: Indexes) -> Overlaps:
    """Return the overlaps of round robots; see ``Overlaps.find``."""
    xy = np.ascontiguousarray(pose[:, :2], dtype=np.float64)
    found: list[tuple[Indexes, int, Indexes, Floats]] = []
    if not len(xy):
        empty = np.zeros(0, dtype=np.intp)
        return Overlaps(empty, np.zeros(0, dtype=np.int8), empty, np.zeros(0))
    # Pairs are searched for with the ticks side by side.
    width = np.ptp(xy[:, 0]) + 2.0 * (radius.max() + 2.0 * _ROUNDING)
    i, j = near_pairs(xy + np.column_stack([tick * width, np.zeros(len(xy))]), radius + _ROUNDING)
    same = tick[i] == tick[j]
    i, j = i[same], j[same]
    found.append((i, PAIR, j, radius[i] + radius[j] - _lengths(xy[i] - xy[j])))
    if world.has_walls:
        bounds = world.bounds
        depth = radius - np.concatenate([xy - bounds[:2], bounds[2:] - xy], axis=1).T
        side, i = np.nonzero(depth > tolerance)
        found.append((i, BOUND, side, depth[side, i]))

    largest = radius.max()
    lines, rounds, boxes = world.thin_segments, world.circles, world.rectangles
    if len(lines):
        k, i = near_objects(xy, 0.5 * (lines[:, :2] + lines[:, 2:]), largest
                             + 0.5 * _lengths(lines[:, 2:] - lines[:, :2]))
        found.append((i, SEGMENT, k, radius[i] - _segment_distance(xy[i], lines[k])))
    if len(rounds):
        k, i = near_objects(xy, rounds[:, :2], largest + rounds[:, 2])
        distance = _lengths(xy[i] - rounds[k, :2])
        found.append((i, CIRCLE, k, radius[i] + rounds[k, 2] - distance))
    if len(boxes):
        k, i = near_objects(xy, boxes[:, :2], largest + 0.5 * _lengths(boxes[:, 2:4]))
        found.append((i, RECTANGLE, k, radius[i] - rectangle_distance(xy[i], boxes[k])))
    if world.cells is not None:
        # Outlines are segments: this is for those who stand inside them, however far.
        i = np.flatnonzero(world.cells.occupies(xy))
        found.append((i, CELLS, np.zeros(len(i), dtype=np.intp), radius[i]))
    if world.polygons:
        i, k, deep = depths_of_discs_in_polygons(xy, radius, *joined(world.polygons), tolerance)
        found.append((i, POLYGON, k, deep))

    return _deep(found, tolerance)


def _overlaps_of_rectangles(world: World, corners: Floats, discs: Floats, rows: Indexes,
                            round_ones: Indexes, inner: Floats, tolerance: float,
                            tick: Indexes) -> Overlaps:
    """Return the overlaps of rectangular robots with each other, round robots and the world.

    Parameters
    ----------
    world : the fixed objects
    corners : (R, P, 2) m of the rectangles
    discs : (D, 3) x, y, radius (m) of round robots
    rows, round_ones : (R,) and (D,) numbers of these robots
    inner : (R,) radius of the circle in each rectangle (m)
    tolerance, tick : see ``Overlaps.find``; of all robots

    """
    found: list[tuple[Indexes, int, Indexes, Floats]] = []
    mine, theirs = tick[rows], tick[round_ones]
    i, j, depth = depths_of_outlines(corners, corners, mine, mine)
    once = i < j
    found.append((rows[i[once]], PAIR, rows[j[once]], depth[once]))
    i, j, depth = depths_of_discs(corners, discs, mine, theirs)
    found.append((np.minimum(rows[i], round_ones[j]), PAIR, np.maximum(rows[i], round_ones[j]),
                  depth))
    for side in range(4 if world.has_walls else 0):
        sign = 1.0 if side < 2 else -1.0
        room = (sign * (corners[:, :, side % 2] - world.bounds[side])).min(axis=1)
        found.append((rows, BOUND, np.full(len(rows), side), -room))
    i, k, depth = depths_of_outlines(corners, world.thin_segments.reshape(-1, 2, 2), mine)
    found.append((rows[i], SEGMENT, k, depth))
    i, k, depth = depths_of_discs(corners, world.circles, mine)
    found.append((rows[i], CIRCLE, k, depth))
    i, k, depth = depths_of_outlines(corners, corners_of(world.rectangles), mine)
    found.append((rows[i], RECTANGLE, k, depth))
    if world.polygons:
        i, k, depth = depths_of_rectangles_in_polygons(corners, inner, *joined(world.polygons),
                                                       tolerance)
        found.append((rows[i], POLYGON, k, depth))
    if world.cells is not None:
        middle = 0.5 * (corners[:, 0] + corners[:, corners.shape[1] // 2])
        i = np.flatnonzero(world.cells.occupies(middle))
        found.append((rows[i], CELLS, np.zeros(len(i), dtype=np.intp), inner[i]))
    return _deep(found, tolerance)


def _deep(found: list[tuple[Indexes, int, Indexes, Floats]], tolerance: float) -> Overlaps:
    deep = [(first[keep], kind, other[keep], depth[keep])
            for first, kind, other, depth in found for keep in [depth > tolerance]]
    return Overlaps(np.concatenate([row[0] for row in deep]),
                    np.concatenate([np.full(len(row[0]), row[1], dtype=np.int8) for row in deep]),
                    np.concatenate([row[2] for row in deep]),
                    np.concatenate([row[3] for row in deep]))


def overlaps(world: World, bodies: BodyArrays, pose: Floats, judged: int | None = None) -> int:
    """Count the overlaps deeper than 1e-9 m: robot pairs, and robots with bounds or objects.

    A robot whose position is not finite counts as one. ``pose`` is (N, 2) or wider as in
    ``Overlaps.find``, or (T, N, 3) of several ticks. Only overlaps of the first ``judged`` bodies
    count; None: of all.
    """
    ticks = pose if pose.ndim == 3 else pose[np.newaxis]
    row = np.flatnonzero(np.isfinite(ticks[:, :, :2]).all(axis=2).ravel())
    there, tick = row % max(1, ticks.shape[1]), row // max(1, ticks.shape[1])
    found = Overlaps.find(world, bodies.select(there), ticks.reshape(-1, ticks.shape[2])[row],
                          TOLERANCE, tick)
    counts = there[found.robot] < (ticks.shape[1] if judged is None else judged)
    return ticks[..., 0].size - len(row) + int(np.count_nonzero(counts))


# Checks of robot placement by a scenario or a teleport: obstacle, distance and message.

_BOUNDS = ('xmin', 'ymin', 'xmax', 'ymax')


def _name_of(world: World, kind: int, other: int, pose: Floats, robots: int) -> str:
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


def placement_error(world: World, bodies: BodyArrays, pose: Floats, robots: int | None = None,
                    there: Flags | None = None) -> str | None:
    """Return a line on the first robot that stands where it cannot, saying how many more; or None.

    Parameters
    ----------
    world : the fixed objects
    bodies : of N bodies: the robots, and then boxes, which are free of all but robots
    pose : (N, 3) x, y (m), yaw (rad)
    robots : how many of them are; None: all
    there : (robots,) which of the robots are in the world; None: all

    """
    count = len(pose) if robots is None else robots
    rows = np.arange(len(pose)) if there is None else np.flatnonzero(
        np.append(there, np.ones(len(pose) - count, np.bool_)))
    bad = rows[~np.isfinite(pose[rows]).all(axis=1)]
    if len(bad):
        return f'robot {bad[0]}: pose {pose[bad[0]].tolist()} is not finite' + _more(len(bad))
    found = Overlaps.find(world, bodies.select(rows), pose[rows])
    if not len(found.robot):
        return None
    k, shapes = np.lexsort((found.other, found.kind, found.robot))[0], bodies.shape
    i, kind, depth = int(rows[found.robot[k]]), int(found.kind[k]), float(found.depth[k])
    other = int(rows[found.other[k]] if kind == PAIR else found.other[k])
    what = _name_of(world, kind, other, pose, count)
    size = f'collision radius {shapes.outer_radius[i]:g} m'
    if shapes.size[i, 0] > 0.0:
        size = f'{2 * shapes.size[i, 0]:g} m x {2 * shapes.size[i, 1]:g} m'
    who = f'robot {i}' if i < count else f'boxes[{i - count}]'
    return (f'{who} at ({pose[i, 0]:g}, {pose[i, 1]:g}), {size}, is {depth:.3g} m '
            f'too near to {what}{_more(len(found.robot))}')


def _more(count: int) -> str:
    return f' (and {count - 1} more)' if count > 1 else ''
