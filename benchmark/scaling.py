"""Scaling of large worlds: threads beside independent processes, 10 to 1,000,000 robots.

``python benchmark/scaling.py`` prints a table. Each row measures, in turn and several times, one
thread, several threads, and as many processes with a world each at the same time; a figure is the
median. Only ratios within a row say something: processors and their neighbours change. A million
robots are ten worlds of 100,000.
"""

from __future__ import annotations

import argparse
import math
import multiprocessing
import os
import statistics
import time
from collections.abc import Sequence
from multiprocessing.connection import Connection
from typing import Any

import numpy as np

import sbot
from sbot_sim.worlds.batch import Program
from sbot_sim.worlds.state import Phase

SENSORS: dict[str, dict[str, Any]] = {
    'motion': {}, 'step': {'scan_sees_robots': True, 'scan_range_max': 5.0},
    'infrared': {'infrared': True}}
SENSES = {'motion': [], 'step': ['scan'], 'infrared': ['infrared']}
SPACING = 1.5  # m
MOST = 100_000  # robots in a world
SECONDS = 0.05  # of one measurement, about


class Case:
    """N robots that drive about, as many as MOST in a world."""

    def __init__(self, case: str, robots: int, threads: int) -> None:
        count, robots = max(1, robots // MOST), min(robots, MOST)
        columns = math.isqrt(robots - 1) + 1
        size = SPACING * columns
        rng = np.random.default_rng(1)
        start = np.empty((robots, 3))
        start[:, 0] = SPACING * (0.5 + np.arange(robots) % columns)
        start[:, 1] = SPACING * (0.5 + np.arange(robots) // columns)
        start[:, 2] = rng.uniform(-math.pi, math.pi, robots)
        self._start = start
        self._worlds = sbot.Worlds(
            {'duration': 1, 'world': {'bounds': [0, 0, size, size]}, 'sensors': SENSORS[case],
             'wind': {'wind_speed_mean': 0.1},
             'robots': [{'count': robots, 'layout': 'grid', 'area': [0, 0, size, size],
                         'controller': 'none'}]},
            count, sense=SENSES[case], threads=threads)
        self._commands = np.tile(np.stack([np.full(robots, 0.5), rng.uniform(-1, 1, robots)],
                                          axis=1), (count, 1, 1))
        self.ticks = 1
        self.ticks = max(4, round(SECONDS / self.seconds()))

    def seconds(self) -> float:
        """Return how long (s) a tick takes."""
        self._worlds.reset(start=self._start)
        self._worlds.step(self._commands)
        begun = time.perf_counter()
        self._worlds.step(self._commands, ticks=self.ticks)
        return (time.perf_counter() - begun) / self.ticks


def serve(case: str, robots: int, questions: Connection) -> None:
    """Measure when asked: of a process beside others."""
    world = Case(case, robots, 1)
    questions.send(None)
    while (ticks := questions.recv()):
        world.ticks = ticks
        questions.send(world.seconds())


def measure(case: str, robots: int, threads: int, times: int) -> tuple[float, float, float]:
    """Return seconds a tick of one thread, of several, and of a world beside others."""
    one, several = Case(case, robots, 1), Case(case, robots, threads)
    several.ticks = one.ticks
    context, beside = multiprocessing.get_context('spawn'), []
    for _ in range(threads):
        here, there = context.Pipe()
        process = context.Process(target=serve, args=(case, robots, there), daemon=True)
        process.start()
        beside.append((here, process))
    for here, _ in beside:
        here.recv()
    found: list[list[float]] = [[], [], []]
    for _ in range(times):
        found[0].append(one.seconds())
        found[1].append(several.seconds())
        for here, _ in beside:
            here.send(one.ticks)
        found[2].append(max(here.recv() for here, _ in beside))
    for here, process in beside:
        here.send(0)
        process.join()
    first, second, third = map(statistics.median, found)
    return first, second, third


def serial_share(case: str, robots: int) -> float:
    """Return which share of a tick's work one thread does alone, each phase measured by itself."""
    world = Case(case, robots, 2)
    worlds, seconds = world._worlds, [0.0, 0.0]
    simulation = worlds.simulation
    phases = [phase for phase in worlds.ticking() if isinstance(phase, Phase)]
    programs = [Program([phase], simulation.setting, simulation.state) for phase in phases]
    world.seconds()
    worlds.reset(start=world._start)
    worlds.step(world._commands)
    for _ in range(world.ticks):
        for phase, program in zip(phases, programs, strict=True):
            begun = time.perf_counter()
            program.run(0, 1)
            seconds[phase.shared] += time.perf_counter() - begun
    return seconds[0] / sum(seconds)


def print_serial(cases: Sequence[str], robots: Sequence[int]) -> None:
    """Print the share of one thread, and the gains that it leaves to 4, 8 and 16."""
    print(f'{"case":<9} {"robots":>8} {"alone":>6} {"gains of 4, 8, 16 at most":>26}')
    for case in cases:
        for count in robots:
            share = serial_share(case, count)
            gains = (f'{1.0 / (share + (1.0 - share) / threads):.1f}' for threads in (4, 8, 16))
            print(f'{case:<9} {count:>8} {share:>6.2f} {", ".join(gains):>26}', flush=True)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument('--cases', nargs='+', default=list(SENSORS), choices=list(SENSORS))
    parser.add_argument('--robots', nargs='+', type=int,
                        default=[10, 100, 1000, 10_000, 100_000])
    parser.add_argument('--threads', type=int, default=os.cpu_count() or 1)
    parser.add_argument('--times', type=int, default=5)
    parser.add_argument('--serial', action='store_true',
                        help='instead: what one thread does alone, for machines with more')
    arguments = parser.parse_args()
    if arguments.serial:
        print_serial(arguments.cases, arguments.robots)
        return
    threads = arguments.threads
    print(f'{"case":<9} {"robots":>8} {"ms a tick":>10} {f"{threads} threads":>10} '
          f'{"gain":>6} {"processes":>10} {"of these":>9}')
    for case in arguments.cases:
        for robots in arguments.robots:
            one, several, beside = measure(case, robots, threads, arguments.times)
            gain, processes = one / several, threads * one / beside
            print(f'{case:<9} {robots:>8} {1e3 * one:>10.4f} {1e3 * several:>10.4f} {gain:>6.2f} '
                  f'{processes:>10.2f} {gain / processes:>9.2f}', flush=True)


if __name__ == '__main__':
    main()
