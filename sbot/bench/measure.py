"""Benchmark measurement: wall time, processor time and memory of each case."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from sbot.bench import scenes
from sbot.bench.controllers import measure_controllers
from sbot.bench.result import BenchResult, forget_peak, resident_kib, result_of
from sbot_common.signals import Held
from sbot_common.twist import OMEGA, VX
from sbot_sim.collision.overlap import overlaps
from sbot_sim.engine.many import Simulation
from sbot_sim.engine.setting import no_winds
from sbot_sim.engine.simulation import Engine
from sbot_sim.engine.state import StepInputs
from sbot_sim.sensors.infrared.sensor import SENSORS
from sbot_sim.sensors.range_and_bearing import DATA_BYTES
from wind_model.source import Wind

# What is measured, in the order of the table.
CASES = {
    'motion': 'motion and collisions alone',
    'step': 'the whole step with lasers',
    'infrared': 's-bots: infrared, collisions, wind with wakes',
    'controllers': 'sbot run of potential-field robots at 30 Hz',
}
_LEAST_BLOCKS = 5
# Blocks before the scene starts again. The wind blows s-bots against boxes and walls, and a fast
# machine must not measure a later scene than a slow one.
_BLOCKS_A_RUN = 30


class _Stepper(NamedTuple):
    """One case."""

    begin: Callable[[], None]  # puts the robots at their first places
    block: Callable[[], None]  # makes ten steps
    overlaps: Callable[[], int]
    beams: int  # of a robot


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
        return measure_controllers(robots, threads, seconds, seed)
    before = resident_kib()
    forget_peak()
    stepper = _stepper(case, robots, threads, seed)
    stepper.block()
    wall: list[float] = []
    cpu: list[float] = []
    found = 0
    end = time.perf_counter() + seconds
    with Held() as signals:
        while time.perf_counter() < end or len(wall) < _LEAST_BLOCKS:
            signals.deliver()
            if len(wall) % _BLOCKS_A_RUN == 0:
                stepper.begin()
            started, cpu_started = time.perf_counter(), time.process_time()
            stepper.block()
            cpu.append((time.process_time() - cpu_started) / scenes.STEPS_A_DRAW)
            wall.append((time.perf_counter() - started) / scenes.STEPS_A_DRAW)
            if len(wall) <= _LEAST_BLOCKS:
                found += stepper.overlaps()
    return result_of(case, robots, threads, wall, cpu, stepper.beams, scenes.STEP, found,
                     before)


def _stepper(case: str, robots: int, threads: int, seed: int) -> _Stepper:
    scene = scenes.scene_of(case, robots, seed)
    rng = np.random.default_rng(seed + 1)
    bodies, world = scene.bodies, scene.world
    command = np.zeros((robots, 3))
    command[:, VX] = scenes.SPEED * scene.scale
    if case == 'motion':
        parameters = scenes.laser_parameters(scene)
        worlds = Simulation([parameters], no_winds(1), (), lambda _, __: None)
        tick, state = worlds.tick, worlds.state
        beginning = worlds.program(tick.beginning(worlds.setting))
        moving = worlds.program(tick.advancing(worlds.setting))

        def motion_begin() -> None:
            worlds.reset(np.zeros(1, np.int64), scene.pose[np.newaxis], np.zeros(1, np.int64),
                         beginning)

        def motion_block() -> None:
            command[:, OMEGA] = scenes.uniform(rng, -scenes.TURN, scenes.TURN, robots)
            for _ in range(scenes.STEPS_A_DRAW):
                state.command[:] = command
                worlds.run(moving)

        motion_begin()
        return _Stepper(motion_begin, motion_block,
                        lambda: overlaps(world, bodies, state.pose), 0)
    make = scenes.laser_parameters if case == 'step' else scenes.infrared_parameters
    engine = Engine(make(scene, threads), scene.pose, seed)
    wind = Wind(np.array([0.0 if case == 'step' else scenes.WIND, 0.0, 0.0]), np.zeros(3))

    data = np.zeros((robots, DATA_BYTES), np.uint8)

    def block() -> None:
        command[:, OMEGA] = scenes.uniform(rng, -scenes.TURN, scenes.TURN, robots)
        for _ in range(scenes.STEPS_A_DRAW):
            engine.advance(StepInputs(command, wind, data))

    return _Stepper(engine.reset, block,
                    lambda: overlaps(world, bodies, engine.snapshot.true_pose),
                    scenes.BEAMS if case == 'step' else SENSORS)
