"""Accuracy and speed of the elementary functions, beside libm's and NumPy's.

    python benchmark/elementary.py [--count 10000] [--seconds 1] [--csv FILE]

Accuracy: the largest error beside mpmath, in units of the last place, and the share of results
that are the double nearest to what is right. Speed: nanoseconds a number, one thread, arrays of
2,000; ``libm`` is a compiled loop over ``math``'s functions.
"""

from __future__ import annotations

import argparse
import csv
import importlib.util
import math
import platform
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from sbot.bench import machine
from sbot_common import elementary
from sbot_common.compiled.jit import njit

ORACLE = Path(__file__).parents[1] / 'test' / 'sbot_common' / 'elementary_oracle.py'
COLUMNS = ('function', 'range', 'worst_ulp', 'at', 'correctly_rounded', 'ns', 'libm_ns',
           'numpy_ns')


Floats = NDArray[np.float64]


def load(path: Path) -> Any:  # noqa: ANN401
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@njit
def libm_sincos(x: Floats, sine: Floats, cosine: Floats) -> None:
    for i in range(x.shape[0]):
        sine[i], cosine[i] = math.sin(x[i]), math.cos(x[i])


@njit
def libm_atan2(y: Floats, x: Floats, out: Floats) -> None:
    for i in range(x.shape[0]):
        out[i] = math.atan2(y[i], x[i])


@njit
def libm_hypot(x: Floats, y: Floats, out: Floats) -> None:
    for i in range(x.shape[0]):
        out[i] = math.hypot(x[i], y[i])


@njit
def libm_exp(x: Floats, out: Floats) -> None:
    for i in range(x.shape[0]):
        out[i] = math.exp(x[i])


@njit
def libm_log(x: Floats, out: Floats) -> None:
    for i in range(x.shape[0]):
        out[i] = math.log(x[i])


@njit
def scalar_sincos(x: Floats, sine: Floats, cosine: Floats) -> None:
    for i in range(x.shape[0]):
        sine[i], cosine[i] = elementary.sincos(x[i])


@njit
def scalar_asin(x: Floats, out: Floats) -> None:
    for i in range(x.shape[0]):
        out[i] = elementary.asin(x[i])


@njit
def libm_asin(x: Floats, out: Floats) -> None:
    for i in range(x.shape[0]):
        out[i] = math.asin(x[i])


@njit
def scalar_pow(x: Floats, y: Floats, out: Floats) -> None:
    for i in range(x.shape[0]):
        out[i] = elementary.pow(x[i], y[i])


@njit
def libm_pow(x: Floats, y: Floats, out: Floats) -> None:
    for i in range(x.shape[0]):
        out[i] = math.pow(x[i], y[i])


def numpy_sincos(x: Floats, sine: Floats, cosine: Floats) -> None:
    np.sin(x, out=sine)
    np.cos(x, out=cosine)


def nanoseconds(calls: list[Callable[..., Any]], arguments: tuple[Any, ...],
                seconds: float) -> list[float]:
    """Least time of each, measured in turn: other programs only ever add to it."""
    best = [math.inf] * len(calls)
    for call in calls:
        call(*arguments)
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        for k, call in enumerate(calls):
            start = time.perf_counter()
            for _ in range(5):
                call(*arguments)
            took = (time.perf_counter() - start) / 5 / len(arguments[0])
            best[k] = min(best[k], 1e9 * took)
    return best


def speeds(seconds: float) -> list[tuple[Any, ...]]:
    rng = np.random.default_rng(1)
    x, y = rng.uniform(-100.0, 100.0, (2, 2000))
    unit, out, more = rng.uniform(-1.0, 1.0, 2000), np.empty(2000), np.empty(2000)
    cases = [
        ('sincos', 'array, -100 to 100', (x, out, more), elementary.sincos_of, libm_sincos,
         numpy_sincos),
        ('sincos', 'one by one, -100 to 100', (x, out, more), scalar_sincos, libm_sincos,
         numpy_sincos),
        ('sincos', 'one by one, to 1e15', (x * 1e13, out, more), scalar_sincos, libm_sincos,
         numpy_sincos),
        ('atan2', 'array, of -100 to 100', (y, x, out), elementary.atan2_of, libm_atan2,
         np.arctan2),
        ('hypot', 'array, of -100 to 100', (x, y, out), elementary.hypot_of, libm_hypot, np.hypot),
        ('exp', 'array, -100 to 100', (x, out), elementary.exp_of, libm_exp, np.exp),
        ('log', 'array, 0 to 100', (np.abs(x), out), elementary.log_of, libm_log, np.log),
        ('asin', 'one by one, -1 to 1', (unit, out), scalar_asin, libm_asin, np.arcsin),
        ('pow', 'one by one, 0 to 100, to -1 to 1', (np.abs(x), unit, out), scalar_pow, libm_pow,
         np.power)]
    rows = []
    for name, where, arguments, *calls in cases:
        times = nanoseconds(calls, arguments, seconds)
        rows.append((name, where, *times))
        print(f'{name:8s} {where:34s} {times[0]:7.2f} ns, libm {times[1]:7.2f}, '
              f'NumPy {times[2]:7.2f}', flush=True)
    return rows


def accuracies(count: int) -> list[tuple[Any, ...]]:
    oracle = load(ORACLE)
    rows = []
    for case in oracle.RANGES:
        worst, at, equal = oracle.measured(case, count)
        where = ', '.join(f'{value!r}' for value in at)
        rows.append((case.function, case.where, worst, where, equal))
        print(f'{case.function:8s} {case.where:34s} {worst:.4f} ulp at {where}; '
              f'{100 * equal:.2f} % correctly rounded', flush=True)
    return rows


def main() -> int:
    parser = argparse.ArgumentParser(allow_abbrev=False, description=__doc__.split('\n')[0])
    parser.add_argument('--count', type=int, default=10_000, help='numbers of each range')
    parser.add_argument('--seconds', type=float, default=1.0, help='for each speed')
    parser.add_argument('--csv', type=Path)
    arguments = parser.parse_args()
    accurate, fast = accuracies(arguments.count), speeds(arguments.seconds)
    if arguments.csv:
        versions = (machine(), platform.python_version(), numba.__version__, np.__version__)
        with arguments.csv.open('w', newline='') as file:
            writer = csv.writer(file)
            writer.writerow([*COLUMNS, 'processor', 'python', 'numba', 'numpy'])
            for name, where, worst, at, equal in accurate:
                writer.writerow([name, where, f'{worst:.4f}', at, f'{equal:.4f}', '', '', '',
                                 *versions])
            for name, where, *times in fast:
                writer.writerow([name, where, '', '', '', *(f'{t:.3g}' for t in times), *versions])
    return 0


if __name__ == '__main__':
    sys.exit(main())
