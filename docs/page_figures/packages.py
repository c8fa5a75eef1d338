"""Packages of the project, their folders, and which package imports which: from the sources."""

from __future__ import annotations

import ast
import textwrap
from functools import cache
from pathlib import Path

from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch

from page_figures.style import drawn, save

ROOT = Path(__file__).resolve().parents[2]
# Left, bottom, width, height, and what a package is; lower packages are imported by higher ones.
BOXES = {
    'sbot': (0.0, 5.0, 12.4, 1.65,
             'command, Python API, runs, recordings, pictures, sweeps, learning'),
    'sbot_sim': (0.0, 1.95, 4.4, 2.4, 'simulator and its node'),
    'wind_model': (4.75, 2.2, 3.45, 1.95, 'fields, gusts, wakes'),
    'potential_field_bot': (8.9, 2.2, 3.5, 1.95, 'controller of document 001'),
    'sbot_common': (0.0, 0.0, 12.4, 1.3, 'what several packages need'),
}
LETTERS = 7.9  # of a folder's name, for a unit of width
MARGIN = 0.12  # left and right of the words in a box
PAST = 8.55  # where an arrow passes between the boxes


@cache
def imports() -> dict[str, set[str]]:
    """Return the packages of the project that each package imports."""
    found: dict[str, set[str]] = {}
    for package in BOXES:
        names: set[str] = set()
        for path in (ROOT / package).rglob('*.py'):
            for node in ast.walk(ast.parse(path.read_text('utf-8'))):
                if isinstance(node, ast.ImportFrom):
                    names.add((node.module or '').partition('.')[0])
                elif isinstance(node, ast.Import):
                    names |= {alias.name.partition('.')[0] for alias in node.names}
        found[package] = names & set(BOXES) - {package}
    return found


def folders(package: str) -> list[str]:
    """Return the folders of a package."""
    return sorted(path.parent.name for path in (ROOT / package).glob('*/__init__.py'))


def shown() -> str:
    """Return all that the picture shows."""
    return repr([(name, sorted(others), folders(name)) for name, others in imports().items()])


def draw(path: Path, dark: bool = False) -> None:
    """Draw a box for each package, and arrows for imports."""
    with drawn(dark) as colours:
        figure = Figure(figsize=(7.5, 4.2))
        FigureCanvasSVG(figure)
        axes = figure.add_axes((0.01, 0.01, 0.98, 0.98))
        axes.set(xlim=(-0.1, 12.5), ylim=(-0.08, 6.72))
        axes.axis('off')
        for name, (x, y, wide, high, text) in BOXES.items():
            axes.add_patch(FancyBboxPatch(
                (x, y), wide, high, boxstyle='round,pad=0,rounding_size=0.12',
                facecolor=colours.unknown, edgecolor=colours.ink, linewidth=0.9))
            axes.text(x + MARGIN, y + high - 0.13, name, va='top', weight='bold', size=9.2)
            axes.text(x + MARGIN, y + high - 0.5, text, va='top', size=9.0)
            inside = textwrap.fill(', '.join(folders(name)),
                                   int(LETTERS * (wide - 2 * MARGIN)))
            axes.text(x + MARGIN, y + 0.1, inside, va='bottom', size=8.8, linespacing=1.1,
                      color=colours.wind_text, family='monospace')
        for name, others in imports().items():
            for other in others:
                begin, end = ends(name, other)
                axes.annotate('', end, begin, arrowprops={
                    'arrowstyle': '-|>', 'color': colours.ink, 'linewidth': 1.0,
                    'shrinkA': 1, 'shrinkB': 1})
        axes.text(2.3, 4.67, 'imports', va='center', size=9.0, style='italic')
        save(figure, path, shown())


def ends(name: str, other: str) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return from where to where the arrow between two boxes goes."""
    x, y, wide, high, _ = BOXES[name]
    ox, oy, owide, ohigh, _ = BOXES[other]
    if y < oy + ohigh and oy < y + high:  # side by side
        level = max(y, oy) + 0.75
        return ((x + wide, level), (ox, level)) if x < ox else ((x, level), (ox + owide, level))
    left, right = max(x, ox), min(x + wide, ox + owide)
    middle = (left + right) / 2
    if name == 'sbot' and other == 'sbot_common':  # past the boxes between them
        middle = PAST
    return (middle, y), (middle, oy + ohigh)
