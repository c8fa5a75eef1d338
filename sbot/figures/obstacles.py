# SPDX-License-Identifier: Apache-2.0
"""Obstacles, pushable boxes and wind of an arena."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.collections import EllipseCollection, PolyCollection
from matplotlib.colors import ListedColormap
from matplotlib.path import Path
from matplotlib.transforms import Affine2D
from numpy.typing import NDArray

from sbot.figures.arena import (
    MOST_NAMED,
    above_axes,
    discs,
    lines,
    outlines,
    outlines_of,
    points_a_metre,
    wind_label,
    wrapped_parts,
)
from sbot.figures.data import RunData
from sbot.figures.look import palette
from sbot.scenario.model import box_bodies
from sbot_common.arrays import Floats
from sbot_sim.world.geometry import OCCUPIED, UNKNOWN, CellMap, rectangle_corners
from wind_model.grid import points_at, sample


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


def inside_obstacles(data: RunData, points: Floats) -> NDArray[np.bool_]:
    """Tell which points (M, 2) (m) lie in solid obstacles that do not move; (M,)."""
    world = data.world
    inside = np.zeros(len(points), bool)
    for solid in (*map(rectangle_corners, world.rectangles), *world.polygons):
        inside |= Path(solid).contains_points(points)
    for x, y, radius in data.still_circles.tolist():
        inside |= np.hypot(points[:, 0] - x, points[:, 1] - y) < radius
    if world.cells is not None:
        inside |= world.cells.occupies(points)
    return inside


# Pushable boxes of an arena.

class Boxes:
    """Pushable boxes."""

    def __init__(self, axes: Axes, data: RunData, poses: Floats, **style: Any) -> None:  # noqa: ANN401
        bodies = box_bodies(data.scenario.world)
        self._shapes = outlines_of(bodies)
        self._round = [k for k in range(len(bodies)) if k not in self._shapes]
        width = np.array([2.0 * bodies[k].radius for k in self._round])
        style = {'facecolors': palette().box, 'edgecolors': palette().ink, 'linewidths': 0.6,
                 'zorder': 3.2, 'gid': 'boxes', **style}
        self.discs = discs(axes, poses[self._round, :2], width, **style)
        self.shapes = PolyCollection(outlines(self._shapes, poses), **style)
        axes.add_collection(self.discs)
        axes.add_collection(self.shapes)

    def move(self, poses: Floats) -> None:
        """Set the poses (B, 3)."""
        self.discs.set_offsets(poses[self._round, :2])
        self.shapes.set_verts(outlines(self._shapes, poses))


# Undisturbed wind of an arena: arrows on a grid, and a label.

_ARROWS, _FEWEST = 18, 8  # of wind, along the longer side
_APART = 16.0  # pt between arrows at least: in a small panel there are fewer
_FAINT = 0.5  # opacity of blue arrows beside trails, which are thin and faint, too
_THIN = 0.55  # pt, width of an arrow's shaft at least


def free_wind_arrows(data: RunData, index: int | None = None, most: int = _ARROWS) -> Floats:
    """Return rows x, y, u, v (M, 4) (m): arrows of the undisturbed wind on a regular grid.

    The longest reaches 0.6 of the way to the next; there are none where there is no wind.
    ``index``: of a stamp, with its gust; in a run with gusts the longest of all stamps reaches
    0.9 of the way. ``most``: arrows along the longer side.
    """
    xmin, ymin, xmax, ymax = data.world.bounds.tolist()
    spacing = float(max(xmax - xmin, ymax - ymin)) / most
    x, y = (np.linspace(low, high, max(1, round((high - low) / spacing)) + 1)
            for low, high in ((xmin, xmax), (ymin, ymax)))
    x, y = 0.5 * (x[1:] + x[:-1]), 0.5 * (y[1:] + y[:-1])
    points = np.column_stack([each.ravel() for each in np.meshgrid(x, y)])
    wind = _wind_at(data, points, index)
    reach, strongest = 0.6, float(np.hypot(*wind.T).max())
    if strongest == 0.0:
        return np.zeros((0, 4))
    if index is not None and data.air.gust.any():
        reach, strongest = 0.9, _strongest_ever(data, points)
    arrows = np.column_stack([points, wind * (reach * spacing / strongest)])
    free = np.ones(len(arrows), bool)
    for part in (-0.5, -0.25, 0.0, 0.25, 0.5):  # along an arrow, which is drawn about its middle
        free &= ~inside_obstacles(data, arrows[:, :2] + part * arrows[:, 2:])
    return arrows[free]


def _wind_at(data: RunData, points: Floats, index: int | None = None) -> Floats:
    """Return the undisturbed wind (M, 2) (m/s) at points (M, 2) (m), where robots feel it.

    The mean at the end of the run, or with ``index`` that of a stamp with its gust.
    """
    above = points_at(data.field, points, data.scenario.wind.flow.height)
    if index is None:
        return np.asarray(sample(data.field, above, data.outside)[:, :2])
    wind = data.air.at(int(data.stamps_ns[index]))
    return np.asarray(sample(data.field, above, wind.velocity)[:, :2] + wind.gust[:2])


def _strongest_ever(data: RunData, points: Floats) -> float:
    """Return the speed (m/s) that the wind at the points does not exceed at any stamp."""
    if data.field is None:
        total = data.air.velocity + data.air.gust
        return float(np.hypot(total[:, 0], total[:, 1]).max())
    gusts = np.hypot(data.air.gust[:, 0], data.air.gust[:, 1])
    return float(np.hypot(*_wind_at(data, points).T).max() + gusts.max())


def reference_arrow(axes: Axes, data: RunData, moments: bool) -> tuple[float, float, Floats]:
    """Return a speed (m/s) of two digits, how long (pt) its arrow is, and where it points.

    Zeros without arrows. ``moments``: of a picture whose arrows contain the gust. In a field of
    many directions it points to the right.
    """
    total = (data.air.velocity + data.air.gust)[:, :2]
    index = int(np.hypot(*total.T).argmax()) if moments else None
    way = data.outside if index is None else total[index]
    if data.field is not None:
        way = np.array([1.0, 0.0])
    arrows = _arrows_in(axes, data, index)
    if not len(arrows):
        return 0.0, 0.0, way
    longest = float(np.hypot(*arrows[:, 2:].T).max()) * points_a_metre(axes, data)
    strongest = float(np.hypot(*_wind_at(data, arrows[:, :2], index).T).max())
    speed = float(f'{strongest:.2g}')
    return speed, speed / strongest * longest, way


def wind_colours(data: RunData) -> tuple[str, str]:
    """Return the colours of the wind's arrows and of its label."""
    if len(data.radius) > MOST_NAMED:  # whose tracks are as blue as the wind of a few
        return palette().wind_of_many, palette().wind_text_of_many
    return palette().wind, palette().wind_text


