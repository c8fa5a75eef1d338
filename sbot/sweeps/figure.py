# SPDX-License-Identifier: Apache-2.0
"""A metric of a sweep against its parameters: medians or shares, and bands around them."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke
from matplotlib.ticker import MaxNLocator
from matplotlib.transforms import ScaledTranslation

from sbot.controllers.registry import entry_of
from sbot.figures.look import LETTERS
from sbot.scenario.groups import SensorSettings, WindSettings, group_specs
from sbot.scenario.knowledge import Knowledge
from sbot.sweeps.journal import SUMMARY, is_own
from sbot.sweeps.show import BAND, Results, is_share, value_text, wilson_interval
from sbot_common.errors import InputError, bad_value, one_line, unknown_name, writing
from sbot_common.params import Spec, specs_of

# Swept parameters of a sweep's figure: along x, one curve for each value, or taken together.

MOST_CURVES = 10


class _Curves(NamedTuple):
    """What each swept parameter does in a figure."""

    along: str  # x
    apart: tuple[str, ...]  # a curve for each combination of their values
    pooled: tuple[str, ...] = ()  # a point has runs of several values of them
    follow: tuple[str, ...] = ()  # their values follow from those above, as with --zip

    def note(self, results: Results) -> str:
        """Return what a reader would not see: 'over 2 values of fade; speed changes with x'."""
        parts = [f'over {len(set(results.columns[key]))} values of {results.names[key]}'
                 for key in self.pooled]
        if self.follow:
            told = ', '.join(results.names[key] for key in self.follow)
            parts.append(f"{told} change{'s' * (len(self.follow) == 1)} too")
        return one_line('; '.join(parts))


def _choose_curves(results: Results, by: Sequence[str] = (), pool: Sequence[str] = ()) -> _Curves:
    """Return what the swept parameters do.

    Parameters
    ----------
    results : of the sweep
    by : the parameter along x, and those that tell curves apart; only one: curves tell apart what
        else was swept, up to ``MOST_CURVES``; none: the first one is along x
    pool : parameters whose values are taken together

    Raises
    ------
    InputError
        for unknown parameters, a parameter given twice, or too many curves.

    """
    if not results.keys:
        raise InputError('sbot sweep plot needs a swept parameter; this sweep has only seeds')
    given = [_find_key(results, key, '--by') for key in by]
    pooled = [_find_key(results, key, '--pool') for key in pool]
    for i, key in enumerate(every := [*given, *pooled]):
        if key in every[:i]:
            raise InputError(f'--by, --pool: {one_line(key)}: is given twice')
    free = [key for key in results.keys if key not in every]
    if not given:
        if not free:
            raise InputError('--pool cannot be combined with no parameter along x; give --by KEY')
        given.append(free.pop(0))
    along, apart = given[0], given[1:]
    if (count := _settings(results, apart)) > MOST_CURVES:
        raise bad_value('--by', ', '.join(apart), 'parameters after the first with at most '
                                                  f'{MOST_CURVES} values, not {count}')
    if not apart:
        for key in free:
            if not _follows(results, key, [along, *apart]) and (
                    _settings(results, [*apart, key]) <= MOST_CURVES):
                apart.append(key)
    rest = [key for key in results.keys if key not in (along, *apart)]
    follow = [key for key in rest if _follows(results, key, [along, *apart])]
    return _Curves(along, tuple(apart), tuple(key for key in rest if key not in follow),
                  tuple(key for key in follow if _settings(results, [key]) > 1))


def _find_key(results: Results, key: str, option: str) -> str:
    """Return the swept parameter that is meant by a key path or the end of one."""
    if key in results.keys:
        return key
    ends = [each for each in results.keys if each.endswith('.' + key)]
    if len(ends) == 1:
        return ends[0]
    raise unknown_name(option, key, results.names.values())


def _settings(results: Results, keys: Sequence[str]) -> int:
    """Return how many combinations of values there are."""
    return len(results.groups(keys))


def _follows(results: Results, key: str, keys: Sequence[str]) -> bool:
    """Tell whether the value of a parameter follows from those of others."""
    return _settings(results, keys) == _settings(results, [*keys, key])


# _Points of a sweep's figure: a metric's values by setting, and bands around them.

Label = tuple[Any, ...]


class _Points(NamedTuple):
    """Runs of a sweep by setting; a line for each combination of the parameters after the first.

    A line's label is the tuple of their values: of one parameter along x alone it is empty.
    """

    keys: Sequence[str]  # swept parameters, the first along x
    lines: dict[Label, dict[Any, list[float]]]  # values by label and first parameter
    started: dict[tuple[Label, Any], int]  # runs of each point, also those without a value
    places: dict[Any, float]  # along x
    numeric: bool  # the first parameter
    share: bool  # values are 0 or 1
    counts: bool  # values are whole numbers
    scattered: bool = False  # other parameters change together with the first

    def lacks_values(self, label: Label) -> bool:
        """Tell whether some runs of a line have no value."""
        return any(len(values) < self.started[label, x] for x, values in self.lines[label].items())

    def band(self, values: Sequence[float]) -> tuple[float, float, float]:
        """Return the ends of the band around a point, and between them its median or share.

        Of counts the ends are values of runs: whole numbers.
        """
        if self.share:
            low, high = wilson_interval(sum(values), len(values))
            return low, sum(values) / len(values), high
        if self.counts:
            low, high = np.percentile(values, BAND, method='inverted_cdf').tolist()
            return low, float(np.median(values)), high
        low, middle, high = np.percentile(values, (BAND[0], 50, BAND[1])).tolist()
        return low, middle, high


def _points_of(results: Results, name: str, keys: Sequence[str]) -> _Points:
    """Return the points of a column."""
    lines: dict[Label, dict[Any, list[float]]] = {}
    started: dict[tuple[Label, Any], int] = {}
    column = results.columns[name]
    for setting, rows in results.groups(keys).items():
        x, *label = setting
        lines.setdefault(tuple(label), {})[x] = [
            float(column[i]) for i in rows if column[i] is not None]
        started[tuple(label), x] = len(rows)
    numeric = all(isinstance(x, int | float) for line in lines.values() for x in line)
    places = {x: float(x) if numeric else float(i) for i, x in enumerate(
        dict.fromkeys(x for line in lines.values() for x in line))}
    share = is_share(column)
    counts = not share and all(isinstance(value, int) for value in column if value is not None)
    return _Points(keys, lines, started, places, numeric, share, counts)


FORMATS = ('.png', '.svg', '.pdf')
STYLE: dict[Any, Any] = {'svg.hashsalt': 'sbot', 'text.parse_math': False, 'font.size': LETTERS}
_MOST_TICKS = 8  # at the swept numbers; between more, matplotlib's
_CLOSE = 0.06  # of the width, below which the labels of two ticks would touch
_APART = 5.0  # pt, between points of several lines that no line joins
_ROW, _HIGH = 11.0, 230.0  # pt, of a row of labels, and of the axes at least


class Words(NamedTuple):
    """A user's own words in a figure; None: those of the sweep. An empty text leaves them out."""

    xlabel: str | None = None
    ylabel: str | None = None
    title: str | None = None


