# SPDX-License-Identifier: Apache-2.0
"""Benchmark of the standard workload and of many small worlds: time, memory, scenes."""

from __future__ import annotations

import contextlib
import json
import math
import os
import platform
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from sbot.controllers.neural.network import make_network
from sbot.runner.loop import run_scenario
from sbot.scenario.load import parse_scenario, scenario_from_mapping
from sbot.scenario.model import Scenario
from sbot.worlds.many import World, Worlds
from sbot_common.arrays import Floats
from sbot_common.observation import OMEGA, VX
from sbot_common.signals import Held
from sbot_sim.collision.overlap import overlaps
from sbot_sim.engine.many import Simulation, Winds
from sbot_sim.engine.simulation import Engine
from sbot_sim.sensors.infrared import SENSORS, InfraredSettings
from sbot_sim.sensors.laser import ScanSettings
from sbot_sim.sensors.odometry import OdometryParameters
from sbot_sim.sensors.range_and_bearing import DATA_BYTES, RangeAndBearing
from sbot_sim.world.bodies import ROBOT, S_BOT, Body, BodyArrays
from sbot_sim.world.geometry import World as Arena
from sbot_sim.world.geometry import make_world
from sbot_sim.worlds.parameters import Senses, SimulationParameters
from wind_model.gust import Wind
from wind_model.parameters import WakeParameters

# Benchmark result: time, processor time and memory.

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

    @classmethod
    def measure(cls, case: str, robots: int, threads: int, seconds: float,
                seed: int = 0) -> BenchResult:
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
            return _measure_controllers(robots, threads, seconds, seed)
        before = _status('VmRSS:')
        _forget_peak()
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
                cpu.append((time.process_time() - cpu_started) / STEPS_A_DRAW)
                wall.append((time.perf_counter() - started) / STEPS_A_DRAW)
                if len(wall) <= _LEAST_BLOCKS:
                    found += stepper.overlaps()
        return _result_of(case, robots, threads, wall, cpu, stepper.beams, STEP, found,
                         before)


def _result_of(case: str, robots: int, threads: int, wall: list[float], cpu: list[float],
              beams: int, dt: float, found: int, before: float) -> BenchResult:
    """Return the result for seconds per step, block by block, and the memory (KiB) before."""
    median = float(np.median(wall))
    peak = _status('VmHWM:')  # since `_forget_peak`
    scan = 4.0 * beams / 1024.0
    return BenchResult(
        case, robots, threads, 1e3 * median, 1e3 * float(np.median(cpu)), 1e3 * min(wall),
        robots / median, robots * beams / median / 1e6, dt / median, peak / 1024.0,
        max(0.0, (peak - before) / robots - scan), found)


def _status(key: str) -> float:
    """Return a size (KiB) of this process, as the system reports it; nan where it does not."""
    try:
        lines = Path('/proc/self/status').read_text(encoding='ascii').splitlines()
    except OSError:
        return math.nan
    return next((float(line.split()[1]) for line in lines if line.startswith(key)), math.nan)


def _forget_peak() -> None:
    """Reset the peak of memory, if the system lets a process do that."""
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


# Benchmark scenes: constant density of robots and boxes at every size.

_SPACING = 4.0  # m; the arena's side is _SPACING * sqrt(N)
BOX = 1.0  # m
SPEED = 0.5  # m/s
TURN = 1.0  # rad/s, greatest
STEP = 0.1  # s
STEPS_A_DRAW = 10
RADIUS = 0.3  # m
BEAMS, RANGE = 180, 8.0  # over 180 degrees; m
WIND = 0.05  # m/s along x, in the s-bots' scene
_HEARD = 3.0  # m, range of the broadcasts by which s-bots know robots upwind


class _BenchScene(NamedTuple):
    """What is simulated; every number of the s-bots' scene is scaled to their radius."""

    world: Arena
    bodies: BodyArrays
    pose: Floats  # (N, 3) x, y (m), yaw (rad), free of overlaps
    scale: float  # of lengths