def label_in(axes: Axes, data: RunData, index: int | None = None) -> str:
    """Return the label of the wind that ``draw_wind`` draws in these axes."""
    return _label(data, _arrows_in(axes, data, index), index)


def _arrows_in(axes: Axes, data: RunData, index: int | None) -> Floats:
    side = points_a_metre(axes, data) * float(
        np.ptp(data.world.bounds.reshape(2, 2), axis=0).max())
    return free_wind_arrows(data, index, int(np.clip(side / _APART, _FEWEST, _ARROWS)))


def _label(data: RunData, arrows: Floats, index: int | None) -> str:
    strongest = 0.0
    if len(arrows):
        mean = _wind_at(data, arrows[:, :2], index)
        if index is not None:
            mean = mean - data.air.at(int(data.stamps_ns[index])).gust[:2]
        strongest = float(np.hypot(*mean.T).max())
    return wind_label(data, strongest, index)


def draw_wind(axes: Axes, data: RunData, named: bool = True, index: int | None = None,
              width: float = math.inf) -> list[Artist]:
    """Draw and return the undisturbed wind: the mean, or that of a stamp, of few robots fainter.

    ``named``: and how strong it is, in lines of at most ``width`` (pt).
    """
    scale = points_a_metre(axes, data)
    arrows = _arrows_in(axes, data, index)
    arrow, text = wind_colours(data)
    faint = index is not None and len(data.radius) <= MOST_NAMED
    drawn: list[Artist] = []
    if len(arrows):
        longest = float(np.hypot(arrows[:, 2], arrows[:, 3]).max())
        drawn.append(axes.quiver(
            *arrows.T, angles='xy', scale_units='xy', scale=1.0, units='xy',
            width=max(0.06 * longest, _THIN / scale), headwidth=4, headlength=5,
            headaxislength=4.5, pivot='mid', zorder=1, color=arrow,
            alpha=_FAINT if faint else None))
    label = _label(data, arrows, index) if named else ''
    if label:
        drawn.append(above_axes(axes, wrapped_parts(label, width), 1.0, color=text))
    return drawn
