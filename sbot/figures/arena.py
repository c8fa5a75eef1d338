# SPDX-License-Identifier: Apache-2.0
"""Shapes in an arena, colours of robots, and letters."""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections.abc import Collection, Iterable, Sequence
from typing import Any

import numpy as np
from matplotlib import rcParams
from matplotlib.axes import Axes
from matplotlib.collections import EllipseCollection, LineCollection
from matplotlib.colors import hsv_to_rgb, to_hex
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.text import Annotation
from matplotlib.textpath import text_to_path

from sbot.figures.data import RunData
from sbot.figures.look import DARK, palette
from sbot.scenario.controllers import has_leader
from sbot_common.arrays import Floats
from sbot_sim.world.bodies import Body

# Shapes in an arena: discs, lines, and the outlines of bodies.


def discs(axes: Axes, centres: Floats, width: Floats, **style: Any) -> EllipseCollection:  # noqa: ANN401
    """Return discs of (M,) diameters (m) at (M, 2), to be added to ``axes``."""
    return EllipseCollection(width, width, np.zeros(len(width)), units='xy',
                             offsets=centres, offset_transform=axes.transData, **style)


def lines(ends: Floats, **style: Any) -> LineCollection:  # noqa: ANN401
    """Return straight lines between ends (M, 2, 2) (m)."""
    pieces: Any = ends  # matplotlib takes arrays, its annotations only lists
    return LineCollection(pieces, **style)


def outlines_of(bodies: Iterable[Body]) -> dict[int, Floats]:
    """Return the corners (P, 2) m of the bodies that are not round, by their numbers."""
    return {i: body.outline for i, body in enumerate(bodies) if body.outline is not None}


def outlines(corners: dict[int, Floats], poses: Floats) -> list[Floats]:
    """Return the corners (P, 2) m of bodies at poses (N, 3), the first on top."""
    found = []
    for i in sorted(corners, reverse=True):
        x, y, yaw = poses[i].tolist()
        c, s = math.cos(yaw), math.sin(yaw)
        found.append(np.asarray(corners[i] @ np.array([[c, s], [-s, c]]) + (x, y)))
    return found


# Colours of robots: one each, or one for all; those of headings.

LEADER = '#e69f00'
COMPASS = '→↗↑↖←↙↓↘'  # headings, each an eighth of a turn from the one before


def robot_colours(data: RunData, by: str = '') -> list[str]:
    """Return each robot's colour; a leader's is the same in every picture.

    More than ``MOST_NAMED`` robots have one colour together, and with ``by='robot'`` one each.
    """
    count, dark = len(data.radius), palette() is DARK
    if not data.many:
        return [LEADER, *palette().followers[:count - 1]]
    if by == 'robot':
        # Steps of the golden ratio keep the hues of robots with near ids apart.
        hue = np.arange(count) * (math.sqrt(1.25) - 0.5) % 1.0
        shade = (0.86 if dark else 0.55) + (0.14 if dark else 0.3) * (np.arange(count) % 3) / 2
        return [to_hex(colour) for colour in hsv_to_rgb(
            np.column_stack([hue, np.full(count, 0.55 if dark else 0.75), shade]))]
    many = palette().many
    return [LEADER if has_leader(data.scenario) else many] + [many] * (count - 1)


def heading_colours(yaw: Floats) -> Any:  # noqa: ANN401 - matplotlib takes arrays
    """Return a colour for each heading (N,) (rad), which goes round with it; (N, 3) RGB."""
    hue = np.mod(yaw / math.tau + 0.6, 1.0)
    saturation, value = (0.55, 1.0) if palette() is DARK else (0.75, 0.8)
    shade = np.column_stack([hue, np.full(len(hue), saturation), np.full(len(hue), value)])
    return hsv_to_rgb(shade)


# View of an arena in axes: how large robots are drawn in it, what stands above it.

ABOVE = 'above'  # mark of what is written above the axes


def widths_of_discs(axes: Axes, data: RunData, shaped: Iterable[int]) -> Floats:
    """Return how wide each robot's disc is drawn (N,) m; 0 for those that are not round."""
    width = 2.0 * data.drawn_radius(points_a_metre(axes, data))
    width[list(shaped)] = 0.0
    return width