_SWEEPS_OWN = Words()


_COUNTED = {'collisions': ' (ticks)', 'reverts': ' (ticks)', 'overlaps': ' (pairs × ticks)'}
_UNIT = re.compile('(.+)_(m|s|rad)')
_SPECS: Mapping[str, Callable[[], Sequence[Spec]]] = {
    'wind': lambda: group_specs(WindSettings()), 'sensors': lambda: group_specs(SensorSettings()),
    'knowledge': lambda: specs_of(Knowledge)}


def _parameter_label(key: str) -> tuple[str, ...]:
    """Return a swept parameter in words with its declared unit, and its key if that is longer."""
    words = key.rpartition('.')[2].replace('_', ' ')
    return (f'{words}{_unit_of(key)}', *([key] if '.' in key else []))


def _unit_of(key: str) -> str:
    """Return the unit in brackets of a swept parameter that is declared with one, else ''."""
    parts = key.split('.')
    specs: Sequence[Spec] = _SPECS.get(parts[0], tuple)() if len(parts) == 2 else ()
    if parts[0] == 'controllers' and len(parts) == 3:
        with suppress(InputError):  # a class of one's own
            specs = entry_of(parts[1]).specs
    unit = next((spec.unit for spec in specs if spec.name == parts[-1]), '')
    return f' ({unit})' if unit else ''


def _column_label(column: str, *, unit: bool = True) -> str:
    """Return a column of the summary as a label, `path length, mean of robots (m)`.

    Metrics of the user's own stay as they are. Without ``unit`` the label has none.
    """
    robot, name = '', column
    if is_own(column):
        _, number, name = column.split('_', 2)
        robot = f'robot {number}: '
    elif column not in SUMMARY:
        return column
    elif column == 'goal_reached_s':
        robot = 'robot 0: '
    base, _, over = name.rpartition('_')
    of = {'mean': ', mean of robots', 'max': ', greatest of one robot'}.get(over, '')
    if of:
        name = base
    elif not robot and name in ('collisions', 'reverts'):
        of = ' of all robots'
    match = _UNIT.fullmatch(name)
    words = match[1] if match else name
    measured = f' ({match[2]})' if match else _COUNTED.get(name, '')
    return f"{robot}{words.replace('_', ' ')}{of}{measured if unit else ''}"


