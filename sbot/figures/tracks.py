"""Tracks of robots: lines with their colours, or the colours of time; starts; their legend."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from numpy.typing import NDArray

from sbot.figures.arena.colours import MOST_NAMED, robot_colours
from sbot.figures.arena.shapes import discs, lines, outlines, rectangles_of
from sbot.figures.arena.view import widths_of_discs
from sbot.figures.data import RunData
from sbot.figures.palette import LIGHT, palette

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
    many = count > MOST_NAMED
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
        _draw_dots(axes, data, colours, many)
    tracks.set_rasterized(xy.shape[0] * count > _RASTER_ABOVE)
    tracks.set_gid('tracks')
    axes.add_collection(tracks)
    rectangles = rectangles_of(data)
    ring: Any = palette().ring if by_time else colours
    style = {  # below goals and boxes
        'facecolors': palette().start if many else palette().ground,
        'edgecolors': 'none' if many else ring, 'linewidths': 0.8, 'zorder': 3.05}
    width = widths_of_discs(axes, data, rectangles)
    axes.add_collection(discs(axes, data.poses[0, :, :2], 0.6 * width if many else width,
                                    **style))
    if not by_time and not many:
        style['edgecolors'] = [colours[i] for i in sorted(rectangles, reverse=True)]
    axes.add_collection(PolyCollection(outlines(rectangles, data.poses[0]), **style))


def interval(data: RunData) -> float:
    """Return how many seconds lie between two dots of a track: 1, 2 or 5 of a power of ten."""
    least = max(float(data.seconds[-1]), 1e-3) / _DOTS
    power = 10.0 ** np.floor(np.log10(least))
    return float(power * next(each for each in (1, 2, 5, 10) if each * power >= least * 0.999))


def dots() -> dict[str, Any]:
    """Return the style of a dot."""
    return {'linestyle': 'none', 'marker': 'o', 'markersize': 2.4, 'markeredgewidth': 0.6,
            'color': palette().ink, 'markerfacecolor': palette().ground}


def _draw_dots(axes: Axes, data: RunData, colours: list[str], many: bool) -> None:
    """Draw a dot on each track at regular times."""
    if many:
        return
    times = np.arange(interval(data), float(data.seconds[-1]) * 0.999, interval(data))
    rows = np.searchsorted(data.seconds, times - 1e-9)
    for i, colour in enumerate(colours):
        axes.plot(*data.poses[rows, i, :2].T, **{**dots(), 'color': colour}, zorder=4.5,
                  gid='dots')


def draw_strip(axes: Axes, data: RunData) -> None:
    """Draw the colours of the tracks along the time axis: the tracks' legend."""
    end = max(float(data.seconds[-1]), 1e-9)
    axes.imshow(np.linspace(0.0, 1.0, 256)[None, :], aspect='auto', cmap=_COLOURS,
                extent=(0.0, end, 0.0, 1.0))
    axes.set_yticks([])
    axes.set_ylabel('time on\nthe tracks', rotation='horizontal', ha='right', va='center')
    for x, text, colour in ((0.01, 'start', 'white'), (0.99, 'end', LIGHT.ink)):
        axes.text(x, 0.45, text, transform=axes.transAxes, ha='left' if x < 0.5 else 'right',
                  va='center', color=colour)
    axes.tick_params(bottom=False, labelbottom=False)
    for spine in axes.spines.values():
        spine.set_visible(False)
