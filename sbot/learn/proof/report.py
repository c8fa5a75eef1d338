"""Table and picture of the rows of an evaluation."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sbot.learn.proof.rows import CURVE, ROWS, Row, read_rows, results
from sbot.learn.proof.statistics import band, better
from sbot.learn.tasks.registry import entry_of

POLICIES = ('random', 'rule', 'navigate', 'evolved', 'ppo')
TRAINED = ('evolved', 'ppo')


def table(rows: Sequence[Row]) -> str:
    """Return rows as a Markdown table: interquartile means, in brackets their 95 % bands."""
    lines = ['| task | metric | policy | interquartile mean (95 %) | trainings better than the '
             'rule | seeds better |', '| --- | --- | --- | --- | --- | --- |']
    for task in dict.fromkeys(row.task for row in rows):
        metric = entry_of(task).metric
        rule = results(rows, task, 'rule')
        unit = '' if metric.unit == '1' else f', {metric.unit}'
        name = f"{metric.name}{unit}, {'higher' if metric.higher else 'lower'} is better"
        for policy in POLICIES:
            values = results(rows, task, policy)
            if not values.size:
                continue
            found, wins = band(values), better(values, rule, metric.higher)
            means = values.mean(axis=1) - rule.mean()
            ahead = int(((means > 0.0) == metric.higher)[means != 0.0].sum())
            compared = ([f'{ahead} of {len(values)}', f'{100 * wins.mean():.0f} %']
                        if policy != 'rule' else ['', ''])
            lines.append(f"| `{task}` | {name} | {policy} | {found.value:.3g} "
                         f"({found.low:.3g} to {found.high:.3g}) | {' | '.join(compared)} |")
    return '\n'.join(lines) + '\n'


def draw_curves(folder: Path, path: Path) -> None:
    """Draw the scores of all trainings of a folder against processor time."""
    import matplotlib as mpl
    mpl.use('Agg')
    import matplotlib.pyplot as plt

    with (folder / CURVE).open(encoding='utf-8', newline='') as file:
        points: list[dict[str, Any]] = list(csv.DictReader(file))
    rows = read_rows(folder / ROWS)
    tasks = list(dict.fromkeys(row.task for row in rows))
    columns = min(4, len(tasks))
    figure, axes = plt.subplots(-(-len(tasks) // columns), columns, squeeze=False,
                                figsize=(2.6 * columns, 2.2 * -(-len(tasks) // columns)),
                                layout='constrained')
    for each in axes.flat[len(tasks):]:
        each.set_visible(False)
    for task, each in zip(tasks, axes.flat, strict=False):
        for k, policy in enumerate(TRAINED):
            for training in sorted({point['training'] for point in points}):
                line = np.array([[float(point['processor_s']), float(point['score'])]
                                 for point in points if (point['task'], point['policy'],
                                                         point['training'])
                                 == (task, policy, training)]).reshape(-1, 2)
                each.plot(*line.T, color=f'C{k}', linewidth=0.9, alpha=0.8)
        each.set_title(task, fontsize=9)
        each.tick_params(labelsize=7)
        each.spines[['top', 'right']].set_visible(False)
    figure.supxlabel('processor time (s)', fontsize=8)
    figure.supylabel('score in training', fontsize=8)
    figure.savefig(path, dpi=120)
    plt.close(figure)
