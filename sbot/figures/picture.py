# SPDX-License-Identifier: Apache-2.0
"""Figure of a run: arena with the tracks of all robots, and time plots."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from matplotlib import rcParams, rcParamsDefault
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from sbot.figures.arena import (
    ABOVE,
    GAP,
    LEADER,
    LINE,
    columns_in,
    drawn_width,
    grow,
    robot_colours,
    width_of,
    wrapped,
)
from sbot.figures.data import MOST_NAMED, RunData
from sbot.figures.ground import Boxes, draw_arena, draw_goals, draw_moving
from sbot.figures.look import DPI, LETTERS, PLAIN, Look, drawing, palette, style_of
from sbot.figures.robots import MOST_NUMBERED, Numbers, Robots
from sbot.figures.tracks import (
    PADS,
    dots,
    draw_contacts,
    draw_moments,
    draw_signs,
    draw_strip,
    draw_tracks,
)
from sbot.scenario.controllers import has_leader
from sbot_common.arrays import Floats
from sbot_common.clock import NANOSECONDS, in_seconds
from sbot_common.errors import bad_value, one_line, writing

_WIDTH = 7.0  # inches: two columns of a paper
_LEFT, _RIGHT = 0.78, 0.12  # inches beside arena and panels: the same, so that their edges align
_TOP, _BOTTOM = 0.30, 0.46  # inches for the title, and for the time axis
_LINE = 0.2  # inches, of a title above the label of the wind
_ARENA_HEIGHTS = (0.6, 7.0)  # inches, least and most
_ARENA_AXIS = 0.52  # inches for the arena's x axis
_STRIP_HEIGHT, _STRIP_GAP = 0.15, 0.29  # inches; the panels' legend is in the gap
_BELOW_STRIP = 0.1  # inches, where no curves are below it
_LEGEND = 0.19  # inches, without a strip
_PANEL_HEIGHT, _PANEL_GAP = 0.95, 0.12
_LEAST_ARENA = 0.7  # of its height beside the curves, before these are left out
_COLUMN, _SMALL = 5.0, 7.0  # inches, below which letters are so small (pt)


def plot_run(data: RunData, path: str | Path, look: Look = PLAIN) -> None:
    """Write the picture of a run; the ending of the path selects the format.

    Raises
    ------
    InputError
        if the file cannot be written.

    """
    path = Path(path)
    # Without the time of writing, so that equal runs give equal files.
    undated = {'.svg': {'Date': None}, '.pdf': {'CreationDate': None}}
    with drawing(_style(look)):
        figure = draw(data, look)
        with writing(path):
            # Rather a hundredth of a pixel more, as the width is cut to whole ones.
            figure.savefig(path, metadata=undated.get(path.suffix.lower()),
                           dpi=(look.width + 0.01) / _WIDTH if look.width else DPI)


def _style(look: Look) -> dict[Any, Any]:
    """Return the style of a picture; what the user has set of fonts stays."""
    style = style_of(look.dark)
    if look.inches is not None:
        if look.inches[0] < _COLUMN:
            style |= {'font.size': _SMALL, 'axes.titlesize': _SMALL}
        style |= {name: rcParams[name] for name in ('font.size', 'font.family', 'axes.titlesize')
                  if rcParams[name] != rcParamsDefault[name]}
    return style


def draw(data: RunData, look: Look) -> Figure:
    """Return the picture of a run: its tracks, or several times of it."""
    with drawing(_style(look) if look.dark or look.inches is not None else {}):
        title = look.title if look.title is None else one_line(look.title)
        if look.at:
            figure = draw_moments(data, look.at, look.colour, title or '', look.inches)
            if look.inches is not None and len(look.inches) == 2:
                more = look.inches[1] - figure.get_figheight()
                if more < 0.0:
                    raise bad_value('figsize', look.inches, 'a height of at least '
                                    f'{figure.get_figheight():.2f} inches')
                grow(figure, more, figure.axes)
            return figure
        return _draw_run(data, look.colour, title, look.inches)


class _Sizes(NamedTuple):
    """Sizes of a picture's parts, in inches."""

    width: float  # of arena and panels
    arena: float  # height
    panel: float = _PANEL_HEIGHT  # height; 0: no panels
    letters: float = 1.0  # of the usual size; distances between the parts are in proportion


