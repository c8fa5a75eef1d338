"""View of an arena: its limits, how large robots are drawn in it, what stands above it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from matplotlib import rcParams
from matplotlib.axes import Axes
from matplotlib.text import Annotation
from numpy.typing import NDArray

from sbot.figures.arena.colours import MOST_NAMED
from sbot.figures.arena.shapes import Rectangle
from sbot.figures.data import RunData
from sbot.scenario.controllers import has_leader

Array = NDArray[np.float64]

# How large a robot is drawn at least, as a share of the arena's longer side: few, or many.
_LEAST_SIZE, _LEAST_SIZE_OF_MANY = 0.006, 0.004
_LEAST_POINTS = 3.0  # pt, its radius, also in a small panel; of more robots less
_LEADER_AMONG_MANY = 1.6  # times larger, to be found
ABOVE = 'above'  # mark of what is written above the axes


def view_of(data: RunData) -> tuple[float, float, float, float]:
    """Return xmin, ymin, xmax, ymax (m) of the view: the bounds, where walls stand on them.

    If no walls keep robots inside, tracks are shown for half an arena beyond the bounds, and there
    is a small margin.
    """
    xmin, ymin, xmax, ymax = data.world.bounds.tolist()
    if has_walls(data):
        return xmin, ymin, xmax, ymax
    side = max(xmax - xmin, ymax - ymin)
    margin = 0.01 * side
    reach = data.radius[:, np.newaxis]
    low = (data.poses[:, :, :2] - reach).min(axis=(0, 1))
    high = (data.poses[:, :, :2] + reach).max(axis=(0, 1))
    xmin, ymin = np.minimum((xmin, ymin), np.maximum(low, (xmin - side / 2, ymin - side / 2)))
    xmax, ymax = np.maximum((xmax, ymax), np.minimum(high, (xmax + side / 2, ymax + side / 2)))
    return float(xmin - margin), float(ymin - margin), float(xmax + margin), float(ymax + margin)


def has_walls(data: RunData) -> bool:
    """Tell whether walls stand on the bounds."""
    return len(data.world.segments) > len(data.world.inner_segments)


def drawn_radius(data: RunData, scale: float) -> Array:
    """Return how large each robot is drawn (m): its size, but large enough to be seen; (N,).

    ``scale`` is a metre's length (pt).
    """
    xmin, ymin, xmax, ymax = view_of(data)
    many = len(data.radius) > MOST_NAMED
    least = _LEAST_SIZE_OF_MANY if many else _LEAST_SIZE
    points = _LEAST_POINTS * min(1.0, math.sqrt(MOST_NAMED / len(data.radius)))
    radius = np.maximum(data.radius, max(least * max(xmax - xmin, ymax - ymin), points / scale))
    if many and has_leader(data.scenario):
        radius[0] *= _LEADER_AMONG_MANY
    return radius


def widths_of_discs(axes: Axes, data: RunData, rectangles: dict[int, Rectangle]) -> Array:
    """Return how wide each robot's disc is drawn (N,) m; 0 for rectangles."""
    width = 2.0 * drawn_radius(data, points_a_metre(axes, data))
    width[list(rectangles)] = 0.0
    return width


def points_a_metre(axes: Axes, data: RunData) -> float:
    """Return the length of a metre (pt) of the view in the axes."""
    xmin, ymin, xmax, ymax = view_of(data)
    figure = axes.get_figure(root=True)
    if figure is None:
        return 72.0 / (xmax - xmin)
    place = axes.get_position(original=True)
    return 72.0 * min(float(place.width * figure.get_figwidth()) / (xmax - xmin),
                      float(place.height * figure.get_figheight()) / (ymax - ymin))


def drawn_width(axes: Axes, data: RunData) -> float:
    """Return the width (pt) of the view in the axes, which may be wider."""
    xmin, _, xmax, _ = view_of(data)
    return (xmax - xmin) * points_a_metre(axes, data)


def above_axes(axes: Axes, text: str, side: float, up: float = 0.0,
               **style: Any) -> Annotation:  # noqa: ANN401
    """Write above the axes, on the line of its title: from the left (0) or right (1).

    The last line of several is there, ``up`` (inches) lifts it.
    """
    return axes.annotate(text, (side, 1.0), xycoords='axes fraction', textcoords='offset points',
                         xytext=(0.0, rcParams['axes.titlepad'] + 72.0 * up), va='baseline',
                         ha='right' if side else 'left', parse_math=False, gid=ABOVE, **style)
