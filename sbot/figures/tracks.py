# SPDX-License-Identifier: Apache-2.0
"""Tracks of robots, their colours and legend, and a run at several moments."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib import rcParams
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.markers import MarkerStyle
from matplotlib.ticker import MaxNLocator
from matplotlib.transforms import ScaledTranslation, blended_transform_factory
from numpy.typing import NDArray

from sbot.figures.arena import (
    ABOVE,
    GAP,
    LINE,
    columns_in,
    discs,
    figure_of,
    grow,
    heading_colours,
    lines,
    outlines,
    outlines_of,
    points_a_metre,
    robot_colours,
    width_of,
    widths_of_discs,
    wrapped,
)
from sbot.figures.data import RunData
from sbot.figures.ground import (
    Boxes,
    draw_arena,
    draw_goals,
    draw_moving,
    reference_arrow,
    wide_tolerances,
    wind_colours,
)
from sbot.figures.look import LIGHT, palette
from sbot.figures.robots import (
    MOST_NUMBERED_SMALL,
    Numbers,
    Robots,
    draw_heading_legend,
    numbers_fit,
)
from sbot.scenario.assemble import robot_bodies
from sbot_common.arrays import Indexes
from sbot_common.errors import bad_value, refuse

_MOST_POINTS = 1200  # of a track
_MOST_PIECES = 200_000  # of all tracks together
_RASTER_ABOVE = 20_000  # pieces: beyond, vector formats get the tracks as an image
_DOTS = 8  # at most, on a track that has its robot's colour
_COLOURS = 'viridis'


def draw_tracks(axes: Axes, data: RunData, by_time: bool) -> None:
    """Draw the tracks of all robots, coloured by time or as the robots, and their starts."""
    count = len(data.radius)
    points = min(_MOST_POINTS, max(2, _MOST_PIECES // count))
    step = max(1, -(-len(data.stamps_ns) // points))
    xy = data.poses[::step, :, :2]
    many = data.many
    colours = robot_colours(data, 'robot')
    style: dict[str, Any] = {
        'linewidths': 1.3 if not many else float(np.clip(150.0 / count, 0.45, 1.0)),
        'alpha': 1.0 if not many else 0.8, 'capstyle': 'round', 'zorder': 4}
    if by_time:
        pieces = np.stack([xy[:-1], xy[1:]], axis=2)
        times: NDArray[np.float64] = data.seconds[::step][:-1]
        tracks = lines(pieces.reshape(-1, 2, 2), array=np.repeat(times, count),
                             cmap=_COLOURS, **style)
        tracks.set_clim(0.0, float(data.seconds[-1]))
    else:
        # Robot 0 on top, as the robots are.
        tracks = lines(np.moveaxis(xy, 1, 0)[::-1], colors=colours[::-1], **style)
        times = np.arange(_interval(data), float(data.seconds[-1]) * 0.999, _interval(data))
        rows = np.searchsorted(data.seconds, times - 1e-9)
        for i, colour in enumerate([] if many else colours):
            axes.plot(*data.poses[rows, i, :2].T, **{**dots(data), 'color': colour}, zorder=4.5,
                      gid='dots')
    tracks.set_rasterized(xy.shape[0] * count > _RASTER_ABOVE)
    tracks.set_gid('tracks')
    axes.add_collection(tracks)
    shapes = outlines_of(robot_bodies(data.scenario))
    ring: Any = palette().ring if by_time else colours
    style = {  # below goals and boxes
        'facecolors': palette().start if many else palette().ground,
        'edgecolors': 'none' if many else ring, 'linewidths': 0.8, 'zorder': 3.05}
    width = widths_of_discs(axes, data, shapes)
    axes.add_collection(discs(axes, data.poses[0, :, :2], 0.6 * width if many else width,
                                    **style))
    if not by_time and not many:
        style['edgecolors'] = [colours[i] for i in sorted(shapes, reverse=True)]
    axes.add_collection(PolyCollection(outlines(shapes, data.poses[0]), **style))


# Contacts of robots with obstacles, walls and each other: a cross where one begins.

_APART = 1.0  # s without a touch, after which a touch is a new contact


def _contact_begins(data: RunData) -> tuple[Indexes, Indexes]:
    """Return at which stamps contacts begin, and of which robots; both (K,).

    There are none of more than eight robots, or where contacts are not known, as of a recording.
    """
    if data.contacts is None or data.many:
        return np.zeros(0, np.intp), np.zeros(0, np.intp)
    rows = [touching[np.diff(data.seconds[touching], prepend=-np.inf) > _APART]
            for touching in map(np.flatnonzero, data.contacts.T)]
    return np.concatenate(rows), np.repeat(np.arange(len(rows)), list(map(len, rows)))


def _contact_style() -> dict[str, Any]:
    """Return the style of a cross."""
    return {'marker': 'x', 'markersize': 6.0, 'markeredgewidth': 1.4, 'color': palette().ink}


def draw_contacts(axes: Axes, data: RunData) -> None:
    """Draw a cross at each place where a contact begins, on the track of its robot."""
    rows, robots = _contact_begins(data)
    if len(rows):
        axes.plot(*data.poses[rows, robots, :2].T, linestyle='none', **_contact_style(),
                  zorder=6.0, gid='contacts')


def _interval(data: RunData) -> float:
    """Return how many seconds lie between two dots of a track: 1, 2 or 5 of a power of ten."""
    least = max(float(data.seconds[-1]), 1e-3) / _DOTS
    power = 10.0 ** np.floor(np.log10(least))
    return float(power * next(each for each in (1, 2, 5, 10) if each * power >= least * 0.999))


def dots(data: RunData) -> dict[str, Any]:
    """Return the style of a dot, and its name in a legend."""
    return {'label': f'dots every {_interval(data):g} s', 'linestyle': 'none', 'marker': 'o',
            'markersize': 2.4, 'markeredgewidth': 0.6, 'color': palette().ink,
            'markerfacecolor': palette().ground}


def draw_strip(axes: Axes, data: RunData) -> None:
    """Draw the colours of the tracks with their times: the tracks' legend."""
    end = max(float(data.seconds[-1]), 1e-9)
    axes.imshow(np.linspace(0.0, 1.0, 256)[None, :], aspect='auto', cmap=_COLOURS,
                extent=(0.0, end, 0.0, 1.0))
    axes.set_yticks([])
    axes.set_ylabel('time on\nthe tracks', rotation='horizontal', ha='right', va='center')
    ticks: Any = MaxNLocator(6, steps=[1, 2, 5, 10]).tick_values(0.0, end)
    for time in ticks[ticks <= end * (1.0 + 1e-9)]:
        axes.text(min(max(time, 0.01 * end), 0.99 * end), 0.45, f'{time:g} s', va='center',
                  ha='left' if time == 0.0 else 'center' if time < 0.97 * end else 'right',
                  color='white' if time < 0.6 * end else LIGHT.ink, gid='seconds')
    axes.tick_params(bottom=False, labelbottom=False)
    for spine in axes.spines.values():
        spine.set_visible(False)