def _draw_run(data: RunData, colour: str = '', title: str | None = None,
             inches: tuple[float, ...] | None = None) -> Figure:
    """Return the picture of a run, in so many inches; of a width only, it is as high as it needs.

    Raises
    ------
    InputError
        if it does not fit into its height.

    """
    xmin, ymin, xmax, ymax = data.view
    letters = 1.0 if inches is None else rcParams['font.size'] / LETTERS
    wide = _WIDTH if inches is None else inches[0]
    width = wide - letters * (_LEFT + _RIGHT)
    natural = float(np.clip(width * (ymax - ymin) / (xmax - xmin), *_ARENA_HEIGHTS))
    sizes = _Sizes(width, natural, letters=letters)
    figure = _draw_sized(data, colour, title, sizes)
    if inches is None or len(inches) == 1:
        return figure
    # The curves give way until their labels would touch; then they are left out, then the arena
    # gives way.
    labels = [_short(label) for label, _, _ in _panels_of(data)]
    panels, least = len(labels), max(map(_height_of, labels)) - _PANEL_GAP * letters
    for _ in range(4):  # in a smaller arena, labels have other lines
        free = sizes.arena + inches[1] - figure.get_figheight() + panels * sizes.panel
        panel = max(least, (free - natural) / panels) if sizes.panel else 0.0
        arena = min(natural, free - panels * panel)
        if arena < (_LEAST_ARENA * natural if panel else _ARENA_HEIGHTS[0]):
            if not panel:
                raise bad_value('figsize', inches, 'a height of at least '
                                f'{inches[1] + _ARENA_HEIGHTS[0] - arena:.2f} inches')
            panel, arena = 0.0, natural
        sizes = sizes._replace(panel=panel, arena=arena)
        figure = _draw_sized(data, colour, title, sizes)
    more = 0.5 * (inches[1] - figure.get_figheight())  # above the arena, and below it
    grow(figure, more, figure.axes[:1])
    grow(figure, more)
    return figure


def _draw_sized(data: RunData, colour: str, title: str | None, sizes: _Sizes) -> Figure:
    """Return the picture of a run; ``colour`` says what the tracks' colour means.

    ``title``: None: name, robots, seed and duration; '': none.
    """
    by_time = colour == 'time' or (not colour and data.many)
    width, height, panel, letters = sizes
    left, right, line = letters * _LEFT, letters * _RIGHT, letters * LINE
    # What stands below one another, and its height: '' is room for letters.
    rows = [('', letters * _TOP), ('arena', height),
            ('', letters * _ARENA_AXIS + (1.0 - letters) * PADS)]
    if by_time:
        rows.append(('strip', letters * _STRIP_HEIGHT))
    if panel:
        rows.append(('', letters * (_STRIP_GAP if by_time else _LEGEND)))
        rows += [('panel', panel), ('', letters * _PANEL_GAP)] * len(_panels_of(data))
        rows[-1] = ('', letters * _BOTTOM)
    elif by_time:
        rows.append(('', letters * _BELOW_STRIP))
    wide, full = width + left + right, sum(high for _, high in rows)
    figure = Figure(figsize=(wide, full))
    placed: dict[str, list[Axes]] = {'arena': [], 'strip': [], 'panel': []}
    reached = 0.0  # inches from the top
    for kind, high in rows:
        reached += high
        if kind:
            shared = [*placed['strip'], *placed['panel']]  # the time axis
            placed[kind].append(figure.add_axes(
                (left / wide, 1.0 - reached / full, width / wide, high / full),
                sharex=shared[0] if shared else None))
    [top], strips, below = placed.values()
    by = '' if by_time else 'robot'
    draw_tracks(top, data, by_time)
    draw_arena(top, data, width=drawn_width(top, data))
    draw_moving(top, data, -1)
    Boxes(top, data, data.boxes[0], facecolors='none', edgecolors=palette().box, linestyles=':',
          linewidths=1.0, zorder=2, gid='starts of boxes')
    Boxes(top, data, data.boxes[-1])
    draw_goals(top, data, int(data.stamps_ns[-1]), by=by if colour else '')
    Robots(top, data, data.poses[-1], by, MOST_NUMBERED)
    Numbers(top, data, by, -1, MOST_NUMBERED)
    draw_contacts(top, data)
    dotted = [dots(data)] * any(line.get_gid() == 'dots' for line in top.lines)
    below_label = draw_signs(top, data, 1.0 - right / wide, letters, [] if below else dotted)
    top.set(ylabel='y (m)')
    _place_title(figure, top, _title(data) if title is None else title, drawn_width(top, data),
                 letters)
    grow(figure, below_label, [top])
    for strip in strips:
        draw_strip(strip, data)
    if not below:
        return figure
    _draw_panels(figure, below, data)
    for each in below:
        if _height_of(each.get_ylabel()) > panel + letters * _PANEL_GAP:
            each.set_ylabel(_short(each.get_ylabel()))
    for style in dotted:
        below[0].plot([], [], **style)
    _name_curves(figure, below[0], [top, *strips], line)
    return figure


