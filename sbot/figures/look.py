# SPDX-License-Identifier: Apache-2.0
"""How a run is drawn: options of pictures and films, checked before anything runs; style."""

from __future__ import annotations

import re
import shutil
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from sbot_common.errors import bad_value, refuse

PICTURES, FILMS = ('.png', '.svg', '.pdf'), ('.mp4', '.gif')
COLOURS = ('robot', 'time', 'heading')  # what a colour says

_SIZES = (64, 4096)  # pixels, of a side of a film
_INCHES = (2.0, 40.0)  # of a side of a picture
_SPEEDS = (0.01, 1000.0)  # times real time
_MOST_FPS = {'.mp4': 120.0, '.gif': 50.0}  # browsers play a GIF of more frames slowly


class Look(NamedTuple):
    """How a run is drawn."""

    at: tuple[float, ...] = ()  # s: at these times, side by side; none: tracks, curves below
    colour: str = ''  # what it says, of COLOURS; '': of few robots robot, of many time or nothing
    dark: bool = False  # on a dark ground
    title: str | None = None  # None: the picture's own; '': none. Of a film: its name
    width: int = 0  # pixels, of a .png; 0: 1400
    inches: tuple[float, ...] | None = None  # width, or width and height; None: 7


class Film(NamedTuple):
    """How a film is made; what is None, or 0 pixels, is chosen by the run and the format."""

    width: int = 0  # pixels
    height: int = 0  # pixels; 0: as the arena needs it
    fps: float | None = None  # frames per second of the film
    speed: float | None = None  # times real time


PLAIN, AUTO = Look(), Film()


def asked(path: str | Path | None, look: Look, size: str | int | None = None,
          fps: float | None = None, speed: float | None = None,
          dashes: str = '') -> tuple[Look, Film | None]:
    """Return how a file is drawn, and if it is a film how that is made.

    Parameters
    ----------
    path : of the file, whose ending selects its format; None: a matplotlib figure
    look : as asked, without the width
    size : WIDTH or WIDTHxHEIGHT in pixels
    fps : frames per second of a film
    speed : of a film, times real time
    dashes : what stands before the names of options in messages

    Raises
    ------
    InputError
        for an option out of range, or that this kind of file does not have; or no ffmpeg.

    """
    suffix = '' if path is None else f".{str(path).rpartition('.')[2].lower()}"
    is_film, endings = suffix in FILMS, ', '.join((*PICTURES, *FILMS))
    page = '; for a page: sbot view BAG -o FILE.html' * (suffix == '.html')
    width, height = _sides(size, f'{dashes}size')
    what = 'a film' if is_film else f'{dashes}at'
    refuse(
        (is_film and look.at, f'{dashes}at cannot be combined with a film'),
        (look.colour == 'time' and (is_film or look.at),
         f'{dashes}colour time cannot be combined with {what}; it colours tracks'),
        (look.colour == 'heading' and not (is_film or look.at),
         f'{dashes}colour heading needs {dashes}at or a film; give one'),
        (look.inches and (is_film or width), f'{dashes}figsize cannot be combined with '
                                             f'{"a film" if is_film else f"{dashes}size"}'),
        (width and not is_film and suffix != '.png',
         f'{dashes}size needs a film or a .png; write a file that ends in '
         f'{", ".join((*FILMS, ".png"))}'),
        *((not is_film and given is not None,
           f'{dashes}{name} needs a film; write a file that ends in {" or ".join(FILMS)}')
          for name, given in (('fps', fps), ('speed', speed))))
    most = _MOST_FPS.get(suffix, 0.0)
    for fits, name, given, expected in (
            (path is None or suffix in (*PICTURES, *FILMS), 'output' if dashes else 'path', path,
             f'a file that ends in {endings}{page}'),
            (look.colour in ('', *COLOURS), 'colour', look.colour, ', '.join(COLOURS)),
            (all(_INCHES[0] <= side <= _INCHES[1] for side in look.inches or ()), 'figsize',
             look.inches, f'width (and height) in inches, {_INCHES[0]:g} to {_INCHES[1]:g}'),
            (is_film or not height, 'size', size,
             'the width of a picture, e.g. 1200; its height follows from the arena'),
            (fps is None or 1.0 <= fps <= most, 'fps', fps,
             f'a number from 1 to {most:g} for a {suffix}'),
            (speed is None or _SPEEDS[0] <= speed <= _SPEEDS[1], 'speed', speed,
             f'a number from {_SPEEDS[0]:g} to {_SPEEDS[1]:g} (times real time)')):
        if not fits:
            raise bad_value(dashes + name, given, expected)
    refuse((suffix == '.mp4' and shutil.which('ffmpeg') is None,
            'a film in MP4 needs ffmpeg, which is not installed; install it (apt install ffmpeg) '
            'or write a .gif'))
    return look._replace(width=width), Film(width, height, fps, speed) if is_film else None


