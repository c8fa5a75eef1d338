# SPDX-License-Identifier: Apache-2.0
"""Train policies with several seeds and compare them: ``python -m sbot.learn.proof``."""

from __future__ import annotations

import argparse
import json
import platform
import shlex
import signal
import sys
from collections.abc import Sequence
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

from sbot.learn.proof.comparison import (
    Plan,
    Training,
    differences,
    navigate_rows,
)
from sbot.learn.proof.report import (
    CURVE,
    MADE_BY,
    ROWS,
    Point,
    Row,
    cells,
    draw_curves,
    write_rows,
)
from sbot.learn.proof.training import SCENES
from sbot.learn.task_checks import check_evaluated
from sbot.learn.tasks.entry import Entry
from sbot.learn.tasks.registry import entry_of
from sbot.navigation.table import as_markdown
from sbot.runner.summary import QUIET
from sbot.sweeps.engine import check_scheduler
from sbot.version import VERSION
from sbot.worlds.setting import MOST_WORLDS
from sbot_common.arguments import whole
from sbot_common.compiled.threads import MOST_THREADS
from sbot_common.errors import InputError, one_line, plain_lines
from sbot_common.user_code import UserCodeError

_LEARNERS = {'evolved': 'CMA-ES on whole episodes (extra evolve)',
             'ppo': 'independent PPO with one policy for all robots (extra train)'}

_MOST = {'trainings': 1_000_000, 'episodes': MOST_WORLDS, 'generations': 1_000_000_000,
         'decisions': 1_000_000_000_000, 'threads': MOST_THREADS, 'processes': 1000}


_LIBRARIES = ('numpy', 'numba', 'cma', 'torch', 'stable-baselines3')


def _write_made_by(path: Path, command: str, more: dict[str, Any]) -> None:
    """Write the command, the versions and the machine that made rows."""
    text = {'command': command, 'python': platform.python_version(), 'machine': platform.machine(),
            'potential_field_bot': VERSION,
            **{each.name: each.version for each in distributions() if each.name in _LIBRARIES},
            **more}
    path.write_text(json.dumps(text, indent=1) + '\n', 'utf-8')


def _trainings_of(entry: Entry, learner: str, count: int) -> list[Training]:
    """Return what is trained for a task: its rule, where that has constants, and the learner."""
    seeds = range(1, count + 1)
    tuned = entry.rule is not None and bool(entry.rule.constants)
    rules = [('rule', seed) for seed in (seeds if tuned else range(1))]
    return [*rules * (entry.rule is not None), *((learner, seed) for seed in seeds)]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        allow_abbrev=False,
        prog='python -m sbot.learn.proof',
        description='Train policies for tasks, with several seeds. Compare them with a rule whose '
                    'constants are tuned as long, and the controller navigate where robots have '
                    'goals, in scenes that none has seen. More: docs/learned_results.md.')
    parser.add_argument('tasks', nargs='*', metavar='TASK',
                        help='name from `sbot list tasks`, or module:ENTRY for a task of your own')
    parser.add_argument('--check', type=Path, nargs='+', metavar='FILE',
                        help='instead, make the rows of each rows.csv again from the policies '
                             'beside it, whose code is executed; fails if a bit differs')
    parser.add_argument('--learner', choices=list(_LEARNERS), default='evolved',
                        help='; '.join(f'{name}: {text}' for name, text in _LEARNERS.items()))
    parser.add_argument('--trainings', type=int, default=5, metavar='N',
                        help='number of trainings, each with its own seed (default: 5)')
    parser.add_argument('--first-seed', type=int, default=90001, metavar='S',
                        help='first seed of the scenes of the comparison, which training never '
                             'uses (default: 90001)')
    parser.add_argument('--episodes', type=int, default=20, metavar='N',
                        help='number of scenes of the comparison (default: 20)')
    parser.add_argument('--generations', type=int, default=60,
                        help='number of generations of evolved and of the rule, each of 24 '
                             'candidates in 6 scenes (default: 60)')
    parser.add_argument('--decisions', type=int, default=1_000_000,
                        help='number of decisions of all robots in ppo (default: 1000000)')
    parser.add_argument('--threads', type=int, default=1,
                        help='number of threads; the result is the same (default: 1)')
    parser.add_argument('--processes', type=int, default=1, metavar='N',
                        help='trainings in parallel; the result is the same (default: 1)')
    parser.add_argument('--scheduler', metavar='ADDRESS',
                        help='train on the workers of this Dask scheduler (tcp://..., or its '
                             'file), each with a thread; the result is the same')
    parser.add_argument('-o', '--output', type=Path, default=Path('proof'), metavar='DIR',
                        help='folder of the policies, rows and curves (default: proof)')
    parser.add_argument('--quiet', '-q', action='store_true', help=QUIET)
    return parser