def _uniform(rng: np.random.Generator, low: float, high: float,
            shape: int | tuple[int, ...]) -> Floats:
    """Return numbers from low to high; NumPy's own is rounded otherwise on some processors."""
    return low + (high - low) * rng.random(shape)


def make_bench_scene(robots: int, body: Body = ROBOT, seed: int = 0) -> _BenchScene:
    """Return the arena, N/4 boxes, and N robots on a jittered grid.

    Parameters
    ----------
    robots : N
    body : of all of them
    seed : of places and headings

    """
    rng = np.random.default_rng(seed)
    scale = body.radius / RADIUS
    side = _SPACING * math.sqrt(robots)
    sites = math.ceil(math.sqrt(robots))
    pitch = side / sites
    order = rng.permutation(sites * sites)
    centres = (np.stack(np.divmod(order, sites), axis=1) + 0.5) * pitch
    pose = np.empty((robots, 3))
    pose[:, :2] = scale * (centres[:robots] + _uniform(rng, -0.4, 0.4, (robots, 2)))
    pose[:, 2] = _uniform(rng, -math.pi, math.pi, robots)
    # A box stands at the corner of four sites, out of reach of their robots.
    corners = rng.permutation(sites * sites)[:robots // 4]
    boxes = np.zeros((robots // 4, 5))
    boxes[:, :2] = np.stack(np.divmod(corners, sites), axis=1) * pitch + _uniform(
        rng, -0.1, 0.1, (robots // 4, 2))
    boxes[:, :2] = np.clip(boxes[:, :2], BOX / 2, side - BOX / 2)
    boxes[:, 2:4] = BOX
    world = make_world((0.0, 0.0, scale * side, scale * side), rectangles=scale * boxes)
    return _BenchScene(world, BodyArrays.of([body] * robots), pose, scale)


def scene_of(case: str, robots: int, seed: int = 0) -> _BenchScene:
    """Return the scene of a case: s-bots for ``infrared``, else robots of 0.3 m."""
    return make_bench_scene(robots, S_BOT if case == 'infrared' else ROBOT, seed)


def parameters_of(case: str, scene: _BenchScene, threads: int = 1) -> SimulationParameters:
    """Return the simulator's parameters of the scene of a case.

    Its robots have lasers that see walls, boxes and robots; of ``infrared`` they have infrared,
    in a wind with wakes, and no lasers.
    """
    is_infrared = case == 'infrared'
    scan = (ScanSettings().parameters()._replace(beams=0) if is_infrared else
            ScanSettings(scan_beams=BEAMS, scan_range_max=RANGE,
                         scan_sees_robots=True).parameters())
    infrared = InfraredSettings(infrared=True).parameters() if is_infrared else None
    return SimulationParameters.make(
        dt=STEP, bodies=scene.bodies, world=scene.world,
        senses=Senses(scan, infrared, RangeAndBearing(rab_range=_HEARD), threads),
        odometry=[OdometryParameters()] * len(scene.bodies.radius),
        wake=WakeParameters(wake=is_infrared), wind_height=0.0)


# Benchmark of whole runs with potential-field controllers.

RATE = 30  # Hz, the document's


def _bench_scenario(robots: int, ticks: int, seed: int = 0) -> Scenario:
    """Return potential-field robots in the standard scene; robot 0 leads to the far corner."""
    scene = make_bench_scene(robots, seed=seed)
    side = float(scene.world.bounds[2])
    entries: list[dict[str, object]] = [{'pose': row} for row in scene.pose.tolist()]
    entries[0]['goal'] = [side - 1.0, side - 1.0]
    given = {
        'name': f'bench_{robots}', 'rate': RATE, 'duration': ticks / RATE, 'seed': seed,
        'world': {'bounds': scene.world.bounds.tolist(),
                  'rectangles': [{'center': row[:2], 'size': row[2:4]}
                                 for row in scene.world.rectangles.tolist()]},
        'robots': entries,
        'sensors': {'scan_beams': BEAMS, 'scan_range_max': RANGE, 'scan_sees_robots': True},
    }
    # JSON is YAML, and goes through the same checks as a file.
    return parse_scenario(json.dumps(given), f'bench_{robots}', Path.cwd())


def _measure_controllers(robots: int, threads: int, seconds: float, seed: int) -> BenchResult:
    """Measure whole runs, including everything but reading the file."""
    run_scenario(_bench_scenario(10, 2), keep=False)
    wall: list[float] = []
    cpu: list[float] = []
    found = 0
    before = _status('VmRSS:')
    _forget_peak()
    clock = [0.0, 0.0]

    def progress(done: int, _: int) -> None:
        now, used = time.perf_counter(), time.process_time()
        if done % STEPS_A_DRAW == 0:
            if done > STEPS_A_DRAW:
                wall.append((now - clock[0]) / STEPS_A_DRAW)
                cpu.append((used - clock[1]) / STEPS_A_DRAW)
            clock[:] = now, used

    scenario = _bench_scenario(robots, 7 * STEPS_A_DRAW, seed)
    end = time.perf_counter() + seconds
    while not wall or time.perf_counter() < end:
        result = run_scenario(scenario, threads=threads, progress=progress, keep=False)
        found += int(result.summary['overlaps'])
    return _result_of('controllers', robots, threads, wall, cpu, BEAMS, scenario.rate.dt, found,
                     before)


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


def _stepper(case: str, robots: int, threads: int, seed: int) -> _Stepper:
    scene = scene_of(case, robots, seed)
    rng = np.random.default_rng(seed + 1)
    bodies, world = scene.bodies, scene.world
    command = np.zeros((robots, 3))
    command[:, VX] = SPEED * scene.scale
    if case == 'motion':
        worlds = Simulation([parameters_of(case, scene)], Winds.none(1), (), lambda _, __: None)
        tick, state = worlds.tick, worlds.state
        beginning = worlds.program(tick.beginning(worlds.setting))
        moving = worlds.program(tick.advancing(worlds.setting))

        def motion_begin() -> None:
            worlds.reset(np.zeros(1, np.int64), scene.pose[np.newaxis], np.zeros(1, np.int64),
                         beginning)

        def motion_block() -> None:
            command[:, OMEGA] = _uniform(rng, -TURN, TURN, robots)
            for _ in range(STEPS_A_DRAW):
                state.command[:] = command
                worlds.run(moving)

        motion_begin()
        return _Stepper(motion_begin, motion_block,
                        lambda: overlaps(world, bodies, state.pose), 0)
    engine = Engine(parameters_of(case, scene, threads), scene.pose, seed)
    wind = Wind(np.array([0.0 if case == 'step' else WIND, 0.0, 0.0]), np.zeros(3))

    data = np.zeros((robots, DATA_BYTES), np.uint8)

    def block() -> None:
        command[:, OMEGA] = _uniform(rng, -TURN, TURN, robots)
        for _ in range(STEPS_A_DRAW):
            engine.advance(command, wind, data)

    return _Stepper(engine.reset, block,
                    lambda: overlaps(world, bodies, engine.snapshot.true_pose),
                    BEAMS if case == 'step' else SENSORS)


# Many small worlds: evaluations of evolution, a single world, batches of ten robots.
#
# Processor time, of this process: what a cluster is paid for.

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

    def text(self) -> str:
        """Return a few lines for people."""
        return (f'small worlds, per processor second: {self.evaluations_per_cpu_s:,.0f} '
                f'evaluations of 5 s-bots and {TICKS} ticks\n'
                f'  ({self.evaluation_robot_steps_per_cpu_s / 1e6:.2f} M robot-steps); '
                f'{self.laser_robot_steps_per_cpu_s / 1e6:.2f} M robot-steps of 4 robots with 16 '
                'beams\n'
                f'  World.step of 10 s-bots {self.world_step_us:.1f} us, of processor time '
                f'{self.world_step_cpu_us:.1f} us; 10 robots in a batch: motion '
                f'{self.batch_motion_ms:.4f} ms, step with lasers {self.batch_step_ms:.4f} ms')


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
    standard = _bench_scenario(10, 1)
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
    commands[:, :, 1] = _uniform(rng, -1.0, 1.0, (worlds.count, worlds.robots))
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
