"""Rows of an evaluation: a number for each task, policy, training and seed, in CSV files."""

from __future__ import annotations

import csv
import json
import platform
from collections.abc import Iterable, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from sbot.learn.task import Floats
from sbot.version import VERSION
from sbot_common.errors import InputError

ROWS, CURVE, MADE_BY = 'rows.csv', 'curve.csv', 'made_by.json'
_LIBRARIES = ('numpy', 'numba', 'cma', 'torch', 'stable-baselines3')


class Row(NamedTuple):
    """The number of one episode."""

    task: str
    policy: str  # random, rule, navigate, evolved, ppo
    training: int  # seed of the training; 0 of what was not trained
    seed: int  # of the episode
    value: float  # of the task's metric


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
    """Return the rows of a file.

    Raises
    ------
    InputError
        naming the file and line, and what was expected.

    """
    try:
        with path.open(encoding='utf-8', newline='') as file:
            lines = list(csv.reader(file))
    except OSError as error:
        raise InputError(f'{path}: cannot be read: {error.strerror}') from None
    if not lines or tuple(lines[0]) != Row._fields:
        raise InputError(f"{path}:1: expected the columns {','.join(Row._fields)}")
    rows = []
    for number, line in enumerate(lines[1:], 2):
        try:
            task, policy, training, seed, value = line
            rows.append(Row(task, policy, int(training), int(seed), float(value)))
        except ValueError:
            raise InputError(f"{path}:{number}: got {','.join(line)!r}, expected a task, a "
                             'policy, two whole numbers and a number') from None
    return rows


def results(rows: Iterable[Row], task: str, policy: str) -> Floats:
    """Return the numbers (R, S) of R trainings on S seeds, both in rising order."""
    found = [row for row in rows if row.task == task and row.policy == policy]
    trainings, seeds = (sorted({row[column] for row in found}) for column in (2, 3))
    values = np.full((len(trainings), len(seeds)), np.nan)
    for row in found:
        values[trainings.index(row.training), seeds.index(row.seed)] = row.value
    return values


def write_made_by(path: Path, command: str, more: dict[str, Any]) -> None:
    """Write the command, the versions and the machine that made rows."""
    text = {'command': command, 'python': platform.python_version(), 'machine': platform.machine(),
            'potential_field_bot': VERSION, **{name: _version(name) for name in _LIBRARIES},
            **more}
    path.write_text(json.dumps(text, indent=1) + '\n', 'utf-8')


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
