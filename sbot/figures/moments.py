"""Figure of a run at several times, with the last part of each track."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from matplotlib import rcParams
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sbot.figures.arena.boxes import Boxes
from sbot.figures.arena.colours import heading_colours, robot_colours
from sbot.figures.arena.goals import draw_goals
from sbot.figures.arena.ground import draw_arena
from sbot.figures.arena.heading_legend import draw_heading_legend
from sbot.figures.arena.lettering import GAP, LINE, width_of, wrapped
from sbot.figures.arena.numbers import MOST_NUMBERED_SMALL, number_robots, numbers_fit
from sbot.figures.arena.obstacles import draw_moving
from sbot.figures.arena.robots import Robots
from sbot.figures.arena.shapes import lines
from sbot.figures.arena.view import ABOVE, view_of
from sbot.figures.data import RunData
from sbot.figures.signs import draw_signs_of_moments
from sbot_common.errors import bad_value

_WIDTH = 7.0  # inches
_EDGES = (0.54, 0.10, 0.32, 0.69)  # inches to the left, right, top and bottom
_LEGEND = 0.13  # inches from the lower edge to the middle of the legend
_GAPS = (0.16, 0.29)  # inches between panels, across and down
_TRAIL = 0.06  # of the run, how long a trail lasts
_TRAIL_POINTS = 60
_FLAT = 2.4  # width by height of an arena, from which on three moments stand one above another


def draw_moments(data: RunData, seconds: Sequence[float], by: str = '',
                 title: str = '') -> Figure:
    """Return the picture of a run at some times (s since its first stamp), in rows.

    Parameters
    ----------
    data : of the run
    seconds : times, at least one; each within the run
    by : what a robot's colour says, as ``Look.colour``
    title : above all; '': none

    Raises
    ------
    InputError
        for a time outside the run, or more than twelve.

    """
    end = float(data.seconds[-1])
    for time in seconds:
        if not 0.0 <= time <= end + 1e-9:
            raise bad_value('at', time, f'a time from 0 to {end:g} s')
    if not 1 <= len(seconds) <= 12:
        raise bad_value('at', f'{len(seconds)} times', '1 to 12 times')
    xmin, ymin, xmax, ymax = view_of(data)
    shape = (xmax - xmin) / (ymax - ymin)
    columns = _columns(len(seconds), shape)
    rows = -(-len(seconds) // columns)
    left, right, top, bottom = _EDGES
    across, down = _GAPS
    width = (_WIDTH - left - right - (columns - 1) * across) / columns
    height = width / shape
    figure = Figure(figsize=(_WIDTH, top + bottom + rows * height + (rows - 1) * down))
    indexes = [int(np.searchsorted(data.seconds, time - 1e-9)) for time in seconds]
    # In all moments or in none.
    numbered = all(numbers_fit(data, index, 72.0 * width / (xmax - xmin)) for index in indexes)
    size = rcParams['axes.titlesize']
    names = [f'{time:g} s' for time in seconds]
    room = 72.0 * width - GAP - max(width_of(name, size, 'bold') for name in names)
    panels = []
    for k, (name, index) in enumerate(zip(names, indexes, strict=True)):
        axes = figure.add_axes((0.0, 0.0, width / _WIDTH, height / figure.get_figheight()))
        panels.append(axes)
        _draw_background(axes, data, index, k == 0, indexes, room)
        _draw(axes, data, index, by, numbered)
        axes.set_title(name, loc='left', fontweight='bold')
        if by == 'heading' and k == columns - 1:
            draw_heading_legend(axes)
        first, last = k % columns == 0, k + columns >= len(seconds)
        axes.tick_params(labelleft=first, labelbottom=last)
        axes.set(xlabel='x (m)' if last else '', ylabel='y (m)' if first else '')
    title = wrapped(title, 72.0 * (_WIDTH - left - right), size)
    _place(figure, panels, (columns, width, height), title.count('\n') + 1 if title else 0)
    figure.text(left / _WIDTH, 1.0 - 0.5 * LINE / figure.get_figheight(), title, va='top',
                fontsize=size, parse_math=False)
    trail = float(data.seconds[min(_trail_length(data), len(data.seconds) - 1)])
    draw_signs_of_moments(panels[0], data, trail, (
        1.0 - right / _WIDTH, _LEGEND / figure.get_figheight()))
    return figure


def _columns(count: int, shape: float) -> int:
    """Return how many moments of an arena, ``shape`` times as wide as high, are in a row."""
    if count == 3:
        return 3 if shape < _FLAT else 1
    return min(count, 3 if count != 4 and shape < 2.2 else 2, math.ceil(4 / shape))


def _place(figure: Figure, panels: Sequence[Axes], sizes: tuple[int, float, float],
           title: int) -> None:
    """Place the panels; a row whose labels have several lines has room for them above it.

    ``sizes``: how many are in a row, and width and height (inches) of one; ``title``: its lines.
    """
    columns, width, height = sizes
    left, _, top, bottom = _EDGES
    across, down = _GAPS
    lines = [max([0, *(text.get_text().count('\n') for axes in panels[k:k + columns]
                       for text in axes.texts if text.get_gid() == ABOVE)])
             for k in range(0, len(panels), columns)]
    rows = len(lines)
    full = top + bottom + rows * height + (rows - 1) * down + LINE * (sum(lines) + title)
    figure.set_figheight(full)
    for k, axes in enumerate(panels):
        row, column = divmod(k, columns)
        below = top + (row + 1) * height + row * down + LINE * (sum(lines[:row + 1]) + title)
        axes.set_position(((left + column * (width + across)) / _WIDTH, 1.0 - below / full,
                           width / _WIDTH, height / full))


def _draw_background(axes: Axes, data: RunData, index: int, first: bool,
                     shown: Sequence[int], room: float) -> None:
    # Every moment names its wind if a gust changes it.
    gusts = np.ptp(np.hstack([data.air.velocity, data.air.gust, data.air.force]), axis=0).any()
    draw_arena(axes, data, first or bool(gusts), index, shown, room)


def _trail_length(data: RunData) -> int:
    """Return of how many stamps a trail is at most."""
    return max(2, int(_TRAIL * len(data.stamps_ns)))


def _draw(axes: Axes, data: RunData, index: int, by: str, numbered: bool) -> None:
    length = _trail_length(data)
    step = max(1, length // _TRAIL_POINTS)
    trail = data.poses[max(0, index - length):index + 1:step, :, :2]
    colours = (heading_colours(data.poses[index, :, 2]) if by == 'heading'
               else robot_colours(data, by))
    if len(trail) > 1:
        axes.add_collection(lines(np.moveaxis(trail, 1, 0), colors=colours, alpha=0.45,
                                        linewidths=0.8, zorder=5))
    draw_moving(axes, data, index)
    Boxes(axes, data, data.boxes[index])
    draw_goals(axes, data, int(data.stamps_ns[index]), small=True, by=by)
    Robots(axes, data, data.poses[index], by, MOST_NUMBERED_SMALL if numbered else 0)
    if numbered:
        number_robots(axes, data, index, small=True, by=by)
