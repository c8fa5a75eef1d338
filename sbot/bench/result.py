"""Benchmark result: time, processor time and memory."""

from __future__ import annotations

import contextlib
import math
import os
import platform
from pathlib import Path
from typing import NamedTuple

import numpy as np


class BenchResult(NamedTuple):
    """One case at one size; medians over blocks of steps."""

    case: str
    robots: int
    threads: int
    ms_per_step: float  # wall time
    cpu_ms_per_step: float  # processor time of the process, all threads
    best_ms_per_step: float  # wall time of the fastest block
    robot_steps_per_s: float
    million_rays_per_s: float  # of the whole step, not of the scans alone
    real_time_factor: float
    peak_memory_mib: float  # of the process
    kib_per_robot: float  # that the case added, scans apart; nan where the system does not tell
    overlaps: int  # counted after every block; must be 0


def result_of(case: str, robots: int, threads: int, wall: list[float], cpu: list[float],
              beams: int, dt: float, found: int, before: float) -> BenchResult:
    """Return the result for seconds per step, block by block, and the memory (KiB) before."""
    median = float(np.median(wall))
    peak = peak_kib()
    scan = 4.0 * beams / 1024.0
    return BenchResult(
        case, robots, threads, 1e3 * median, 1e3 * float(np.median(cpu)), 1e3 * min(wall),
        robots / median, robots * beams / median / 1e6, dt / median, peak / 1024.0,
        max(0.0, (peak - before) / robots - scan), found)


def growth(results: list[BenchResult]) -> float:
    """Return the exponent of processor time against N over results of N >= 100; nan if few."""
    large = [r for r in results if r.robots >= 100]
    if len(large) < 2:
        return math.nan
    first, last = large[0], large[-1]
    if first.robots == last.robots:
        return math.nan
    return (math.log(last.cpu_ms_per_step / first.cpu_ms_per_step)
            / math.log(last.robots / first.robots))


def _status(key: str) -> float:
    """Return a size (KiB) of this process, as the system reports it; nan where it does not."""
    try:
        lines = Path('/proc/self/status').read_text(encoding='ascii').splitlines()
    except OSError:
        return math.nan
    return next((float(line.split()[1]) for line in lines if line.startswith(key)), math.nan)


def resident_kib() -> float:
    """Return the memory that this process has now."""
    return _status('VmRSS:')


def peak_kib() -> float:
    """Return the most memory that this process has had since ``forget_peak``."""
    return _status('VmHWM:')


def forget_peak() -> None:
    """Start the peak anew, where the system lets a process do that."""
    with contextlib.suppress(OSError):
        Path('/proc/self/clear_refs').write_text('5', encoding='ascii')


def machine() -> str:
    """Return the processors' number and name."""
    try:
        lines = Path('/proc/cpuinfo').read_text(encoding='utf-8').splitlines()
    except OSError:
        return f'{os.cpu_count()} x {platform.machine()}'
    names = [line.partition(':')[2].strip() for line in lines if line.startswith('model name')]
    return f'{len(names)} x {names[0]}' if names else platform.machine()
