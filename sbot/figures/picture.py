"""Figure of a run: arena with the tracks of all robots, and time plots."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure
from numpy.typing import NDArray

from sbot.figures import arena
from sbot.figures.data import RunData
from sbot.figures.moments import draw_moments
from sbot.figures.palette import LIGHT, palette, style_of
from sbot.figures.panels import draw_panels, panels_of
from sbot_common.errors import InputError, bad_value, one_line
from wind_model.gust import forces_act

FORMATS = ('.png', '.svg', '.pdf')

_WIDTH = 7.0  # inches: two columns of a paper
_LEFT, _RIGHT = 0.68, 0.12  # inches beside arena and panels: the same, so that their edges align
_TOP, _BOTTOM = 0.28, 0.42  # inches for the title, and for the time axis
_ARENA_HEIGHTS = (2.2, 7.0)  # inches, least and most
_ARENA_AXIS = 0.48  # inches for the arena's x axis
_STRIP_HEIGHT, _STRIP_GAP = 0.13, 0.26  # inches; the panels' legend is in the gap
_PANEL_HEIGHT, _PANEL_GAP = 0.95, 0.12
_MOST_POINTS = 1200  # of a track
_MOST_PIECES = 200_000  # of all tracks together
_RASTER_ABOVE = 20_000  # pieces: beyond, vector formats get the tracks as an image
_COLOURS = 'viridis'
STYLE = style_of(dark=False)


class Look(NamedTuple):
    """How a run is drawn."""

    at: tuple[float, ...] = ()  # s: at these times, side by side; none: tracks, curves below
    colour: str = 'robot'  # what a robot's colour says: robot or heading; not for tracks
    dark: bool = False  # on a dark ground


PLAIN = Look()


def plot_run(data: RunData, path: str | Path, look: Look = PLAIN) -> None:
    """Write the picture of a run; the ending of the path selects the format: .png, .svg or .pdf.

    Raises
    ------
    InputError
        for an unknown ending, or if the file cannot be written.

    """
    path = Path(path)
    if path.suffix.lower() not in FORMATS:
        raise bad_value('output', str(path), f'a file that ends in {", ".join(FORMATS)}')
    # Without the time of writing, so that equal runs give equal files.
    undated = {'.svg': {'Date': None}, '.pdf': {'CreationDate': None}}
    with rc_context(style_of(look.dark)):
        figure = draw(data, look)
        try:
            figure.savefig(path, metadata=undated.get(path.suffix.lower()))
        except OSError as error:
            raise InputError(f'{path}: cannot be written: {error.strerror}') from None


def draw(data: RunData, look: Look) -> Figure:
    """Return the picture of a run: its tracks, or several times of it."""
    with rc_context(style_of(True) if look.dark else {}):
        return draw_moments(data, look.at, look.colour) if look.at else draw_run(data)


def draw_run(data: RunData) -> Figure:
    """Return the picture of a run."""
    xmin, ymin, xmax, ymax = arena.view_of(data)
    width = _WIDTH - _LEFT - _RIGHT
    height = float(np.clip(width * (ymax - ymin) / (xmax - xmin), *_ARENA_HEIGHTS))
    panels = len(panels_of(data))
    full = (_TOP + height + _ARENA_AXIS + _STRIP_HEIGHT + _STRIP_GAP
            + panels * (_PANEL_HEIGHT + _PANEL_GAP) - _PANEL_GAP + _BOTTOM)
    figure = Figure(figsize=(_WIDTH, full))

    def axes(below: float, height: float, shared: Axes | None = None) -> Axes:
        # In inches from the top.
        return figure.add_axes((_LEFT / _WIDTH, 1.0 - (below + height) / full, width / _WIDTH,
                                height / full), sharex=shared)

    top = axes(_TOP, height)
    place = _TOP + height + _ARENA_AXIS
    strip = axes(place, _STRIP_HEIGHT)
    place += _STRIP_HEIGHT + _STRIP_GAP
    below = [axes(place + k * (_PANEL_HEIGHT + _PANEL_GAP), _PANEL_HEIGHT, strip)
             for k in range(panels)]
    _draw_tracks(top, data)
    arena.draw_arena(top, data)
    arena.draw_moving(top, data, -1)
    arena.draw_box_starts(top, data)
    arena.Boxes(top, data, data.boxes[-1])
    arena.draw_goals(top, data, int(data.stamps_ns[-1]))
    arena.Robots(top, data, data.poses[-1])
    arena.number_robots(top, data, data.poses[-1])
    top.set(xlabel='x (m)', ylabel='y (m)')
    top.set_title(_title(data), loc='left', parse_math=False)
    _draw_strip(strip, data)
    draw_panels(figure, below, data)
    below[0].legend(loc='lower right', bbox_to_anchor=(1.0, 0.99), ncols=arena.MOST_NAMED,
                    frameon=False, fontsize='x-small', handlelength=1.4, columnspacing=1.2,
                    borderaxespad=0.1)
    return figure


def _title(data: RunData) -> str:
    count = len(data.radius)
    robots = 'one robot' if count == 1 else f'{count} robots'
    return (f'{one_line(data.scenario.name, 200)}, {robots}, seed {data.scenario.seed}, '
            f'{data.seconds[-1]:.4g} s{_mean_force(data)}')


def _mean_force(data: RunData) -> str:
    wind = data.scenario.wind.flow
    if wind.wind_force_mean == 0.0 or not forces_act(wind):
        return ''
    return f', mean wind force {wind.wind_force_mean:g} N'


def _draw_tracks(axes: Axes, data: RunData) -> None:
    """Draw the tracks of all robots, coloured by time, and their starts."""
    count = len(data.radius)
    points = min(_MOST_POINTS, max(2, _MOST_PIECES // count))
    step = max(1, -(-len(data.stamps_ns) // points))
    xy = data.poses[::step, :, :2]
    pieces = np.stack([xy[:-1], xy[1:]], axis=2)
    times: NDArray[np.float64] = data.seconds[::step][:-1]
    many = count > arena.MOST_NAMED
    tracks = arena.lines(
        pieces.reshape(-1, 2, 2), array=np.repeat(times, count), cmap=_COLOURS,
        linewidths=1.3 if not many else float(np.clip(150.0 / count, 0.45, 1.0)),
        alpha=1.0 if not many else 0.8, capstyle='round', zorder=4)
    tracks.set_clim(0.0, float(data.seconds[-1]))
    tracks.set_rasterized(len(times) * count > _RASTER_ABOVE)
    axes.add_collection(tracks)
    rectangles = arena.rectangles_of(data)
    style: dict[str, Any] = {
        'facecolors': palette().start if many else palette().ground,
        'edgecolors': 'none' if many else palette().ring, 'linewidths': 0.8, 'zorder': 3.5}
    width = arena.widths_of_discs(data, rectangles)
    axes.add_collection(arena.discs(axes, data.poses[0, :, :2], 0.6 * width if many else width,
                                    **style))
    axes.add_collection(PolyCollection(arena.outlines(rectangles, data.poses[0]), **style))


def _draw_strip(axes: Axes, data: RunData) -> None:
    """Draw the colours of the tracks along the time axis: the tracks' legend."""
    end = max(float(data.seconds[-1]), 1e-9)
    axes.imshow(np.linspace(0.0, 1.0, 256)[None, :], aspect='auto', cmap=_COLOURS,
                extent=(0.0, end, 0.0, 1.0))
    axes.set_yticks([])
    axes.set_ylabel('time on\nthe tracks', rotation='horizontal', ha='right', va='center',
                    fontsize='x-small')
    for x, text, colour in ((0.01, 'start', 'white'), (0.99, 'end', LIGHT.ink)):
        axes.text(x, 0.45, text, transform=axes.transAxes, ha='left' if x < 0.5 else 'right',
                  va='center', fontsize='x-small', color=colour)
    axes.tick_params(bottom=False, labelbottom=False)
    for spine in axes.spines.values():
        spine.set_visible(False)
