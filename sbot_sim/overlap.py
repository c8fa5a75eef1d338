"""Who overlaps what, counted from geometry alone.

The judge of ``sbot_sim.collisions``: it shares no code with it, keeps no state, and is plain NumPy
and SciPy. A robot is its collision circle (the safety radius of document 002 section 5.1); circles
and rectangles are solid.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from sbot_sim.bodies import BodyArrays, select_bodies
from sbot_sim.cells import inside_occupied
from sbot_sim.world import World

Array = NDArray[np.float64]
Indexes = NDArray[np.intp]

TOLERANCE = 1e-9  # m; what is deeper is an overlap (docs/errata.md S6)
PAIR, BOUND, SEGMENT, CIRCLE, RECTANGLE, CELLS = range(6)
# Collision circles whose radii differ by more than this factor are searched apart.
_SIZE_CLASS = 2.0


class Overlaps(NamedTuple):
    """M overlaps as arrays (M,): a robot, what it overlaps, and how deep (m)."""

    robot: Indexes
    kind: NDArray[np.int8]  # PAIR, BOUND, SEGMENT, CIRCLE, RECTANGLE or CELLS
    other: Indexes  # id of a robot, or row of bounds, free_segments, circles, rectangles; 0: CELLS
    depth: Array


def _flat(lists: Any) -> tuple[Indexes, Indexes]:  # noqa: ANN401
    """Return (row, entry) of a sequence of lists of indexes."""
    counts = np.array([len(entries) for entries in lists], dtype=np.intp)
    rows = np.repeat(np.arange(len(counts)), counts)
    if not len(rows):
        return rows, rows
    return rows, np.concatenate([np.asarray(entries, dtype=np.intp) for entries in lists])


def _near_pairs(xy: Array, radius: Array) -> tuple[Indexes, Indexes]:
    """Return every pair (i, j), i < j, whose circles might overlap, and perhaps some more."""
    classes = np.floor(np.log(np.maximum(radius, 1e-12)) / np.log(_SIZE_CLASS))
    groups = [np.flatnonzero(classes == value) for value in np.unique(classes)]
    trees = [cKDTree(xy[group]) for group in groups]
    first: list[Indexes] = []
    second: list[Indexes] = []
    for a, group_a in enumerate(groups):
        pairs = trees[a].query_pairs(2.0 * radius[group_a].max(), output_type='ndarray')
        first.append(group_a[pairs[:, 0]])
        second.append(group_a[pairs[:, 1]])
        for b in range(a):
            reach = radius[group_a].max() + radius[groups[b]].max()
            rows, entries = _flat(trees[a].query_ball_tree(trees[b], reach))
            first.append(group_a[rows])
            second.append(groups[b][entries])
    i, j = np.concatenate(first), np.concatenate(second)
    return np.minimum(i, j), np.maximum(i, j)


def _near_objects(tree: cKDTree, centres: Array, reach: Array) -> tuple[Indexes, Indexes]:
    """Return (object, robot) of every robot centre within ``reach`` (m) of an object's centre."""
    return _flat(tree.query_ball_point(centres, reach)) if len(centres) else _flat([])


def segment_distance(points: Array, segments: Array) -> Array:
    """Return the distance (M,) (m) of points (M, 2) from segments (M, 4), row by row."""
    start, along = segments[:, :2], segments[:, 2:] - segments[:, :2]
    t = np.einsum('ij,ij->i', points - start, along) / np.einsum('ij,ij->i', along, along)
    nearest = start + np.clip(t, 0.0, 1.0)[:, None] * along
    distance: Array = np.hypot(*(points - nearest).T)
    return distance


def rectangle_distance(points: Array, rectangles: Array) -> Array:
    """Return the signed distance (M,) (m) of points (M, 2) from solid rectangles (M, 5).

    It is negative inside.
    """
    dx, dy = (points - rectangles[:, :2]).T
    c, s = np.cos(rectangles[:, 4]), np.sin(rectangles[:, 4])
    qx = np.abs(c * dx + s * dy) - 0.5 * rectangles[:, 2]
    qy = np.abs(c * dy - s * dx) - 0.5 * rectangles[:, 3]
    outside = np.hypot(np.maximum(qx, 0.0), np.maximum(qy, 0.0))
    signed: Array = outside + np.minimum(np.maximum(qx, qy), 0.0)
    return signed


def find_overlaps(world: World, bodies: BodyArrays, pose: Array,
                  tolerance: float = TOLERANCE) -> Overlaps:
    """Return every overlap deeper than ``tolerance`` (m).

    Parameters
    ----------
    world : the fixed objects
    bodies : of N robots
    pose : (N, 2) or (N, 3): x, y (m) and whatever; all finite

    """
    xy = np.ascontiguousarray(pose[:, :2], dtype=np.float64)
    radius = bodies.safety_radius
    found: list[tuple[Indexes, int, Indexes, Array]] = []
    if not len(xy):
        empty = np.zeros(0, dtype=np.intp)
        return Overlaps(empty, np.zeros(0, dtype=np.int8), empty, np.zeros(0))
    i, j = _near_pairs(xy, radius)
    found.append((i, PAIR, j, radius[i] + radius[j] - np.hypot(*(xy[i] - xy[j]).T)))
    everyone = np.arange(len(xy))
    for side in range(4):
        sign = 1.0 if side < 2 else -1.0
        room = sign * (xy[:, side % 2] - world.bounds[side])
        found.append((everyone, BOUND, np.full(len(xy), side), radius - room))

    tree, largest = cKDTree(xy), radius.max()
    lines, rounds, boxes = world.free_segments, world.circles, world.rectangles
    k, i = _near_objects(tree, 0.5 * (lines[:, :2] + lines[:, 2:]), largest
                         + 0.5 * np.hypot(*(lines[:, 2:] - lines[:, :2]).T))
    found.append((i, SEGMENT, k, radius[i] - segment_distance(xy[i], lines[k])))
    k, i = _near_objects(tree, rounds[:, :2], largest + rounds[:, 2])
    distance = np.hypot(*(xy[i] - rounds[k, :2]).T)
    found.append((i, CIRCLE, k, radius[i] + rounds[k, 2] - distance))
    k, i = _near_objects(tree, boxes[:, :2], largest + 0.5 * np.hypot(boxes[:, 2], boxes[:, 3]))
    found.append((i, RECTANGLE, k, radius[i] - rectangle_distance(xy[i], boxes[k])))
    if world.cells is not None:
        # Outlines are segments: this is for those who stand inside them, however far.
        i = np.flatnonzero(inside_occupied(world.cells, xy))
        found.append((i, CELLS, np.zeros(len(i), dtype=np.intp), radius[i]))

    deep = [(first[keep], kind, other[keep], depth[keep])
            for first, kind, other, depth in found for keep in [depth > tolerance]]
    return Overlaps(np.concatenate([row[0] for row in deep]),
                    np.concatenate([np.full(len(row[0]), row[1], dtype=np.int8) for row in deep]),
                    np.concatenate([row[2] for row in deep]),
                    np.concatenate([row[3] for row in deep]))


def overlaps(world: World, bodies: BodyArrays, pose: Array) -> int:
    """Count the overlaps deeper than 1e-9 m: robot pairs, and robots with bounds or objects.

    A robot whose position is not finite counts as one.
    """
    finite = np.isfinite(pose[:, 0]) & np.isfinite(pose[:, 1])
    lost = int(len(pose) - finite.sum())
    if lost:
        bodies = select_bodies(bodies, finite)
        pose = pose[finite]
    return lost + len(find_overlaps(world, bodies, pose).robot)
