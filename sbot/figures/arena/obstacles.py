"""Obstacles of an arena: walls, solids, cells of a map, and those that move."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import EllipseCollection, PolyCollection
from matplotlib.colors import ListedColormap
from matplotlib.path import Path
from matplotlib.transforms import Affine2D
from numpy.typing import NDArray

from sbot.figures.arena.shapes import discs, lines
from sbot.figures.data import RunData
from sbot.figures.palette import palette
from sbot_sim.world.cell_map import OCCUPIED, UNKNOWN, CellMap, inside_occupied
from sbot_sim.world.geometry import rectangle_corners

Array = NDArray[np.float64]


def draw_obstacles(axes: Axes, data: RunData) -> None:
    """Draw the obstacles that do not move, and the paths of the others."""
    world, grey = data.world, palette().obstacle
    if world.cells is not None:
        _draw_cells(axes, world.cells)
    free = world.given_segments.reshape(-1, 2, 2)
    axes.add_collection(lines(free, colors=grey, linewidths=1.5, capstyle='round', zorder=3))
    walls = world.segments[:len(world.segments) - len(world.inner_segments)]
    axes.add_collection(lines(walls.reshape(-1, 2, 2), colors=palette().ink,
                              linewidths=1.0, capstyle='projecting', zorder=3,
                              clip_on=False))  # they stand on the edge of the view
    solids = [*map(rectangle_corners, world.rectangles), *world.polygons]
    axes.add_collection(PolyCollection(solids, facecolors=grey, edgecolors='none', zorder=3))
    still = data.still_circles
    axes.add_collection(discs(axes, still[:, :2], 2.0 * still[:, 2], facecolors=grey,
                              edgecolors='none', zorder=3))
    for disc in data.scenario.world.moving:
        path = [*disc.path, disc.path[0]] if disc.at_end == 'loop' else disc.path
        axes.plot(*zip(*path, strict=True), color=grey, linestyle=':', linewidth=1.0,
                  zorder=2, gid='path')


def draw_moving(axes: Axes, data: RunData, index: int) -> EllipseCollection:
    """Draw the obstacles that move where they are at one of the stamps."""
    moving = discs(axes, data.obstacles[index], 2.0 * data.moving_radius,
                   facecolors=palette().moving, edgecolors=palette().obstacle, linewidths=0.8,
                   zorder=3, gid='moving')
    axes.add_collection(moving)
    return moving


def _draw_cells(axes: Axes, cells: CellMap) -> None:
    """Draw a map: occupied cells dark, unknown ones light."""
    rows, columns = cells.values.shape
    shade = np.full(cells.values.shape, np.nan)  # not drawn
    shade[cells.values == OCCUPIED] = 1.0
    shade[cells.values == UNKNOWN] = 0.0
    x, y, yaw = cells.origin
    place = Affine2D().scale(cells.resolution).rotate(yaw).translate(x, y) + axes.transData
    limits = axes.get_xlim(), axes.get_ylim()
    greys = ListedColormap([palette().unknown, palette().obstacle])
    axes.imshow(shade, origin='lower', extent=(0, columns, 0, rows), transform=place,
                interpolation='nearest', cmap=greys,
                vmin=0.0, vmax=1.0, zorder=0.5)
    axes.set(xlim=limits[0], ylim=limits[1], aspect='equal')
    # Walls thinner than a pixel of the picture would be left out.
    axes.add_collection(lines(cells.outlines.reshape(-1, 2, 2), colors=palette().obstacle,
                              linewidths=0.4, zorder=0.6))


def inside_obstacles(data: RunData, points: Array) -> NDArray[np.bool_]:
    """Tell which points (M, 2) (m) lie in solid obstacles that do not move; (M,)."""
    world = data.world
    inside = np.zeros(len(points), bool)
    for solid in (*map(rectangle_corners, world.rectangles), *world.polygons):
        inside |= Path(solid).contains_points(points)
    for x, y, radius in data.still_circles.tolist():
        inside |= np.hypot(points[:, 0] - x, points[:, 1] - y) < radius
    if world.cells is not None:
        inside |= inside_occupied(world.cells, points)
    return inside
