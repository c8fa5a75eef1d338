"""Draw the pictures of learning: python docs/make_learning_figures.py.

The curves are in benchmark/learning. With `--record` it first makes those of examples/evolve.py
and examples/train_leader.py anew, which takes two minutes and needs the extras evolve and train;
benchmark/learning/team_curves.py makes those of teams.
"""

from __future__ import annotations

import csv
import json
import sys
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from sbot.figures.look import drawing, style_of
from sbot.learn.proof.report import CURVE, draw_curves

ROOT = Path(__file__).resolve().parent.parent
FIGURES = ROOT / 'docs' / 'figures'
FOLDER = ROOT / 'benchmark' / 'learning'
EVOLVED, TRAINED = FOLDER / 'evolve_aggregate.json', FOLDER / 'train_leader.json'
TEAMS = FOLDER / 'team_curves.csv'
NAMES = ('evolved_fitness.svg', 'leader_training.svg', 'learning_curves.svg', 'team_curves.svg')


def example(name: str) -> Any:  # noqa: ANN401 - a module of examples/
    """Return an example as a module."""
    sys.path.insert(0, str(ROOT / 'examples'))
    try:
        return import_module(name)
    finally:
        sys.path.pop(0)


def record() -> None:
    """Run the examples and keep what they draw."""
    evolve, train = example('evolve'), example('train_leader')

    def keep_evolved(history: Any, scores: Any, _path: Path, title: str) -> None:  # noqa: ANN401
        EVOLVED.write_text(json.dumps({
            'title': title, 'history': np.round(history, 5).tolist(),
            'scores': {name: np.round(each, 5).tolist() for name, each in scores.items()}}) + '\n')

    def keep_trained(rows: Any, _path: Path) -> None:  # noqa: ANN401
        TRAINED.write_text(json.dumps(np.round(rows, 5).tolist()) + '\n')

    evolve.draw, train.draw = keep_evolved, keep_trained
    with TemporaryDirectory() as folder:
        evolve.main(['aggregate', '-o', folder])
        train.main(['-o', folder])


def draw_teams(path: Path) -> None:
    """Draw the returns of teams over decisions: a panel a task, a line a training."""
    import matplotlib.pyplot as plt

    with TEAMS.open(encoding='utf-8', newline='') as file:
        points = list(csv.DictReader(file))
    tasks, algorithms = ([*dict.fromkeys(point[key] for point in points)]
                         for key in ('task', 'algorithm'))
    figure, panels = plt.subplots(1, len(tasks), layout='constrained', figsize=(7.0, 2.4))
    for axes, task in zip(panels, tasks, strict=True):
        for number, algorithm in enumerate(algorithms):
            its = [point for point in points
                   if (point['task'], point['algorithm']) == (task, algorithm)]
            for seed in dict.fromkeys(point['training'] for point in its):
                rows = np.array([[point['team_decisions'], point['mean_return']]
                                 for point in its if point['training'] == seed], float)
                axes.plot(rows[:, 0] / 1000.0, rows[:, 1], color=f'C{number}', linewidth=0.9,
                          label=algorithm.upper() if seed == '1' and task == tasks[0] else None)
        axes.set_title(task.partition(':')[2] or task)
        axes.spines[['top', 'right']].set_visible(False)
    panels[0].set_ylabel('mean return (no unit)')
    panels[len(tasks) // 2].set_xlabel('thousand decisions of the team')
    figure.legend(frameon=False, ncols=len(algorithms), loc='outside lower center')
    figure.savefig(path, metadata={'Date': None})
    plt.close(figure)


def draw(path: Path, name: str, dark: bool = False) -> None:
    """Draw one of NAMES."""
    if name == 'learning_curves.svg':
        draw_curves(sorted(each.parent for each in FOLDER.glob(f'*/{CURVE}')), path, dark)
        return
    with drawing(style_of(dark)):
        if name == 'team_curves.svg':
            draw_teams(path)
        elif name == 'evolved_fitness.svg':
            kept = json.loads(EVOLVED.read_text('utf-8'))
            scores = {key: np.array(each) for key, each in kept['scores'].items()}
            example('evolve').draw(np.array(kept['history']), scores, path, kept['title'])
        else:
            example('train_leader').draw(np.array(json.loads(TRAINED.read_text('utf-8'))), path)


def main() -> None:
    """Write all four."""
    if sys.argv[1:] == ['--record']:
        record()
    for name in NAMES:
        draw(FIGURES / name, name)


if __name__ == '__main__':
    main()