# Figure of a run at several times, with the last part of each track.

_WIDTH = 7.0  # inches
_EDGES = (0.54, 0.10, 0.32, 0.69)  # inches to the left, right, top and bottom
_LEGEND = 0.13  # inches from the lower edge to the middle of the legend
_GAPS = (0.16, 0.29)  # inches between panels, across and down
_TRAIL = 0.06  # of the run, how long a trail lasts
_TRAIL_POINTS = 60
_FLAT = 2.4  # width by height of an arena, from which on three moments stand one above another


def _check_times(seconds: Sequence[float], end: float) -> None:
    refuse(*((not 0.0 <= time <= end + 1e-9, bad_value('at', time, f'a time from 0 to {end:g} s'))
             for time in seconds),
           (not 1 <= len(seconds) <= 12,
            bad_value('at', f'{len(seconds)} times', '1 to 12 times')))


def draw_moments(data: RunData, seconds: Sequence[float], by: str = '', title: str = '',
                 inches: tuple[float, ...] | None = None) -> Figure:
    """Return the picture of a run at some times (s since its first stamp), in rows.

    Parameters
    ----------
    data : of the run
    seconds : times, at least one; each within the run
    by : what a robot's colour says, as ``Look.colour``
    title : above all; '': none
    inches : width, or width and height, of the picture; None: 7, and what the arena has

    Raises
    ------
    InputError
        for a time outside the run, or more than twelve.

    """
    _check_times(seconds, float(data.seconds[-1]))
    xmin, ymin, xmax, ymax = data.view
    shape = (xmax - xmin) / (ymax - ymin)
    columns = _columns(len(seconds), shape, inches or ())
    rows = -(-len(seconds) // columns)
    left, right, top, bottom = _EDGES
    across, down = _GAPS
    full = _WIDTH if inches is None else inches[0]
    width = (full - left - right - (columns - 1) * across) / columns
    height = width / shape
    high = top + bottom + rows * height + (rows - 1) * down
    figure = Figure(figsize=(full, high))
    indexes = [int(np.searchsorted(data.seconds, time - 1e-9)) for time in seconds]
    # In all moments or in none.
    numbered = all(numbers_fit(data, index, 72.0 * width / (xmax - xmin)) for index in indexes)
    size = rcParams['axes.titlesize']
    names = [f'{time:g} s' for time in seconds]
    room = 72.0 * width - GAP - max(width_of(name, size, 'bold') for name in names)
    changes = bool(np.ptp(np.hstack([data.air.velocity, data.air.gust, data.air.force]), 0).any())
    panels: list[Axes] = []
    for k, (name, index) in enumerate(zip(names, indexes, strict=True)):
        row, column = divmod(k, columns)
        below = top + (row + 1) * height + row * down  # inches from the upper edge
        axes = figure.add_axes(((left + column * (width + across)) / full, 1.0 - below / high,
                                width / full, height / high))
        panels.append(axes)
        # Every moment names its wind if a gust changes it.
        draw_arena(axes, data, k == 0 or changes, index, indexes, room)
        _draw(axes, data, index, by, numbered)
        axes.set_title(name, loc='left', fontweight='bold')
        if by == 'heading' and k == columns - 1:
            draw_heading_legend(axes)
        first, last = k % columns == 0, k + columns >= len(seconds)
        axes.tick_params(labelleft=first, labelbottom=last)
        axes.set(xlabel='x (m)' if last else '', ylabel='y (m)' if first else '')
    title = wrapped(title, 72.0 * (full - left - right), size)
    _make_room(figure, panels, columns, title)
    trail = float(data.seconds[min(_trail_length(data), len(data.seconds) - 1)])
    _draw_signs_of_moments(panels[-1], data, trail, 1.0 - right / full, _LEGEND, bottom)
    figure.text(left / full, 1.0 - 0.5 * LINE / figure.get_figheight(), title, va='top',
                fontsize=size, parse_math=False)
    return figure


def _make_room(figure: Figure, panels: Sequence[Axes], columns: int, title: str) -> None:
    """Make the picture higher: for labels of several lines above each row, and for the title."""
    for k in range(0, len(panels), columns):
        labels = [text.get_text() for axes in panels[k:k + columns] for text in axes.texts
                  if text.get_gid() == ABOVE]
        grow(figure, LINE * max([0, *(label.count('\n') for label in labels)]), panels[:k])
    grow(figure, LINE * (title.count('\n') + 1 if title else 0))


def _columns(count: int, shape: float, inches: tuple[float, ...]) -> int:
    """Return how many moments of an arena, ``shape`` times as wide as high, are in a row.

    In a picture of a given height, as few as fit: these are the largest.
    """
    left, right, top, bottom = _EDGES
    across, down = _GAPS
    for columns in range(1, count + 1) if len(inches) == 2 else ():
        rows = -(-count // columns)
        width = (inches[0] - left - right - (columns - 1) * across) / columns
        if top + bottom + rows * width / shape + (rows - 1) * down <= inches[1]:
            return columns
    if count == 3:
        return 3 if shape < _FLAT else 1
    return min(count, 3 if count != 4 and shape < 2.2 else 2, math.ceil(4 / shape))


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
        Numbers(axes, data, by, index)


PADS = 0.3  # inches, of ticks and distances of labels: smaller letters do not make these smaller
_BELOW = 0.33  # inches from the arena to the middle of its legend, on the line of `x (m)`
_MOST_SIGNS = 3  # beside the label of the x axis; more are below it
_LEAST_BESIDE = 5.0  # inches; in a narrower picture all signs are below the label
_LEAST_FORCE = 1e-9  # N


def _goal_sign(size: float = 7.0) -> tuple[Line2D, Line2D]:
    """Return the sign of a goal for a legend: a ring (pt), and a cross in it."""
    style: dict[str, Any] = {'color': palette().goal, 'linestyle': 'none', 'markeredgewidth': 0.9}
    return (Line2D([], [], marker='o', markersize=size, markerfacecolor='none', **style),
            Line2D([], [], marker='+', markersize=0.6 * size, **style))


def draw_signs(axes: Axes, data: RunData, right: float, letters: float,
               dots: list[dict[str, Any]]) -> float:
    """Draw the legend of a picture of tracks, and the label of the x axis.

    It ends at ``right``, a share of the figure's width; ``letters``: their size, of the usual;
    ``dots``: their style, if it names them. Returns how far (inches) it is below the
    line of the label: 0 beside it, more where it has too many signs for that.
    """
    signs = [('start', _start_sign(data)), *_common_signs(axes, data)]
    if len(_contact_begins(data)[0]):
        signs.append(('contact', _line(**_contact_style())))
    signs += [(style['label'], Line2D([], [], **style)) for style in dots]
    axes.set_xlabel('x (m)')
    rows = -(-len(signs) // _columns_of(axes, signs, right))
    beside = len(signs) <= _MOST_SIGNS and figure_of(axes).get_figwidth() > _LEAST_BESIDE
    line = letters * LINE
    below = 0.0 if beside else line
    _legend(axes, axes, signs, right, letters * _BELOW + (1.0 - letters) * PADS + below
            + 0.5 * (rows - 1) * line)
    return below + (rows - 1) * line


def _draw_signs_of_moments(axes: Axes, data: RunData, trail: float, right: float,
                          up: float, bottom: float) -> None:
    """Draw the legend of a picture of moments, with trails of so many seconds.

    ``axes`` of the lowest row, ``bottom`` (inches) above the lower edge. It ends at ``right``, a
    share of the figure's width. The middle of a single row is ``up`` (inches) above the lower
    edge; for more rows, or a long arrow, the picture grows.
    """
    line = Line2D([], [], color=palette().ink, alpha=0.45, linewidth=1.2)
    figure = figure_of(axes)
    signs = [(f'trail of {trail:.2g} s', line), *_common_signs(axes, data, moments=True)]
    _, size, way = reference_arrow(axes, data, moments=True)
    more = max(LINE * (-(-len(signs) // _columns_of(axes, signs, right)) - 1),
               size / 72.0 * abs(math.sin(math.atan2(way[1], way[0]))) - 2.0 * up)
    grow(figure, more, figure.axes)
    _legend(figure, axes, signs, right, bottom + 0.5 * more - up)


def _common_signs(axes: Axes, data: RunData, moments: bool = False) -> list[tuple[str, Any]]:
    """Return names and signs of goals, moving obstacles and wind, as far as they are drawn."""
    signs: list[tuple[str, Any]] = []
    goals = data.goals_at(int(data.stamps_ns[-1]))
    if goals:
        signs.append(('goal', _goal_sign()))
        if len(wide_tolerances(data, goals, points_a_metre(axes, data))):
            signs.append(('tolerance', _line(
                marker='o', markersize=9.0, alpha=0.6, markerfacecolor='none',
                markeredgewidth=0.6, color=palette().goal)))
    if data.scenario.world.moving:
        signs.append(('moving obstacle', Line2D(
            [], [], linestyle='none' if moments else ':', linewidth=1.0, marker='o',
            color=palette().obstacle, markersize=5.0, markerfacecolor=palette().moving,
            markeredgewidth=0.8)))
    length, size, way = reference_arrow(axes, data, moments)
    speed, force = data.strongest_gust()
    if size:
        # Arrows of tracks do not contain the gust.
        mean = 'mean ' * bool(data.air.gust.any() and not moments)
        signs.append((f'{mean}wind {length:g} m/s', _arrow(way, wind_colours(data)[0], size)))
    if not moments and (speed.any() or np.hypot(*force[:2]) > _LEAST_FORCE):
        signs.append(('gust', _arrow(speed if speed.any() else force, palette().gust)))
    return signs


def _columns_of(axes: Axes, signs: list[tuple[str, Any]], right: float) -> int:
    """Return how many columns a legend has that ends at ``right``, a share of the width."""
    return columns_in([name for name, _ in signs],
                      72.0 * right * figure_of(axes).get_figwidth(), 1.8, 1.0)


def _legend(owner: Axes | Figure, axes: Axes, signs: list[tuple[str, Any]], right: float,
            down: float) -> None:
    """Draw a legend whose middle is ``down`` (inches) below the axes."""
    place = blended_transform_factory(figure_of(axes).transFigure, axes.transAxes) + (
        ScaledTranslation(0.0, -down, figure_of(axes).dpi_scale_trans))
    owner.legend([sign for _, sign in signs], [name for name, _ in signs], loc='center right',
                bbox_to_anchor=(right, 0.0), bbox_transform=place,
                ncols=_columns_of(axes, signs, right), frameon=False, fontsize='medium',
                borderpad=0.0, borderaxespad=0.0, handlelength=1.8, handletextpad=0.4,
                columnspacing=1.0)


def _line(**style: Any) -> Line2D:  # noqa: ANN401 - matplotlib's
    return Line2D([], [], linestyle='none', **style)


def _arrow(way: Any, colour: str, size: float = 11.0) -> Line2D:  # noqa: ANN401 - pair or array
    """Return an arrow of a length (pt) in the direction of a vector x, y."""
    turned = MarkerStyle(r'$\rightarrow$').rotated(rad=math.atan2(way[1], way[0]))
    return _line(marker=turned, markersize=size, markeredgewidth=0.0, color=colour)


def _start_sign(data: RunData) -> Line2D:
    many = data.many
    shape = 's' if len(outlines_of(robot_bodies(data.scenario))) == len(data.radius) else 'o'
    return _line(marker=shape, markersize=3.5 if many else 5.0,
                 color=palette().start if many else palette().ink, markeredgewidth=0.8,
                 markerfacecolor=palette().start if many else palette().ground)
