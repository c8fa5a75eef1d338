"""Robots in an arena: discs and rectangles with their headings."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.patheffects import withStroke
from numpy.typing import NDArray

from sbot.figures.arena.colours import MOST_NAMED, heading_colours, robot_colours
from sbot.figures.arena.numbers import inside_robots
from sbot.figures.arena.shapes import Rectangle, discs, lines, outlines, rectangles_of
from sbot.figures.arena.view import drawn_radius, points_a_metre, widths_of_discs
from sbot.figures.data import RunData
from sbot.figures.palette import palette

Array = NDArray[np.float64]


def heading_lines(poses: Array, radius: Array, rectangles: dict[int, Rectangle],
                  inner: float = 0.0) -> Array:
    """Return a line (N, 2, 2) from the centre of each robot (N, 3) to beyond its rim.

    It begins at ``inner`` of the radius. Of rectangles it goes from the middle to the front, as
    they are no longer to be seen else.
    """
    ahead = np.column_stack([np.cos(poses[:, 2]), np.sin(poses[:, 2])])
    start, end = inner * radius, 1.5 * radius
    for i, (length, _, offset) in rectangles.items():
        start[i], end[i] = offset, offset + 0.5 * length
    return np.stack([poses[:, :2] + reach[:, None] * ahead for reach in (start, end)], axis=1)


class Robots:
    """Robots as discs and rectangles with their headings, robot 0 on top."""

    def __init__(self, axes: Axes, data: RunData, poses: Array, by: str = '',
                 most_numbered: int = 0) -> None:
        scale = points_a_metre(axes, data)
        self._by_heading = by == 'heading'
        self._radius = drawn_radius(data, scale)
        # A number within a robot is not crossed by the line of its heading.
        self._inner = float(inside_robots(data, scale, most_numbered))
        self._rectangles = rectangles_of(data)
        many = len(self._radius) > MOST_NAMED
        colours = robot_colours(data, by)[::-1]
        edge: dict[str, Any] = {
            'edgecolors': palette().ground if many else palette().ink,
            'linewidths': 0.3 if many else 0.6, 'zorder': 7}
        width = widths_of_discs(axes, data, self._rectangles)[::-1]
        self.bodies = discs(axes, poses[::-1, :2], width, facecolors=colours, **edge)
        self.headings = lines(self._lines(poses), colors=palette().ink,
                              linewidths=0.5 if many else 1.0, zorder=8)
        self.boxes = PolyCollection(
            outlines(self._rectangles, poses),
            facecolors=[colours[-1 - i] for i in sorted(self._rectangles, reverse=True)],
            # With a halo, to be told from obstacles and tracks of their colours.
            path_effects=[withStroke(linewidth=2.0, foreground=palette().ground)], **edge)
        axes.add_collection(self.bodies)
        axes.add_collection(self.boxes)
        axes.add_collection(self.headings)
        self._colour(poses)

    def _lines(self, poses: Array) -> Array:
        return heading_lines(poses, self._radius, self._rectangles, self._inner)[::-1]

    def _colour(self, poses: Array) -> None:
        if self._by_heading:
            colours = heading_colours(poses[:, 2])
            self.bodies.set_facecolor(colours[::-1])
            self.boxes.set_facecolor(colours[sorted(self._rectangles, reverse=True)])

    def move(self, poses: Array) -> None:
        """Set the poses (N, 3)."""
        self._colour(poses)
        self.bodies.set_offsets(poses[::-1, :2])
        self.boxes.set_verts(outlines(self._rectangles, poses))
        self.headings.set_segments(list(self._lines(poses)))
