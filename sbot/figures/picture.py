# SPDX-License-Identifier: Apache-2.0
"""Figure of a run: arena with the tracks of all robots, and time plots."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from matplotlib import rcParams, rcParamsDefault
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sbot.figures.arena import (
    ABOVE,
    GAP,
    LINE,
    MOST_NAMED,
    columns_in,
    drawn_width,
    grow,
    view_of,
    width_of,
    wrapped,
)
from sbot.figures.data import RunData, name_of
from sbot.figures.ground import draw_arena, draw_goals
from sbot.figures.look import PLAIN, Look
from sbot.figures.obstacles import Boxes, draw_moving
from sbot.figures.palette import DPI, LETTERS, drawing, palette, style_of
from sbot.figures.panels import draw_panels, panels_of
from sbot.figures.robots import MOST_NUMBERED, Numbers, Robots, draw_contacts
from sbot.figures.signs import PADS, draw_signs
from sbot.figures.tracks import dots, draw_moments, draw_strip, draw_tracks, interval
from sbot_common.clock import in_seconds
from sbot_common.errors import bad_value, one_line, writing
from wind_model.gust import forces_act

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
STYLE = style_of(dark=False)


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
            if look.inches is not None:
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
             inches: tuple[float, float] | None = None) -> Figure:
    """Return the picture of a run, in so many inches.

    Raises
    ------
    InputError
        if it does not fit into its height.

    """
    xmin, ymin, xmax, ymax = view_of(data)
    letters = 1.0 if inches is None else rcParams['font.size'] / LETTERS
    wide = _WIDTH if inches is None else inches[0]
    width = wide - letters * (_LEFT + _RIGHT)
    natural = float(np.clip(width * (ymax - ymin) / (xmax - xmin), *_ARENA_HEIGHTS))
    sizes = _Sizes(width, natural, letters=letters)
    figure = _draw_sized(data, colour, title, sizes)
    if inches is None:
        return figure
    # The curves give way down to half of their height; then they are left out, then the arena
    # gives way.
    panels, half = len(panels_of(data)), 0.5 * _PANEL_HEIGHT * letters
    for _ in range(4):  # in a smaller arena, labels have other lines
        free = sizes.arena + inches[1] - figure.get_figheight() + panels * sizes.panel
        panel = max(half, (free - natural) / panels) if sizes.panel else 0.0
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
    by_time = colour == 'time' or (not colour and len(data.radius) > MOST_NAMED)
    width, height, panel, letters = sizes
    left, right, line = letters * _LEFT, letters * _RIGHT, letters * LINE
    # What stands below one another, and its height: '' is room for letters.
    rows = [('', letters * _TOP), ('arena', height),
            ('', letters * _ARENA_AXIS + (1.0 - letters) * PADS)]
    if by_time:
        rows.append(('strip', letters * _STRIP_HEIGHT))
    if panel:
        rows.append(('', letters * (_STRIP_GAP if by_time else _LEGEND)))
        rows += [('panel', panel), ('', letters * _PANEL_GAP)] * len(panels_of(data))
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
    below_label = draw_signs(top, data, 1.0 - right / wide, letters)
    top.set(ylabel='y (m)')
    _place_title(figure, top, _title(data) if title is None else title, drawn_width(top, data),
                 letters)
    grow(figure, below_label, [top])
    for strip in strips:
        draw_strip(strip, data)
    if not below:
        return figure
    draw_panels(figure, below, data)
    if panel < 0.6 * letters:
        for each in below:
            each.set_ylabel(each.get_ylabel().partition(',')[0])
    if not by_time:
        below[0].plot([], [], **dots(), label=f'dots every {interval(data):g} s')
    _name_curves(figure, below[0], [top, *strips], line)
    return figure


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
    name = name_of(data.scenario)
    # A line ends between these, not in them.
    facts = ' '.join(each.replace(' ', '\xa0') for each in (
        f'{robots},', f'seed {data.scenario.seed},', duration + _about_wind(data)))
    return f'{name}{", " * bool(name)}{facts}'


def _about_wind(data: RunData) -> str:
    wind = data.scenario.wind.flow
    above = ' above ground' * wind.height.above_terrain
    text = '' if data.field is None else f', wind at {wind.height.value:g} m{above}'
    if wind.wind_force_mean and forces_act(wind):
        text += f', mean wind force {wind.wind_force_mean:g} N'
    return text
