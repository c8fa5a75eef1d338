"""Shapes in an arena: discs, lines, and the rectangles of bodies."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import EllipseCollection, LineCollection
from numpy.typing import NDArray

from sbot.figures.data import RunData
from sbot.scenario.assemble import robot_bodies
from sbot_sim.world.geometry import rectangle_corners

Array = NDArray[np.float64]

Rectangle = tuple[float, float, float]  # length, width and offset of a body (m)


def discs(axes: Axes, centres: Array, width: Array, **style: Any) -> EllipseCollection:  # noqa: ANN401
    """Return discs of (M,) diameters (m) at (M, 2), to be added to ``axes``."""
    return EllipseCollection(width, width, np.zeros(len(width)), units='xy',
                             offsets=centres, offset_transform=axes.transData, **style)


def lines(ends: Array, **style: Any) -> LineCollection:  # noqa: ANN401
    """Return straight lines between ends (M, 2, 2) (m)."""
    pieces: Any = ends  # matplotlib takes arrays, its annotations only lists
    return LineCollection(pieces, **style)


def rectangles_of(data: RunData) -> dict[int, Rectangle]:
    """Return the rectangular bodies, by robot; the others are round."""
    bodies = enumerate(robot_bodies(data.scenario))
    return {i: (body.length, body.width, body.offset) for i, body in bodies if body.is_rectangle}


def outline(pose: Array, rectangle: Rectangle) -> Array:
    """Return the corners (4, 2) m of a rectangular body at a pose (3,)."""
    length, width, offset = rectangle
    x, y, yaw = pose.tolist()
    return rectangle_corners((x + offset * math.cos(yaw), y + offset * math.sin(yaw), length,
                              width, yaw))


def outlines(rectangles: dict[int, Rectangle], poses: Array) -> list[Array]:
    """Return the outlines (4, 2) m of rectangular bodies, the first on top; poses are (N, 3)."""
    return [outline(poses[i], rectangles[i]) for i in sorted(rectangles, reverse=True)]
