"""Benchmark of whole runs with potential-field controllers."""

from __future__ import annotations

import json
import time
from pathlib import Path

from sbot.bench.result import BenchResult, forget_peak, resident_kib, result_of
from sbot.bench.scenes import BEAMS, RANGE, STEPS_A_DRAW, make_bench_scene
from sbot.runner.loop import run_scenario
from sbot.scenario.load import parse_scenario
from sbot.scenario.model import Scenario

RATE = 30  # Hz, the document's


def bench_scenario(robots: int, ticks: int, seed: int = 0) -> Scenario:
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


def measure_controllers(robots: int, threads: int, seconds: float, seed: int) -> BenchResult:
    """Measure whole runs, including everything but reading the file."""
    run_scenario(bench_scenario(10, 2), keep=False)
    wall: list[float] = []
    cpu: list[float] = []
    found = 0
    before = resident_kib()
    forget_peak()
    clock = [0.0, 0.0]

    def progress(done: int, _: int) -> None:
        now, used = time.perf_counter(), time.process_time()
        if done % STEPS_A_DRAW == 0:
            if done > STEPS_A_DRAW:
                wall.append((now - clock[0]) / STEPS_A_DRAW)
                cpu.append((used - clock[1]) / STEPS_A_DRAW)
            clock[:] = now, used

    scenario = bench_scenario(robots, 7 * STEPS_A_DRAW, seed)
    end = time.perf_counter() + seconds
    while not wall or time.perf_counter() < end:
        result = run_scenario(scenario, threads=threads, progress=progress, keep=False)
        found += int(result.summary['overlaps'])
    return result_of('controllers', robots, threads, wall, cpu, BEAMS, scenario.rate.dt, found,
                     before)
