# SPDX-License-Identifier: Apache-2.0
"""Rows of an evaluation, their statistics, table and picture."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from hashlib import sha256
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from sbot.figures.look import DPI, drawing, style_of
from sbot.learn.tasks.registry import entry_of
from sbot_common.arrays import Floats

# Rows of an evaluation: a number for each task, policy, training and seed, in CSV files.

ROWS, CURVE, MADE_BY = 'rows.csv', 'curve.csv', 'made_by.json'


class Row(NamedTuple):
    """The number of one episode."""

    task: str
    policy: str  # rule, navigate, evolved, ppo
    training: int  # seed of the training; 0 of what was not trained
    seed: int  # of the episode
    value: float  # of the task's metric
    contact: float  # s, of a robot on its way, on average
    clean: float  # share of the robots that arrived, and touched nothing before
    file: str  # of the policy, beside that of the rows; '': the package's own controller
    sha256: str  # of that file


class Point(NamedTuple):
    """A point of a learning curve."""

    task: str
    policy: str
    training: int
    processor_s: float
    agent_steps: float
    score: float  # mean of what was tried


def write_rows(path: Path, rows: Sequence[Row] | Sequence[Point]) -> None:
    """Write rows as CSV, with every bit of the numbers."""
    with path.open('w', encoding='utf-8', newline='') as file:
        out = csv.writer(file, lineterminator='\n')
        out.writerow(rows[0]._fields)
        out.writerows([repr(value) if isinstance(value, float) else value for value in row]
                      for row in rows)


def read_rows(path: Path) -> list[Row]:
    """Return the rows of a file."""
    with path.open(encoding='utf-8', newline='') as lines:
        return [Row(each['task'], each['policy'], int(each['training']), int(each['seed']),
                    float(each['value']), float(each['contact']), float(each['clean']),
                    each['file'], each['sha256']) for each in csv.DictReader(lines)]


def _results(rows: Iterable[Row], task: str, policy: str) -> Floats:
    """Return the numbers (R, S) of R trainings on S seeds, both in rising order."""
    found = [row for row in rows if row.task == task and row.policy == policy]
    trainings, seeds = (sorted({row[column] for row in found}) for column in (2, 3))
    values = np.full((len(trainings), len(seeds)), np.nan)
    for row in found:
        values[trainings.index(row.training), seeds.index(row.seed)] = row.value
    return values


# Statistics of results: interquartile means with bands of a stratified bootstrap.
#
# As rliable has them (Agarwal, Schwarzer, Castro, Courville, Bellemare, Deep Reinforcement
# Learning at the Edge of the Statistical Precipice, NeurIPS 2021, arXiv 2108.13264).

_RESAMPLES = 2000
_LOW, _HIGH = 2.5, 97.5  # percentiles of a band


class _Band(NamedTuple):
    """A number and its 95 % band."""

    value: float
    low: float
    high: float


def _interquartile_mean(values: Floats) -> Floats:
    """Return the mean of the middle half of values (..., M), a quarter cut off at each end."""
    rows = np.sort(values, axis=-1)
    cut = rows.shape[-1] // 4
    return np.asarray(rows[..., cut:rows.shape[-1] - cut].mean(axis=-1))


def _band(results: Floats, seed: int = 0) -> _Band:
    """Return the interquartile mean of results (R, S) of R trainings on S seeds, and its band.

    Each resample draws trainings and seeds with replacement; for each of its seeds the trainings
    are drawn anew, so that no seed's share changes: the seeds are the strata. A policy that was
    not trained has R = 1, and its band is that of the seeds.
    """
    rng = np.random.default_rng(seed)
    runs, seeds = results.shape
    columns = rng.integers(seeds, size=(_RESAMPLES, 1, seeds))
    rows = rng.integers(runs, size=(_RESAMPLES, runs, seeds))
    drawn = _interquartile_mean(results[rows, columns].reshape(_RESAMPLES, -1))
    low, high = np.percentile(drawn, [_LOW, _HIGH])
    return _Band(float(_interquartile_mean(results.ravel())), float(low), float(high))


_POLICIES = ('rule', 'navigate', 'evolved', 'ppo')
_TRAINED = ('evolved', 'ppo', 'rule')
_WIDTH = 7.0  # inches, as pictures of runs
_BY_HAND = ('rule', 'navigate')
# Of a learner against what is written by hand, worst first. Bands that meet are no difference.
_VERDICTS = ('loses', 'no difference', 'wins, less clean', 'wins')


def cells(rows: Sequence[Row]) -> list[list[str]]:
    """Return the table of rows: interquartile means, in brackets their 95 % bands.

    Tasks in which a learner does not win come first. The last two columns compare with rule and
    navigate: how many trainings have a better mean than the best of these, and the worst verdict.
    They are there if any task has such. Of tuned rules it is the one that is best in these rows.
    """
    lines = [['task', 'metric', 'policy', 'interquartile mean (95 %)', 'contact', 'clean',
              'policies', 'trainings ahead', 'learner']]
    tasks = [_task_lines(rows, task) for task in dict.fromkeys(row.task for row in rows)]
    for _, of_task in sorted(tasks, key=itemgetter(0)):
        lines += of_task
    if all(row.policy not in _BY_HAND for row in rows):
        lines = [line[:-2] for line in lines]
    return lines


def _task_lines(rows: Sequence[Row], task: str) -> tuple[int, list[list[str]]]:
    """Return the lines of a task, and the place of the worst verdict in them."""
    metric, lines, worst = entry_of(task).metric, [], len(_VERDICTS)
    rows = _best_rule([row for row in rows if row.task == task], metric.higher)
    unit = f', {metric.unit}' if metric.has_unit else ''
    name = f"{metric.name}{unit}, {'higher' if metric.higher else 'lower'} is better"
    results = {policy: _results(rows, task, policy) for policy in _POLICIES}
    shares = {policy: np.mean([row.clean for row in rows if row.policy == policy])
              for policy, values in results.items() if values.size}
    for policy in shares:
        its = [row for row in rows if row.policy == policy]
        values, compared = results[policy], ['', '']
        found, others = _band(values), [each for each in _BY_HAND if each in shares]
        if others and policy not in _BY_HAND:
            place = min(_verdict(values, results[each], metric.higher,
                                 bool(shares[policy] < shares[each])) for each in others)
            worst = min(worst, place)
            best = max(_signed(results[each], metric.higher).mean() for each in others)
            ahead = int((_signed(values, metric.higher).mean(axis=1) > best).sum())
            compared = [f'{ahead} of {len(values)}', _VERDICTS[place]]
        lines.append([f'`{task}`', name, policy,
                      f'{found.value:.3g} ({found.low:.3g} to {found.high:.3g})',
                      f'{np.mean([row.contact for row in its]):.2f} s',
                      f'{100.0 * shares[policy]:.0f} %', _files(its), *compared])
    return worst, lines


def _best_rule(rows: Sequence[Row], higher: bool) -> list[Row]:
    """Return the rows of a task, of its tuned rules only those of the best one."""
    tuned = [row for row in rows if row.policy == 'rule']
    best = (max if higher else min)(
        dict.fromkeys(row.training for row in tuned), default=0,
        key=lambda training: sum(row.value for row in tuned if row.training == training))
    return [row for row in rows if row.policy != 'rule' or row.training == best]


def _signed(values: Floats, higher: bool) -> Floats:
    return values if higher else -values


def _verdict(values: Floats, other: Floats, higher: bool, scratches: bool) -> int:
    """Return the place in _VERDICTS of results (R, S) against those of another policy."""
    mine, its = _band(_signed(values, higher)), _band(_signed(other, higher))
    if mine.high < its.low:
        return 0
    return 1 if mine.low <= its.high else 2 if scratches else 3


def _files(rows: Sequence[Row]) -> str:
    """Return how many files rows have, and the begin of a hash of their hashes."""
    hashes = list(dict.fromkeys(row.sha256 for row in rows if row.file))
    return f"{len(hashes)}: {sha256(''.join(hashes).encode()).hexdigest()[:8]}" if hashes else ''


_NAMES = {'evolved': 'evolution', 'ppo': 'PPO', 'rule': 'tuned rule'}


def draw_curves(folders: Path | Sequence[Path], path: Path, dark: bool = False) -> None:
    """Draw the scores of all trainings against processor time: a panel a task and learner.

    Learners score by different numbers, evolution by the task's metric or its fitness, PPO by
    the return of an episode, so that each has panels and a label of its own.

    Parameters
    ----------
    folders : one or more, each with the rows of a proof
    path : of the picture
    dark : on a dark ground

    """
    import matplotlib as mpl
    mpl.use('Agg')
    import matplotlib.pyplot as plt

    lines = _lines([folders] if isinstance(folders, Path) else folders)
    columns = min(3, max(1, len(lines)))
    rows = max(1, -(-len(lines) // columns))
    counts = sorted({len(trainings) for trainings in lines.values()})
    with drawing(style_of(dark)):
        figure, axes = plt.subplots(rows, columns, squeeze=False, layout='constrained',
                                    figsize=(_WIDTH, 1.9 * rows + 0.3))
        for each in axes.flat[len(lines):]:
            each.set_visible(False)
        for ((task, policy), trainings), each in zip(lines.items(), axes.flat, strict=False):
            for line in trainings:
                each.plot(*line.T, color=f'C{_TRAINED.index(policy)}', linewidth=0.9,
                          alpha=0.8)
            each.set_title(f'{task}, {_NAMES[policy]}', loc='left')
            each.set_ylabel(_score(task, policy))
            each.tick_params(length=2)
            each.grid(alpha=0.3, linewidth=0.4)
            each.spines[['top', 'right']].set_visible(False)
        for each in axes.flat[max(0, len(lines) - columns):len(lines)]:
            each.set_xlabel('processor time (s)')
        number = ' to '.join(map(str, counts[:1] + counts[1:][-1:]))
        figure.suptitle('Mean scores while robots learn: ' + (
            'one training' if counts == [1] else f'each line is one of {number} trainings'),
                        fontsize='large')
        figure.savefig(path, dpi=DPI,
                       metadata={'Date': None} if path.suffix.lower() == '.svg' else None)
        plt.close(figure)


def _lines(folders: Sequence[Path]) -> dict[tuple[str, str], list[Any]]:
    """Return the curves, (R, 2) processor time (s) and score, of each task and learner."""
    lines: dict[tuple[str, str], dict[tuple[Path, str], list[list[float]]]] = {}
    for folder in folders:
        with (folder / CURVE).open(encoding='utf-8', newline='') as file:
            for point in csv.DictReader(file):
                trainings = lines.setdefault((point['task'], point['policy']), {})
                trainings.setdefault((folder, point['training']), []).append(
                    [float(point['processor_s']), float(point['score'])])
    return {key: [np.array(line) for line in trainings.values()]
            for key, trainings in lines.items()}


def _score(task: str, policy: str) -> str:
    """Return the label of a learner's score: with its unit, and less where less is better."""
    if policy == 'ppo':
        return 'episode return'
    entry = entry_of(task)
    metric = entry.metric
    if entry.fitness is not None:
        return 'fitness (no unit)'
    unit = f" ({metric.unit if metric.has_unit else 'no unit'})"
    return f"{'' if metric.higher else '−'}{metric.name}{unit}"