def points_a_metre(axes: Axes, data: RunData) -> float:
    """Return the length of a metre (pt) of the view in the axes."""
    xmin, ymin, xmax, ymax = data.view
    place, figure = axes.get_position(original=True), figure_of(axes)
    return 72.0 * min(float(place.width * figure.get_figwidth()) / (xmax - xmin),
                      float(place.height * figure.get_figheight()) / (ymax - ymin))


def figure_of(axes: Axes) -> Figure:
    """Return the figure of axes."""
    figure = axes.get_figure(root=True)
    assert figure is not None
    return figure


def grow(figure: Figure, inches: float, lifted: Collection[Axes] = ()) -> None:
    """Make a picture higher; all axes keep their places above its lower edge, but the lifted."""
    before = figure.get_figheight()
    figure.set_figheight(before + inches)
    for axes in figure.axes:
        x, y, wide, high = axes.get_position(original=True).bounds
        share, up = before / (before + inches), inches if axes in lifted else 0.0
        axes.set_position((x, y * share + up / (before + inches), wide, high * share))


def drawn_width(axes: Axes, data: RunData) -> float:
    """Return the width (pt) of the view in the axes, which may be wider."""
    xmin, _, xmax, _ = data.view
    return (xmax - xmin) * points_a_metre(axes, data)


def above_axes(axes: Axes, text: str, side: float, up: float = 0.0,
               **style: Any) -> Annotation:  # noqa: ANN401
    """Write above the axes, on the line of its title: from the left (0) or right (1).

    The last line of several is there, ``up`` (inches) lifts it.
    """
    return axes.annotate(text, (side, 1.0), xycoords='axes fraction', textcoords='offset points',
                         xytext=(0.0, rcParams['axes.titlepad'] + 72.0 * up), va='baseline',
                         ha='right' if side else 'left', parse_math=False, gid=ABOVE, **style)


# Texts that fit into a width: how wide a line is, lines of a long text, a shortened text.

GAP = 12.0  # pt between two texts on one line
LINE = 0.17  # inches from a line to the next


def width_of(text: str, size: float | str = 'medium', weight: str = 'normal') -> float:
    """Return the width (pt) of the widest line of a text."""
    font = FontProperties(family=rcParams['font.family'], size=size, weight=weight)
    return max(float(text_to_path.get_text_width_height_descent(line, font, False)[0])
               for line in text.split('\n'))


def columns_in(names: Sequence[str], width: float, handle: float, between: float) -> int:
    """Return how many columns of a legend fit into a width (pt), at least one.

    ``handle``: length of a sign, and ``between``: space between columns, both in letters' sizes.
    """
    size = float(rcParams['font.size'])
    widths = [width_of(name) + size * (handle + 0.5 + between) for name in names]
    if sum(widths) <= width:  # a single row needs no equal columns
        return max(1, len(names))
    fitting = max(1, int((width + between * size) / max(widths)))
    return -(-len(names) // -(-len(names) // fitting))


def shortened(text: str, width: float, size: float | str = 'medium') -> str:
    """Return a text of one line, with '…' at its end where it is wider than ``width`` (pt)."""
    if width_of(text, size) <= width:
        return text
    fitting = bisect_right(range(len(text)), width, lo=1, key=lambda letters: width_of(
        f'{text[:letters].rstrip()}…', size)) - 1
    return f'{text[:fitting].rstrip()}…'


def wrapped(text: str, width: float, size: float | str = 'medium') -> str:
    """Return a text in lines of at most ``width`` (pt), broken at blanks; long words end in '…'.

    A no-break space becomes a blank.
    """
    words = [shortened(each, width, size) for each in text.split(' ')]
    return _lines(words, width, size).replace('\xa0', ' ')


def wrapped_parts(label: str, width: float) -> str:
    """Return a label of the wind in lines, broken between its parts.

    Parts wider than ``width`` (pt) are broken at blanks, but not between a number and its unit.
    """
    parts: list[str] = []
    for part in re.split(r'(?<=,) | (?=\+ )', label):
        parts += [part] if width_of(part) <= width else re.split(r'(?<![+\d]) ', part)
    return _lines(parts, width, 'medium')


def _lines(parts: list[str], width: float, size: float | str) -> str:
    lines: list[str] = []
    for part in parts:
        if lines and width_of(longer := f'{lines[-1]} {part}', size) <= width:
            lines[-1] = longer
        else:
            lines.append(part)
    return '\n'.join(lines)
