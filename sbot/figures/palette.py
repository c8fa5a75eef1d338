# SPDX-License-Identifier: Apache-2.0
"""Style of pictures: colours on light and dark backgrounds, matplotlib's parameters."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from matplotlib import rc_context, rcParams
from matplotlib.colors import to_rgb

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
    red, green, blue = to_rgb(rcParams['figure.facecolor'])
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
    with rc_context(style), warnings.catch_warnings():
        # In two lines, with a path of matplotlib's or of this package's.
        warnings.filterwarnings('ignore', r'Glyph \d+ .*missing from|.* not support .* natively',
                                UserWarning)
        yield