def _sides(size: str | int | None, name: str) -> tuple[int, int]:
    """Return width and height (pixels) of a size WIDTH or WIDTHxHEIGHT; 0 for what is not given.

    Raises
    ------
    InputError
        for other text, or a side out of range. ``name`` is the option's.

    """
    if size is None:
        return 0, 0
    match = re.fullmatch(r'(\d{1,6})(?:x(\d{1,6}))?', str(size))
    sides = [int(each) for each in match.groups() if each] if match else []
    if not sides or not all(_SIZES[0] <= side <= _SIZES[1] and side % 2 == 0 for side in sides):
        raise bad_value(name, size, 'WIDTH or WIDTHxHEIGHT in pixels, even numbers from '
                        f'{_SIZES[0]} to {_SIZES[1]}, e.g. 1280 or 1280x720')
    return sides[0], sides[1] if len(sides) == 2 else 0


DPI = 200  # of pictures
# pt, of all letters but titles: 9 pt or more where a page shows a picture 700 pixels wide.
LETTERS = 9.0


class Palette(NamedTuple):
    """Colours of the objects in an arena."""

    followers: tuple[str, ...]  # robots, of which each has a colour
    ground: str
    ink: str
    obstacle: str
    moving: str  # obstacles that move; their rims are as obstacles
    unknown: str  # cells of a map
    box: str
    wind: str
    wind_text: str
    wind_of_many: str  # robots, whose tracks are blue
    wind_text_of_many: str
    goal: str
    many: str  # robots, where there are too many for a colour each
    start: str  # many robots' starts
    ring: str  # round the starts of a few
    grid: str
    gust: str  # its sign in legends


# Okabe and Ito: distinct for the colour-blind and in print; on dark grounds brighter.
LIGHT = Palette(('#0072b2', '#009e73', '#cc79a7', '#56b4e9', '#d55e00', '#6a3d9a', '#7f7f7f'),
                'white', '#222222', '#5a5f66', '#b9c0ca', '#e4e4e4', '#b08d63', '#8fb8d8',
                '#4d86b3', '#c4c6c9', '#6d7278', '#c8202f', '#0072b2', '#d9c9de', '#440154',
                '#dddddd', '#b97f00')
DARK = Palette(('#3d9be0', '#1fbf92', '#e08fbd', '#8fd0f5', '#f07a32', '#a583d9', '#a6a6a6'),
               '#1e2129', '#e6e6e6', '#8b929c', '#4d5463', '#343842', '#b08d63', '#3f6a8c',
               '#86b9e0', '#4a505c', '#a0a6b0', '#ff6b76', '#4fb0ea', '#584a66', '#c9a7e0',
               '#3a3f4a', '#f0c040')


def palette() -> Palette:
    """Return the colours that fit the ground of matplotlib's current style."""
    from matplotlib import colors, rcParams  # checking options does without it
    red, green, blue = colors.to_rgb(rcParams['figure.facecolor'])
    return DARK if 0.3 * red + 0.6 * green + 0.1 * blue < 0.5 else LIGHT


def style_of(dark: bool) -> dict[Any, Any]:
    """Return matplotlib's parameters for a picture of a run."""
    style: dict[Any, Any] = {
        'font.size': LETTERS, 'axes.linewidth': 0.6, 'axes.titlesize': 9.5, 'axes.titlepad': 4.0,
        'xtick.major.width': 0.6, 'ytick.major.width': 0.6, 'svg.hashsalt': 'sbot',
        'pdf.fonttype': 42, 'savefig.dpi': DPI, 'font.family': 'sans-serif',
    }
    if dark:
        style |= dict.fromkeys(('figure.facecolor', 'axes.facecolor', 'savefig.facecolor'),
                               DARK.ground)
        style |= dict.fromkeys(('text.color', 'axes.edgecolor', 'axes.labelcolor', 'xtick.color',
                                'ytick.color'), DARK.ink)
    return style


@contextmanager
def drawing(style: dict[Any, Any]) -> Iterator[None]:
    """Set matplotlib's parameters. A letter that its font lacks is a box, without a warning."""
    from matplotlib import rc_context
    with rc_context(style), warnings.catch_warnings():
        # In two lines, with a path of matplotlib's or of this package's.
        warnings.filterwarnings('ignore', r'Glyph \d+ .*missing from|.* not support .* natively',
                                UserWarning)
        yield