def _height_of(label: str) -> float:
    """Return the height (inches) of a panel's label, which is written upwards."""
    return width_of(label) / 72.0


def _short(label: str) -> str:
    return label.partition(',')[0]


def _name_curves(figure: Figure, panel: Axes, above: list[Axes], line: float) -> None:
    """Draw the legend of the panels above the first one, whose lines are ``line`` (inch) high."""
    names = panel.get_legend_handles_labels()[1]
    columns = min(MOST_NAMED + 1, columns_in(names, 72.0 * figure.get_figwidth(), 1.4, 1.0))
    grow(figure, (-(-len(names) // columns) - 1) * line, above)
    panel.legend(loc='lower right', bbox_to_anchor=(1.0, 0.99), ncols=columns,
                 frameon=False, fontsize='medium', handlelength=1.4, labelspacing=0.2,
                 handletextpad=0.5, columnspacing=1.0, borderaxespad=0.1)


def _place_title(figure: Figure, top: Axes, text: str, room: float, letters: float) -> None:
    """Write the title beside the label of the wind, or above it where both are too long.

    ``room``: width (pt) of the arena; a narrow one has room beside it, too.
    """
    size, line = rcParams['axes.titlesize'], letters * LINE
    label = next((each.get_text() for each in top.texts if each.get_gid() == ABOVE), '')
    text = wrapped(text, 0.5 * (room + 72 * (figure.get_figwidth() - _LEFT - _RIGHT)), size)
    beside = not (text and label) or width_of(text, size) + GAP + width_of(label) <= room
    lines, above = text.count('\n') + 1, label.count('\n') + 1
    up = 0.0 if beside else letters * _LINE + (above - 1) * line
    top.set_title(text, loc='left', parse_math=False, pad=rcParams['axes.titlepad'] + 72 * up)
    grow(figure, max(up + (lines - 1) * line, (above - 1) * line))


def _title(data: RunData) -> str:
    count = len(data.radius)
    robots = 'one robot' if count == 1 else f'{count} robots'
    duration = in_seconds(float(data.seconds[-1]))
    name = data.name
    # A line ends between these, not in them.
    facts = ' '.join(each.replace(' ', '\xa0') for each in (
        f'{robots},', f'seed {data.scenario.seed},', duration + _about_wind(data)))
    return f'{name}{", " * bool(name)}{facts}'


def _about_wind(data: RunData) -> str:
    wind = data.scenario.wind.flow
    above = ' above ground' * wind.height.above_terrain
    text = '' if data.field is None else f', wind at {wind.height.value:g} m{above}'
    if wind.wind_force_mean and wind.forces_act:
        text += f', mean wind force {wind.wind_force_mean:g} N'
    return text


# Panels below the arena: curves over time.


_SPEED_WINDOW = 0.5  # s; a speed is the mean of this long
_MOST_POINTS = 1500  # of a line
_ROOM = 0.05  # above the highest value, of the height
_BAND = (10.0, 90.0)  # per cent of the robots
_EQUAL, _LONG = 0.01, 0.2  # of the range of values, and of the time: curves that hide others
_DASH = 4.0  # line widths


def _speeds(data: RunData) -> Floats:
    """Return how fast each robot is (T, N) (m/s): the mean of _SPEED_WINDOW around each stamp."""
    seconds = data.seconds
    steps = np.hypot(*np.moveaxis(np.diff(data.poses[:, :, :2], axis=0), -1, 0))
    way = np.vstack([np.zeros(steps.shape[1]), np.cumsum(steps, axis=0)])
    first = np.searchsorted(seconds, seconds - _SPEED_WINDOW / 2 - 1e-9)
    last = np.searchsorted(seconds, seconds + _SPEED_WINDOW / 2 + 1e-9, side='right') - 1
    elapsed = np.maximum(seconds[last] - seconds[first], 1e-9)
    return np.asarray((way[last] - way[first]) / elapsed[:, None])


def _leader_distances(data: RunData) -> Floats:
    """Return the distance (T, N) (m) of each robot from robot 0, centre to centre."""
    offset = data.poses[:, :, :2] - data.poses[:, :1, :2]
    return np.asarray(np.hypot(offset[:, :, 0], offset[:, :, 1]))


def _wind_reductions(data: RunData) -> Floats:
    """Return which share of the wind others keep off each robot (T, N); NaN: there is none."""
    free = np.hypot(data.free_wind[:, :, 0], data.free_wind[:, :, 1])
    felt = np.hypot(data.wind[:, :, 0], data.wind[:, :, 1])
    return np.asarray(1.0 - np.divide(felt, free, out=np.full(free.shape, np.nan),
                                      where=free > 0.0))


def _panels_of(data: RunData) -> list[tuple[str, Floats, bool]]:
    """Return (label, values (T, N), whether robot 0 has values) of each panel."""
    panels = [(f'speed (m/s),\nmean of {_SPEED_WINDOW:g} s', _speeds(data), True)]
    if has_leader(data.scenario):
        panels.append(('distance to\nleader (m)', _leader_distances(data), False))
    if data.scenario.wind.wakes.wake and data.free_wind.any():
        panels.append(('wind kept\noff (%)', 100.0 * _wind_reductions(data), True))
    return panels


def _gust_of(data: RunData) -> tuple[float, float] | None:
    """Return begin and end (s since the first stamp) of the gust, or None without one."""
    wind = data.scenario.wind.flow
    blows = wind.wind_gust_speed_mean > 0.0 or (wind.forces_act
                                                and wind.wind_gust_force_mean > 0.0)
    begin, end = ((stamp - int(data.stamps_ns[0])) / NANOSECONDS for stamp in wind.gust_window)
    begin, end = max(begin, 0.0), min(end, float(data.seconds[-1]))
    return (begin, end) if blows and begin < end else None


def _draw_panels(figure: Figure, axes: list[Axes], data: RunData) -> None:
    """Draw every panel of ``_panels_of`` into its axes, which share their time axis."""
    count = len(data.radius)
    step = max(1, len(data.stamps_ns) // _MOST_POINTS)
    seconds = data.seconds[::step]
    for panel, (label, values, leader) in zip(axes, _panels_of(data), strict=True):
        values = values[::step]
        if not data.many:
            _draw_robots(panel, data, seconds, values, first=0 if leader else 1)
        elif not has_leader(data.scenario):
            first = 0 if leader else 1
            _draw_percentiles(panel, seconds, values[:, first:], f'{count} robots')
        else:
            _draw_percentiles(panel, seconds, values[:, 1:], f'{count - 1} others')
            if leader:
                panel.plot(seconds, values[:, 0], color=LEADER, linewidth=1.0,
                           label=_name(data, 0), zorder=4)
        panel.set_ylabel(label)
        low = min(0.0, float(np.nanmin(values, initial=0.0)))
        high = float(np.nanmax(values, initial=0.0))
        if '%' in label:
            high = max(1.05 * high, 10.0)
        if high > low:  # with room above, or a constant would lie on the edge
            panel.set_ylim(top=high + _ROOM * (high - low))
        panel.set_ylim(bottom=low)
        panel.margins(x=0)
        panel.grid(color=palette().grid, linewidth=0.4)
        for side in ('top', 'right'):
            panel.spines[side].set_visible(False)
        panel.tick_params(labelbottom=panel is axes[-1], length=2)
    gust = _gust_of(data)
    if gust is not None:
        for panel in axes:
            # Named once. How strong it is, the label of the wind says.
            panel.axvspan(*gust, color='#f0c040', alpha=0.25, linewidth=0, zorder=0,
                          label='gust' if panel is axes[0] else None)
    axes[-1].xaxis.set_major_locator(MaxNLocator(nbins=9, steps=[1, 2, 5, 10]))
    axes[-1].set_xlabel('time (s)')
    figure.align_ylabels(axes)


def _draw_robots(panel: Axes, data: RunData, seconds: Floats, values: Floats,
                 first: int) -> None:
    """Draw the values (T, N) of each robot from ``first`` on, robot 0 on top.

    Where it would hide others that are equal, a line is dashed, so that the others show in its
    gaps.
    """
    colours, hides = robot_colours(data), _hidden(values)
    for i in range(first, values.shape[1]):
        style: dict[str, Any] = {'color': colours[i], 'linewidth': 1.1, 'zorder': 3 - 0.1 * i}
        below, others = hides[:, i] > 0, int(hides[:, i].max(initial=0))
        seen = np.where(below, np.nan, values[:, i])
        panel.plot(seconds, seen, label=_name(data, i), **style)
        if others:
            # One after the other, each in the gaps of the others.
            dashes = i % (others + 1) * _DASH, (_DASH, others * _DASH)
            # With the points on both sides, else there are gaps.
            wide = below | np.roll(below, 1) | np.roll(below, -1)
            panel.plot(seconds, np.where(wide, values[:, i], np.nan), linestyle=dashes, **style)


def _hidden(values: Floats) -> NDArray[np.int64]:
    """Return how many lines of higher columns of (T, N) hides there, if it does for long."""
    step = _EQUAL * float(np.nanmax(values, initial=0.0) - np.nanmin(values, initial=0.0))
    count = np.zeros(values.shape, np.int64)
    for i in range(values.shape[1] - 1):
        with np.errstate(invalid='ignore'):
            near = np.abs(values[:, i + 1:] - values[:, i:i + 1]) <= step
        near &= near.mean(axis=0) > _LONG
        count[:, i] = near.sum(axis=1)
    return count


def _draw_percentiles(panel: Axes, seconds: Floats, values: Floats, name: str) -> None:
    """Draw a median, the band that holds most robots and the range that holds all."""
    known = np.isfinite(values).any(axis=1)
    seconds, values = seconds[known], values[known]
    low, median, high = np.nanpercentile(values, [_BAND[0], 50.0, _BAND[1]], axis=1)
    panel.fill_between(seconds, np.nanmin(values, axis=1), np.nanmax(values, axis=1),
                       color=palette().many, alpha=0.12, linewidth=0, label=f'all {name}')
    panel.fill_between(seconds, low, high, color=palette().many, alpha=0.30, linewidth=0,
                       label=f'{_BAND[0]:.0f}–{_BAND[1]:.0f} % of them')
    panel.plot(seconds, median, color=palette().many, linewidth=1.0, label='median', zorder=3)


def _name(data: RunData, robot: int) -> str:
    if robot == 0 and has_leader(data.scenario):
        return 'leader (0)'
    return f'robot {robot}' if robot == 0 else str(robot)  # short, as eight are on a line
