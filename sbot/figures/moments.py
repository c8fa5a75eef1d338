"""Figure of a run at several times, with the last part of each track."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sbot.figures.arena.boxes import Boxes
from sbot.figures.arena.colours import heading_colours, robot_colours
from sbot.figures.arena.goals import draw_goals
from sbot.figures.arena.ground import draw_arena
from sbot.figures.arena.heading_legend import draw_heading_legend
from sbot.figures.arena.numbers import MOST_NUMBERED_SMALL, number_robots, numbers_fit
from sbot.figures.arena.obstacles import draw_moving
from sbot.figures.arena.robots import Robots
from sbot.figures.arena.shapes import lines
from sbot.figures.arena.view import view_of
from sbot.figures.data import RunData
from sbot_common.errors import bad_value

_WIDTH = 7.0  # inches
_EDGES = (0.54, 0.10, 0.32, 0.47)  # inches to the left, right, top and bottom
_GAPS = (0.16, 0.29)  # inches between panels, across and down
_TRAIL = 0.06  # of the run, how long a trail lasts
_TRAIL_POINTS = 60
_WIDE = 1.25  # width by height of an arena, from which on four moments stand in two rows


def draw_moments(data: RunData, seconds: Sequence[float], by: str = '') -> Figure:
    """Return the picture of a run at some times (s since its first stamp), in rows.

    Parameters
    ----------
    data : of the run
    seconds : times, at least one; each within the run
    by : what a robot's colour says, as ``Look.colour``

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
    columns = min(len(seconds), 3 if len(seconds) != 4 and shape < 2.2 else 2,
                  math.ceil(4 / shape))
    rows = -(-len(seconds) // columns)
    left, right, top, bottom = _EDGES
    across, down = _GAPS
    width = (_WIDTH - left - right - (columns - 1) * across) / columns
    height = width / shape
    full = top + bottom + rows * height + (rows - 1) * down
    figure = Figure(figsize=(_WIDTH, full))
    indexes = [int(np.searchsorted(data.seconds, time - 1e-9)) for time in seconds]
    # In all moments or in none.
    numbered = all(numbers_fit(data, index, 72.0 * width / (xmax - xmin)) for index in indexes)
    for k, (time, index) in enumerate(zip(seconds, indexes, strict=True)):
        row, column = divmod(k, columns)
        axes = figure.add_axes((
            (left + column * (width + across)) / _WIDTH,
            1.0 - (top + (row + 1) * height + row * down) / full, width / _WIDTH, height / full))
        _draw_background(axes, data, index, k == 0, indexes)
        _draw(axes, data, index, by, numbered)
        axes.set_title(f'{time:g} s', loc='left', fontweight='bold')
        if by == 'heading' and k == columns - 1:
            draw_heading_legend(axes)
        last = k + columns >= len(seconds)
        axes.tick_params(labelleft=column == 0, labelbottom=last)
        axes.set(xlabel='x (m)' if last else '', ylabel='y (m)' if column == 0 else '')
    return figure


def _draw_background(axes: Axes, data: RunData, index: int, first: bool,
                     shown: Sequence[int]) -> None:
    # Every moment names its wind if a gust changes it.
    gusts = np.ptp(np.hstack([data.air.velocity, data.air.gust, data.air.force]), axis=0).any()
    draw_arena(axes, data, first or bool(gusts), index, shown)


def _draw(axes: Axes, data: RunData, index: int, by: str, numbered: bool) -> None:
    length = max(2, int(_TRAIL * len(data.stamps_ns)))
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
