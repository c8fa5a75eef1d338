"""Style of drawn curves and diagrams, on light and dark grounds, and digests of what they show."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from matplotlib.figure import Figure

from sbot.figures.look import DARK, LIGHT, Palette, drawing, style_of


@contextmanager
def drawn(dark: bool, size: float = 9.0) -> Iterator[Palette]:
    """Set matplotlib's parameters, letters of ``size`` points; give the colours."""
    colours = DARK if dark else LIGHT
    style = {**style_of(dark), 'font.size': size, 'axes.titlesize': size + 0.5,
             'axes.titlelocation': 'left', 'axes.grid': True, 'grid.color': colours.grid,
             'grid.linewidth': 0.5, 'axes.axisbelow': True, 'axes.spines.top': False,
             'axes.spines.right': False, 'legend.frameon': False}
    with drawing(style):
        yield colours


def digest(shown: str) -> str:
    """Return a short hash of what a picture shows: the description in its file."""
    return hashlib.sha256(shown.encode()).hexdigest()[:16]


def save(figure: Figure, path: Path, shown: str) -> None:
    """Write an SVG: equal bytes for equal figures."""
    figure.savefig(path, metadata={'Date': None, 'Description': digest(shown)})
