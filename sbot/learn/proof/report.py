"""Table and picture of the rows of an evaluation."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sbot.figures.palette import DPI, drawing, style_of
from sbot.learn.proof.rows import CURVE, Row, results
from sbot.learn.proof.statistics import band, better
from sbot.learn.tasks.registry import entry_of

POLICIES = ('random', 'rule', 'navigate', 'evolved', 'ppo')
TRAINED = ('evolved', 'ppo')
_WIDTH = 7.0  # inches, as pictures of runs


def table(rows: Sequence[Row]) -> str:
    """Return the table of rows in Markdown."""
    heading, *lines = (f"| {' | '.join(line)} |\n" for line in cells(rows))
    return ''.join([heading, '|' + ' --- |' * len(cells(rows)[0]) + '\n', *lines])


def cells(rows: Sequence[Row]) -> list[list[str]]:
    """Return the table of rows: interquartile means, in brackets their 95 % bands.

    The last two columns compare with the rule; they are there if any task has one.
    """
    lines = [['task', 'metric', 'policy', 'interquartile mean (95 %)',
              'trainings better than the rule', 'seeds better']]
    for task in dict.fromkeys(row.task for row in rows):
        metric = entry_of(task).metric
        rule = results(rows, task, 'rule')
        unit = f', {metric.unit}' if metric.has_unit else ''
        name = f"{metric.name}{unit}, {'higher' if metric.higher else 'lower'} is better"
        for policy in POLICIES:
            values = results(rows, task, policy)
            if not values.size:
                continue
            found, compared = band(values), ['', '']
            if rule.size and policy != 'rule':
                wins = better(values, rule, metric.higher)
                means = values.mean(axis=1) - rule.mean()
                ahead = int(((means > 0.0) == metric.higher)[means != 0.0].sum())
                trainings = f'{ahead} of {len(values)}' if policy in TRAINED else ''
                compared = [trainings, f'{100 * wins.mean():.0f} %']
            lines.append([f'`{task}`', name, policy, f'{found.value:.3g} ({found.low:.3g} to '
                          f'{found.high:.3g})', *compared])
    if all(row.policy != 'rule' for row in rows):
        lines = [line[:-2] for line in lines]
    return lines


NAMES = {'evolved': 'evolution', 'ppo': 'PPO'}


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
                each.plot(*line.T, color=f'C{TRAINED.index(policy)}', linewidth=0.9,
                          alpha=0.8)
            each.set_title(f'{task}, {NAMES[policy]}', loc='left')
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