def _draw_sweep(results: Results, metric: str = '', by: Sequence[str] = (),
               pool: Sequence[str] = (), words: Words = _SWEEPS_OWN) -> Figure:
    """Return the figure: one parameter along x, a line for each combination of others' values.

    Parameters
    ----------
    results : from ``Results.load``
    metric : a column with numbers; '': the user's first metric, else ``goal_reached_s``
    by, pool : swept parameters as ``_choose_curves`` takes them
    words : labels and title

    Raises
    ------
    InputError
        for an unknown column or parameter.

    """
    name = results.checked(metric or (*results.metrics, 'goal_reached_s')[0], '--metric')
    curves = _choose_curves(results, by, pool)
    points = _points_of(results, name, [curves.along, *curves.apart])._replace(
        scattered=bool(curves.follow))
    figure = Figure(figsize=(7.0, 4.5), layout='constrained')
    axes = figure.add_subplot()
    colours = matplotlib.colormaps['viridis'](np.linspace(0.0, 0.85, len(points.lines)))
    for row, (label, colour) in enumerate(zip(points.lines, colours, strict=True)):
        _draw_line(axes, points, row, label, colour)
    _write_axes(axes, points)
    _write_words(axes, results, curves, points, Words(
        words.xlabel if words.xlabel is not None else '\n'.join(_parameter_label(curves.along)),
        words.ylabel if words.ylabel is not None else (
            'share of runs: ' * points.share + _column_label(name, unit=not points.share)),
        words.title))
    return figure


def _draw_line(axes: Axes, points: _Points, row: int, label: Label,
               colour: Any) -> None:  # noqa: ANN401 - matplotlib takes arrays
    """Draw one line and its band, and how many runs have a value where some have none."""
    line, places = points.lines[label], points.places
    # A line would say that there is something between two counts. Medians over other runs at each
    # point, e.g. those that arrived, are no curve, nor are points that differ in more than x.
    joined = not (points.counts or points.scattered or points.lacks_values(label))
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
    name = ', '.join(map(value_text, label)) or None
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


def _write_axes(axes: Axes, points: _Points) -> None:
    """Set ticks and limits."""
    if not points.numeric:
        axes.set_xticks(list(points.places.values()), [value_text(x) for x in points.places])
    elif len(points.places) <= _MOST_TICKS and _have_room(points.places.values()):
        axes.set_xticks(sorted(points.places.values()))
    missing = sum(points.lacks_values(label) for label in points.lines)
    if points.counts:
        axes.yaxis.set_major_locator(MaxNLocator(integer=True))
        if axes.dataLim.y0 >= 0.0:  # with room for a point at 0
            axes.set_ylim(bottom=-0.04 * axes.get_ylim()[1])
    if points.share:
        axes.set_yticks(np.linspace(0.0, 1.0, 6))
        axes.set_ylim(-0.03, 1.03)
    low, high = axes.get_ylim()  # labels have a place of their own above all marks
    axes.set_ylim(top=low + (high - low) / (1.0 - min(0.5, missing * _ROW / _HIGH)))
    axes.grid(alpha=0.3)


def _write_words(axes: Axes, results: Results, curves: _Curves, points: _Points,
                 words: Words) -> None:
    """Write the labels of the axes, the title and the legend."""
    axes.set_xlabel('\n'.join(map(one_line, (words.xlabel or '').split('\n'))))
    axes.set_ylabel(one_line(words.ylabel or ''))
    if words.title is not None:
        axes.set_title(one_line(words.title))
    else:
        missing = any(map(points.lacks_values, points.lines))
        note = '; '.join(filter(None, [curves.note(results), results.unfinished]))
        axes.set_title(('share, and its 95 % confidence interval' if points.share else
                        f'median, and {BAND[0]} % to {BAND[1]} % of the runs')
                       + f'; {_span(set(points.started.values()))} at each point'
                       + '; n of N: n runs have a value' * missing
                       + f'\n{note}' * bool(note), fontsize='medium')
    if curves.apart:
        figure = axes.get_figure(root=True)
        assert isinstance(figure, Figure)
        figure.legend(loc='outside lower center', ncols=5, frameon=False,  # hides no line
                      title=one_line(', '.join(results.names[key] + _unit_of(key)
                                               for key in curves.apart)))


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


def _span(counts: set[int]) -> str:
    if counts == {1}:
        return '1 run'
    return f'{min(counts)}{f" to {max(counts)}" * (len(counts) > 1)} runs'


def plot_sweep(results: Results, path: str | Path, metric: str = '', by: Sequence[str] = (),
               pool: Sequence[str] = (), words: Words = _SWEEPS_OWN) -> None:
    """Write the figure to a .png, .svg or .pdf file.

    Raises
    ------
    InputError
        for another ending, a file that cannot be written, or as ``_draw_sweep``.

    """
    if Path(path).suffix.lower() not in FORMATS or '\0' in str(path):
        raise bad_value('--output', str(path), f'a file that ends in {", ".join(FORMATS)}')
    with matplotlib.rc_context(STYLE):
        figure = _draw_sweep(results, metric, by, pool, words)
        metadata = {'Date': None} if Path(path).suffix.lower() == '.svg' else None
        with writing(path):
            figure.savefig(path, dpi=150, metadata=metadata)
