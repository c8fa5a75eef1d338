# SPDX-License-Identifier: Apache-2.0
"""Benchmark of many small worlds: evaluations of evolution, a single world, batches of ten robots.

Processor time, of this process: what a cluster is paid for.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from sbot.bench.measure import bench_scenario, uniform
from sbot.controllers.neural.network import make_network
from sbot.scenario.load import scenario_from_mapping
from sbot.scenario.model import Scenario
from sbot.worlds.many import Worlds
from sbot.worlds.single import World

WORLDS, TICKS = 400, 600  # of evaluations
LASER_WORLDS, BATCH = 250, 100
CALLS = 200


class _EvaluationResult(NamedTuple):
    """Speed of small worlds on one processor; medians."""

    evaluations_per_cpu_s: float  # of 600 ticks of 5 s-bots with infrared and a perceptron
    evaluation_robot_steps_per_cpu_s: float
    laser_robot_steps_per_cpu_s: float  # of 4 robots with 16 beams
    world_step_us: float  # wall time of World.step of 10 s-bots with infrared, from Python
    world_step_cpu_us: float  # processor time of the same
    batch_motion_ms: float  # of 10 robots of the standard scene in a batch, without sensors
    batch_step_ms: float  # of the same with lasers of 180 beams


def _s_bots(robots: int) -> Scenario:
    """Return s-bots with infrared and noise in a walled arena of 2 m with a pillar."""
    return scenario_from_mapping({
        'name': 'evaluations', 'rate': 10, 'seed': 1,
        'world': {'bounds': [0, 0, 2, 2], 'circles': [{'center': [1, 1], 'radius': 0.1}]},
        'robots': [{'count': robots, 'body': 's-bot', 'controller': 'none'}],
        'sensors': {'infrared': True}})


def lasers() -> Scenario:
    """Return four robots with sixteen beams among walls and boxes."""
    return scenario_from_mapping({
        'name': 'lasers', 'rate': 10, 'seed': 1,
        'world': {'bounds': [0, 0, 8, 8],
                  'rectangles': [{'center': [2, 6], 'size': [1, 1]},
                                 {'center': [6, 3], 'size': [1, 1]}]},
        'robots': [{'count': 4, 'controller': 'none'}],
        'sensors': {'scan_beams': 16, 'scan_range_max': 4.0, 'scan_sees_robots': True}})


def measure_evaluations(seconds: float) -> _EvaluationResult:
    """Measure each case for about ``seconds`` of wall time."""
    rng = np.random.default_rng(1)
    network = make_network('perceptron', ['infrared'])
    weights = rng.standard_normal((WORLDS, network.weight_count))
    evaluated = Worlds(_s_bots(5), WORLDS, sense=['infrared'])
    seeds = np.arange(1, WORLDS + 1)

    def evaluate() -> None:
        evaluated.reset(seeds)
        evaluated.run(network, weights, TICKS)

    cpu, _ = median(evaluate, seconds)
    world = World(_s_bots(10), sense=['infrared'])
    ahead = np.tile([0.04, 0.3], (10, 1))

    def step_often() -> None:
        world.reset()
        for _ in range(CALLS):
            world.step(ahead)

    call_cpu, call = median(step_often, seconds)
    standard = bench_scenario(10, 1)
    times = []
    for sense in ((), ('scan',)):
        batch = Worlds(standard, BATCH, sense=sense)
        commands = _random_commands(rng, batch, 0.5)
        times.append(median(partial(batch.step, commands, ticks=10), seconds)[0])
    return _EvaluationResult(
        WORLDS / cpu, WORLDS * TICKS * 5 / cpu, laser_rate(seconds),
        1e6 * call / CALLS, 1e6 * call_cpu / CALLS, 1e3 * times[0] / (BATCH * 10),
        1e3 * times[1] / (BATCH * 10))


def laser_rate(seconds: float) -> float:
    """Return robot-steps a second of processor time of the scene of ``lasers``."""
    scanning = Worlds(lasers(), LASER_WORLDS, sense=['scan'])
    turning = _random_commands(np.random.default_rng(2), scanning, 0.5)
    cpu, _ = median(lambda: scanning.step(turning, ticks=10), seconds)
    return LASER_WORLDS * 4 * 10 / cpu


def _random_commands(rng: np.random.Generator, worlds: Worlds, speed: float) -> Any:  # noqa: ANN401
    commands = np.full((worlds.count, worlds.robots, 2), speed)
    commands[:, :, 1] = uniform(rng, -1.0, 1.0, (worlds.count, worlds.robots))
    return commands


def median(work: Callable[[], object], seconds: float) -> tuple[float, float]:
    """Return processor and wall time (s) of a call, medians; the first call is not counted."""
    work()
    cpu: list[float] = []
    wall: list[float] = []
    end = time.perf_counter() + seconds
    while len(cpu) < 3 or time.perf_counter() < end:
        started, used = time.perf_counter(), time.process_time()
        work()
        cpu.append(time.process_time() - used)
        wall.append(time.perf_counter() - started)
    return float(np.median(cpu)), float(np.median(wall))


def format_evaluations(r: _EvaluationResult) -> str:
    """Return a few lines for people."""
    return (f'small worlds, per processor second: {r.evaluations_per_cpu_s:,.0f} evaluations of 5 '
            f's-bots and {TICKS} ticks\n'
            f'  ({r.evaluation_robot_steps_per_cpu_s / 1e6:.2f} M robot-steps); '
            f'{r.laser_robot_steps_per_cpu_s / 1e6:.2f} M robot-steps of 4 robots with 16 beams\n'
            f'  World.step of 10 s-bots {r.world_step_us:.1f} us, of processor time '
            f'{r.world_step_cpu_us:.1f} us; 10 robots in a batch: motion '
            f'{r.batch_motion_ms:.4f} ms, step with lasers {r.batch_step_ms:.4f} ms')
