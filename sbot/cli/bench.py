# SPDX-License-Identifier: Apache-2.0
"""`sbot bench`: run the benchmark, print a table, write CSV files."""

from __future__ import annotations

import argparse
import csv
import json
import math
import os
import platform
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numba

from sbot.bench import CASES, BenchResult, machine, measure_evaluations
from sbot.cli.command import JSON, Command, value
from sbot.runner.warm_up import warm_up
from sbot_common.errors import refuse

_EVALUATIONS = 'evaluations'
_SIZES = (10, 100, 1000, 10_000)
_CONTROLLED = 1000  # more robots with controllers are measured on request only


def _bench(arguments: argparse.Namespace) -> int:
    _check(arguments)
    warm_up(quiet=arguments.json)
    threads = arguments.threads or sorted({1, os.cpu_count() or 1})
    results: list[BenchResult] = []
    evaluations: dict[str, float] = {}
    cases = [case for case in arguments.cases if case != _EVALUATIONS]

    def say(text: str) -> None:
        if not arguments.json:
            print(text, flush=True)
    if cases:
        say(_heading())
    if _EVALUATIONS in arguments.cases:
        ours = measure_evaluations(arguments.seconds)
        evaluations = ours._asdict()
        say(ours.text())
    if not cases:
        if arguments.json:
            print(json.dumps({'machine': machine(), **evaluations}), flush=True)
        return 0
    for case in cases:
        # Motion has one thread.
        for count in (each for each in threads if each == 1 or case != 'motion'):
            for robots in _sizes(arguments, case):
                # Whatever is compiled or read late.
                BenchResult.measure(case, min(robots, 10), count, 0.0)
                results.append(BenchResult.measure(case, robots, count, arguments.seconds))
                say(_line(results[-1]))
    _report(arguments, cases, results, evaluations)
    if arguments.csv:
        write_table(Path(arguments.csv), results)
    return int(any(result.overlaps for result in results))


def _check(arguments: argparse.Namespace) -> None:
    refuse(
        *((number < 1, f'--{name}: got {number}, expected a whole number >= 1')
          for name in ('robots', 'threads') for number in getattr(arguments, name) or ()),
        (not arguments.seconds >= 0,
         f'--seconds: got {arguments.seconds}, expected a number >= 0'),
        (arguments.csv and set(arguments.cases) == {_EVALUATIONS},
         f'--csv cannot be combined with {_EVALUATIONS}; use --json'),
        (arguments.csv and Path(arguments.csv).exists(),
         f'--csv: {arguments.csv} exists already; give a new name'))


def _sizes(arguments: argparse.Namespace, case: str) -> list[int]:
    """Return the numbers of robots of a case, rising."""
    if arguments.robots:
        return sorted(arguments.robots)
    return [n for n in _SIZES if case != 'controllers' or n <= _CONTROLLED]


def _heading() -> str:
    return (f'{"case":<11} {"robots":>6} {"thr":>3} {"ms/step":>8} {"cpu ms":>8} {"best ms":>8} '
            f'{"Mrob/s":>6} {"Mray/s":>6} {"x real":>7} {"MiB":>5}')


def _line(r: BenchResult) -> str:
    """Return one row; what is not in it (KiB a robot) is in the CSV and in --json."""
    numbers = ((r.ms_per_step, 8), (r.cpu_ms_per_step, 8), (r.best_ms_per_step, 8),
               (r.robot_steps_per_s / 1e6, 6), (r.million_rays_per_s, 6), (r.real_time_factor, 7),
               (r.peak_memory_mib, 5))
    row = ' '.join([f'{r.case:<11}', f'{r.robots:>6}', f'{r.threads:>3}',
                    *(f'{_short(value):>{width}}' for value, width in numbers)])
    return f'{row}\n{r.overlaps} OVERLAPS' if r.overlaps else row


def _short(value: float) -> str:
    """Return a number with three digits, or all those before its point."""
    return f'{value:.0f}' if value >= 100 else f'{value:.3g}'


def _report(arguments: argparse.Namespace, cases: Sequence[str], results: list[BenchResult],
            evaluations: dict[str, float]) -> None:
    """Print growth exponents and speed-ups, or all results as JSON."""
    exponents, speedups = {}, {}
    for case in cases:
        of_case = [r for r in results if r.case == case]
        counts = sorted({r.threads for r in of_case})
        exponents[case] = _growth([r for r in of_case if r.threads == counts[0]])
        for one in of_case:
            for many in of_case:
                if one.robots == many.robots and one.threads == 1 < many.threads:
                    speedups[f'{case} {one.robots} x{many.threads}'] = (
                        one.ms_per_step / many.ms_per_step)
    if arguments.json:
        print(json.dumps({
            'machine': machine(), 'python': platform.python_version(),
            'results': [r._asdict() for r in results], 'growth': exponents,
            'speedup': speedups, **evaluations}), flush=True)
        return
    for case, exponent in exponents.items():
        if exponent == exponent:
            print(f'{case} ({CASES[case]}): growth exponent from N = 100: {exponent:.2f}')
    for name, speedup in speedups.items():
        print(f'{name}: {speedup:.2f} times as fast as one thread')


def _growth(results: list[BenchResult]) -> float:
    """Return the exponent of processor time against N over results of N >= 100; nan if few."""
    large = [r for r in results if r.robots >= 100]
    if not large or large[0].robots == large[-1].robots:
        return math.nan
    first, last = large[0], large[-1]
    return (math.log(last.cpu_ms_per_step / first.cpu_ms_per_step)
            / math.log(last.robots / first.robots))


def write_table(path: Path, results: Sequence[Any]) -> None:
    """Write a CSV file, the machine named in every row."""
    with path.open('w', newline='', encoding='utf-8') as file:
        writer = csv.writer(file)
        writer.writerow([*results[0]._fields, 'machine', 'python', 'numba'])
        for r in results:
            numbers = [f'{value:.4g}' if isinstance(value, float) else value for value in r]
            writer.writerow([*numbers, machine(), platform.python_version(), numba.__version__])


COMMANDS = {'bench': Command(_bench, {
    '--robots': value('N', f'numbers of robots (default: {" ".join(map(str, _SIZES))})', type=int,
                      nargs='+'),
    '--cases': value(
        'CASE', f'{", ".join(CASES)} (default: all of these); or {_EVALUATIONS}: many small '
        'worlds in one call, as evolution and learning use them', nargs='+',
        choices=[*CASES, _EVALUATIONS], default=list(CASES)),
    '--threads': value('N', 'numbers of threads (default: 1 and all cores)', type=int, nargs='+'),
    '--seconds': value('S', 'wall time of each measurement (default: 3)', type=float,
                       default=3.0),
    '--csv': value('FILE', 'write the results to a new file'),
    '--json': JSON,
}, description='Measure speed and memory on the standard workload. N robots of 0.3 m move among '
               'N/4 boxes in an arena with a side of 4*sqrt(N) m. Each has 180 laser beams of 8 '
               'm, and a step takes 0.1 s. Further cases are s-bots at the same density, and '
               'whole runs of potential-field robots. `sbot bench navigation` compares '
               'controllers.')}
