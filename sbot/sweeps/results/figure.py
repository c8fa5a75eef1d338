"""A metric of a sweep against one or two parameters: medians or shares, and bands around them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke
from matplotlib.ticker import MaxNLocator
from matplotlib.transforms import ScaledTranslation

from sbot.controllers.registry import entry_of
from sbot.figures.palette import LETTERS
from sbot.scenario.groups import SensorSettings, WindSettings, group_specs
from sbot.sweeps.results.points import BAND, Points, points_of
from sbot.sweeps.results.rows import SUMMARY
from sbot.sweeps.results.show import Results, check_column
from sbot_common.errors import InputError, bad_value, one_line, unknown_name
from sbot_common.params import Spec

FORMATS = ('.png', '.svg', '.pdf')
STYLE: dict[Any, Any] = {'svg.hashsalt': 'sbot', 'text.parse_math': False, 'font.size': LETTERS}
_MOST_TICKS = 8  # at the swept numbers; between more, matplotlib's
_CLOSE = 0.06  # of the width, below which the labels of two ticks would touch
_APART = 5.0  # pt, between points of several lines that no line joins
_ROW, _HIGH = 11.0, 230.0  # pt, of a row of labels, and of the axes at least
_GROUPS = {'wind': WindSettings, 'sensors': SensorSettings}


def draw_sweep(results: Results, metric: str = '', by: Sequence[str] = ()) -> Figure:
    """Return the figure: the first parameter along x, a line for each value of the second.

    Parameters
    ----------
    results : from ``load_results``
    metric : a column with numbers; '': the user's first metric, else ``goal_reached_s``
    by : one or two swept parameters; none: the first ones

    Raises
    ------
    InputError
        for an unknown column or parameter.

    """
    name = check_column(results, metric or (*results.metrics, 'goal_reached_s')[0], '--metric')
    keys = [_key(results, key) for key in by] or list(results.keys[:2])
    if not 0 < len(keys) <= 2:
        raise bad_value('--by', list(by), 'one or two swept parameters: '
                                          f"{', '.join(results.keys) or 'there are none'}")
    points = points_of(results, name, keys)
    figure = Figure(figsize=(7.0, 4.5), layout='constrained')
    axes = figure.add_subplot()
    colours = matplotlib.colormaps['viridis'](np.linspace(0.0, 0.85, len(points.lines)))
    for row, (label, colour) in enumerate(zip(points.lines, colours, strict=True)):
        _draw_line(axes, points, row, label, colour)
    _write_axes(axes, points)
    axes.set_xlabel('\n'.join(map(one_line, _label_of(keys[0]))))
    axes.set_ylabel(one_line('share of runs: ' * points.share + _in_words(name)))
    return figure


def _draw_line(axes: Axes, points: Points, row: int, label: Any,  # noqa: ANN401 - of a sweep
               colour: Any) -> None:  # noqa: ANN401 - matplotlib takes arrays
    """Draw one line and its band, and how many runs have a value where some have none."""
    line, places = points.lines[label], points.places
    # A line would say that there is something between two counts, and medians over other runs
    # at each point, e.g. those that arrived, are no curve.
    joined = not points.counts and not points.lacks_values(label)
    # Counts of two lines are often equal: their points stand side by side.
    beside = 0.0 if joined else _APART * (row - (len(points.lines) - 1) / 2)
    rows = [each for each in points.lines if points.lacks_values(each)]  # of labels
    bands = {x: points.band(values) for x, values in line.items() if values}
    for x, values in line.items():
        if len(values) < (of := points.started[label, x]):
            _write_runs(axes, f'{len(values)} of {of}', places[x], rows.index(label), colour)
    if not bands:
        return
    shown = sorted((places[x], *ends) for x, ends in bands.items())
    x, low, middle, high = np.array(shown).T
    name = None if len(points.keys) == 1 else one_line(str(label))
    [drawn] = axes.plot(x, middle, color=colour, marker='o', markersize=4,
                        linestyle='-' if joined else 'none', label=name)
    if joined:
        axes.fill_between(x, low, high, color=colour, alpha=0.2, linewidth=0)
    else:
        ranges = axes.vlines(x, low, high, color=colour, alpha=0.4, linewidth=2.0)
        figure = axes.get_figure(root=True)
        assert figure is not None
        moved = axes.transData + ScaledTranslation(beside / 72.0, 0.0, figure.dpi_scale_trans)
        drawn.set_transform(moved)  # later than the limits of the axes are known
        ranges.set_transform(moved)


def _write_axes(axes: Axes, points: Points) -> None:
    """Write ticks, limits, the title and the legend."""
    if not points.numeric:
        axes.set_xticks(list(points.places.values()), [one_line(str(x)) for x in points.places])
    elif len(points.places) <= _MOST_TICKS and _have_room(points.places.values()):
        axes.set_xticks(sorted(points.places.values()))
    missing = sum(points.lacks_values(label) for label in points.lines)
    axes.set_title(('share, and its 95 % confidence interval' if points.share else
                    f'median, and {BAND[0]} % to {BAND[1]} % of the runs')
                   + f'; {_span(set(points.started.values()))} at each point'
                   + '; n of N: n runs have a value' * (missing > 0), fontsize='medium')
    if points.counts:
        axes.yaxis.set_major_locator(MaxNLocator(integer=True))
        if axes.dataLim.y0 >= 0.0:  # with room for a point at 0
            axes.set_ylim(bottom=-0.04 * axes.get_ylim()[1])
    if points.share:
        axes.set_yticks(np.linspace(0.0, 1.0, 6))
        axes.set_ylim(-0.03, 1.03)
    low, high = axes.get_ylim()  # labels have a place of their own above all marks
    axes.set_ylim(top=low + (high - low) / (1.0 - min(0.5, missing * _ROW / _HIGH)))
    if len(points.keys) > 1:
        figure = axes.get_figure(root=True)
        assert isinstance(figure, Figure)
        figure.legend(loc='outside lower center', ncols=5, frameon=False,  # hides no line
                      title=one_line(points.keys[1]))
    axes.grid(alpha=0.3)


def _write_runs(axes: Axes, text: str, x: float, row: int,
                colour: Any) -> None:  # noqa: ANN401 - matplotlib takes arrays
    """Write how many runs have a value, above a point, in a row at the upper edge."""
    axes.annotate(text, (x, 1.0), xytext=(0.0, -2.0 - _ROW * row), textcoords='offset points',
                  ha='center', va='top', xycoords=axes.get_xaxis_transform(), gid='runs',
                  fontsize='medium', color=colour,
                  path_effects=[withStroke(linewidth=2.0, foreground='white')])


def _have_room(places: Collection[float]) -> bool:
    """Tell whether ticks at all these numbers leave room for their labels."""
    gaps = np.diff(sorted(places))
    return len(gaps) == 0 or float(gaps.min()) >= _CLOSE * float(gaps.sum())


def _label_of(key: str) -> tuple[str, ...]:
    """Return a swept parameter in words with its declared unit, and its key if that is longer."""
    words = key.rpartition('.')[2].replace('_', ' ')
    return (f'{words}{_unit(key)}', *([key] if '.' in key else []))


def _unit(key: str) -> str:
    """Return the unit in brackets of a parameter of wind, sensors or controllers, else ''."""
    parts = key.split('.')
    specs: Sequence[Spec] = ()
    if parts[0] in _GROUPS and len(parts) == 2:
        specs = group_specs(_GROUPS[parts[0]]())
    elif parts[0] == 'controllers' and len(parts) == 3:
        with suppress(InputError):  # a class of one's own
            specs = entry_of(parts[1]).specs
    unit = next((spec.unit for spec in specs if spec.name == parts[-1]), '')
    return f' ({unit})' if unit else ''


def _in_words(column: str) -> str:
    """Return a column of the summary as a label, `goal reached (s)`; own metrics as they are."""
    if column not in SUMMARY:
        return column
    if column == 'goal_reached_s':
        return 'robot 0: goal reached (s)'
    name, _, unit = column.rpartition('_')
    return f'{name} ({unit})'.replace('_', ' ') if unit in ('s', 'm') else column.replace('_', ' ')


def _span(counts: set[int]) -> str:
    if counts == {1}:
        return '1 run'
    return f'{min(counts)}{f" to {max(counts)}" * (len(counts) > 1)} runs'


def _key(results: Results, key: str) -> str:
    if key in results.keys:
        return key
    ends = [each for each in results.keys if each.endswith('.' + key)]
    if len(ends) == 1:
        return ends[0]
    raise unknown_name('--by', key, results.keys)


def plot_sweep(results: Results, path: str | Path, metric: str = '',
               by: Sequence[str] = ()) -> None:
    """Write the figure to a .png, .svg or .pdf file.

    Raises
    ------
    InputError
        for another ending, a file that cannot be written, or as ``draw_sweep``.

    """
    if Path(path).suffix.lower() not in FORMATS or '\0' in str(path):
        raise bad_value('--output', str(path), f'a file that ends in {", ".join(FORMATS)}')
    with matplotlib.rc_context(STYLE):
        figure = draw_sweep(results, metric, by)
        metadata = {'Date': None} if Path(path).suffix.lower() == '.svg' else None
        try:
            figure.savefig(path, dpi=150, metadata=metadata)
        except OSError as error:
            raise InputError(f'{path}: cannot be written: {error.strerror}') from None