def _make_folder(path: Path) -> None:
    """Make a folder; print a line if it has results of an earlier run."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f'--output: {path}: {error.strerror}') from None
    if (path / ROWS).exists():
        print(f'sbot.learn.proof: {path}: this run replaces the results of an earlier one; to '
              'keep them, give another folder (-o)', file=sys.stderr, flush=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit code."""
    given = _parser().parse_args(arguments)
    words = sys.argv[1:] if arguments is None else arguments
    rows: list[Row] = []
    points: list[Point] = []
    try:
        if given.check is not None:
            return max([_check(path) for path in given.check])
        entries = _checked(given)
        _make_folder(given.output)
        stopped = False
        try:
            _prove(given, entries, rows, points)
        except KeyboardInterrupt:
            stopped = True
        _write(given, rows, points)
        if points:
            seeds = _seeds(given)
            command = f'python -m sbot.learn.proof {shlex.join(words)}'
            _write_made_by(given.output / MADE_BY, command, {'seeds': [seeds[0], seeds[-1]]})
            draw_curves(given.output, given.output / 'curves.png')
    except InputError as error:
        print(f'sbot.learn.proof: {error}', file=sys.stderr)
        return 2
    except UserCodeError as error:
        print(plain_lines(f'{error.traceback()}sbot.learn.proof: {error}'), file=sys.stderr)
        return 1
    except KeyboardInterrupt:  # a second one, or before there is anything to keep
        print('sbot.learn.proof: interrupted', file=sys.stderr)
        return 1
    if stopped:
        print(one_line(f'sbot.learn.proof: interrupted; the policies and curves so far are in '
                       f'{given.output}'), file=sys.stderr)
        return 1
    print(as_markdown(cells(rows)))
    if not given.quiet:
        print(one_line(f'learning curves: {given.output}/curves.png, {given.output}/{CURVE}; '
                       f'policies: {given.output}/*.json'), file=sys.stderr)
    return 0


def _check(path: Path) -> int:
    """Make rows again; print where they differ, and return the exit code."""
    try:
        found = list(differences(path))
    except (OSError, ValueError) as error:
        raise InputError(f'--check: {path}: {error}') from None
    print('\n'.join(found) or f'{path}: every row again, to the bit')
    return int(bool(found))


def _checked(given: argparse.Namespace) -> list[Entry]:
    """Return the tasks, or raise InputError naming the option that is wrong."""
    for name, most in _MOST.items():
        whole(f'--{name}', getattr(given, name), 1, most)
    whole('--first-seed', given.first_seed, 0, SCENES - given.episodes)
    if not given.tasks:
        raise InputError('name a task, e.g. coverage (sbot list tasks)')
    if given.scheduler is not None:
        check_scheduler(given.scheduler)
    entries = [entry_of(name) for name in given.tasks]
    for entry in entries:
        check_evaluated(entry.make_scene())
    return entries


def _seeds(given: argparse.Namespace) -> range:
    return range(given.first_seed, given.first_seed + given.episodes)


def _prove(given: argparse.Namespace, entries: Sequence[Entry], rows: list[Row],
           points: list[Point]) -> None:
    """Append rows and points of all tasks; KeyboardInterrupt after those so far."""
    evolving = {'generations': given.generations, 'threads': given.threads}
    options = {'rule': evolving, 'evolved': evolving,
               'ppo': {'decisions': given.decisions, 'threads': given.threads}}
    for entry in entries:
        rows += navigate_rows(entry, _seeds(given))
        trainings = _trainings_of(entry, given.learner, given.trainings)
        plan = Plan(entry.name, _seeds(given), options, given.quiet)
        for proved in plan.prove_all(trainings, given.processes, given.scheduler):
            rows += proved.rows
            points += proved.curve
            if proved.policy is not None:
                (given.output / proved.policy.file).write_bytes(proved.policy.data)
        _write(given, rows, points)  # an error in the next task leaves them


def _write(given: argparse.Namespace, rows: Sequence[Row], points: Sequence[Point]) -> None:
    """Write tables of what there is."""
    for name, table in ((ROWS, rows), (CURVE, points)):
        if table:
            write_rows(given.output / name, table)


if __name__ == '__main__':
    # As a Ctrl-C, also where a shell or a scheduler runs this in the background.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    sys.exit(main())
