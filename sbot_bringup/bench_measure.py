"""Measuring the standard workload: time, processor time and memory of every case."""

from __future__ import annotations

import contextlib
import math
import os
import platform
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from sbot_bringup import signals
from sbot_bringup.bench_scenes import (
    BEAMS,
    SPEED,
    STEP,
    STEPS_A_DRAW,
    TURN,
    WIND,
    infrared_parameters,
    laser_parameters,
    scene_of,
)
from sbot_sim.collisions import separate
from sbot_sim.engine import Engine
from sbot_sim.infrared import SENSORS
from sbot_sim.motion import move, wheel_commands
from sbot_sim.overlap import overlaps
from sbot_sim.simulation import Inputs, Wind

# What is measured, in the order of the table.
CASES = {
    'motion': 'motion and collisions alone',
    'step': 'the whole step with lasers',
    'infrared': 's-bots: infrared, collisions, wind with wakes',
    'controllers': 'sbot run of potential-field robots at 30 Hz',
}
_LEAST_BLOCKS = 5


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


def measure(case: str, robots: int, threads: int, seconds: float, seed: int = 0) -> BenchResult:
    """Measure one case for about ``seconds`` of wall time.

    Parameters
    ----------
    case : a key of ``CASES``
    robots : N
    threads : to use
    seconds : wall time; at least five blocks of ten steps are made
    seed : of places, headings and turn rates

    """
    if case == 'controllers':
        from sbot_bringup.bench_controllers import measure_controllers
        return measure_controllers(robots, threads, seconds, seed)
    before = resident_kib()
    forget_peak()
    block, count, beams = _stepper(case, robots, threads, seed)
    block()
    wall: list[float] = []
    cpu: list[float] = []
    found = 0
    end = time.perf_counter() + seconds
    with signals.held() as heed_signals:
        while time.perf_counter() < end or len(wall) < _LEAST_BLOCKS:
            heed_signals()
            started, cpu_started = time.perf_counter(), time.process_time()
            block()
            cpu.append((time.process_time() - cpu_started) / STEPS_A_DRAW)
            wall.append((time.perf_counter() - started) / STEPS_A_DRAW)
            if len(wall) <= _LEAST_BLOCKS:
                found += count()
    return result_of(case, robots, threads, wall, cpu, beams, STEP, found, before)


def result_of(case: str, robots: int, threads: int, wall: list[float], cpu: list[float],
              beams: int, dt: float, found: int, before: float) -> BenchResult:
    """Return the result for seconds a step, block by block, and the memory (KiB) before."""
    median = float(np.median(wall))
    peak = peak_kib()
    scan = 4.0 * beams / 1024.0
    return BenchResult(
        case, robots, threads, 1e3 * median, 1e3 * float(np.median(cpu)), 1e3 * min(wall),
        robots / median, robots * beams / median / 1e6, dt / median, peak / 1024.0,
        max(0.0, (peak - before) / robots - scan), found)


def _stepper(case: str, robots: int, threads: int,
             seed: int) -> tuple[Callable[[], None], Callable[[], int], int]:
    """Return (make a block of steps, count overlaps, beams of a robot)."""
    scene = scene_of(case, robots, seed)
    rng = np.random.default_rng(seed + 1)
    bodies, world = scene.bodies, scene.world
    command = np.full((robots, 2), SPEED * scene.scale)
    if case == 'motion':
        pose = scene.pose
        impulse = np.zeros((robots, 2))

        def motion_block() -> None:
            nonlocal pose
            command[:, 1] = rng.uniform(-TURN, TURN, robots)
            for _ in range(STEPS_A_DRAW):
                moved = move(bodies, pose, wheel_commands(bodies, command), impulse, STEP)
                pose = separate(world, bodies, pose, moved).pose

        return motion_block, lambda: overlaps(world, bodies, pose), 0
    make = laser_parameters if case == 'step' else infrared_parameters
    engine = Engine(make(scene, threads), scene.pose, seed)
    wind = Wind(np.array([0.0 if case == 'step' else WIND, 0.0, 0.0]), np.zeros(3))

    def block() -> None:
        command[:, 1] = rng.uniform(-TURN, TURN, robots)
        for _ in range(STEPS_A_DRAW):
            engine.advance(Inputs(command, wind, engine.state.rab_data))

    return (block, lambda: overlaps(world, bodies, engine.state.pose),
            BEAMS if case == 'step' else SENSORS)


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
    """Return a size (KiB) that the system tells of this process; nan where it does not."""
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
