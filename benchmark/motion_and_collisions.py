"""Motion and collisions alone on the standard workload: milliseconds a step, overlaps, growth.

Usage: python benchmark/motion_and_collisions.py [--robots 10 100 1000 10000] [--csv FILE]

The workload: a square arena with side 4*sqrt(N) m, N robots of radius 0.3 m on a jittered grid,
N/4 axis-aligned boxes of 1 m, 0.5 m/s, a turn rate in +-1 rad/s drawn anew every second, steps of
0.1 s. A step is Twist -> wheel speeds -> pose -> no-intersections. Overlaps are counted after
every block of steps by `sbot_sim.overlap`, which shares no code with what is measured.

One thread. Wall time, and the thread's own processor time beside it: on a machine that others use,
too, only the second says what a step costs.
"""

from __future__ import annotations

import argparse
import csv
import math
import platform
import sys
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np

from sbot_sim.bodies import ROBOT, BodyArrays, body_arrays
from sbot_sim.collisions import separate
from sbot_sim.fixed_objects import fixed_objects
from sbot_sim.motion import move, wheel_commands
from sbot_sim.overlap import overlaps
from sbot_sim.world import World, make_world

SPACING = 4.0  # m
BOX = 1.0  # m
SPEED = 0.5  # m/s
STEP = 0.1  # s
STEPS_A_DRAW = 10


class Result(NamedTuple):
    robots: int
    ms_per_step: float  # median wall time
    cpu_ms_per_step: float  # median processor time
    ms_best: float
    overlaps: int  # summed over all checks
    collided_percent: float  # of robot-steps
    reverted_percent: float


def scene(robots: int, seed: int = 0) -> tuple[World, BodyArrays, np.ndarray]:
    """Return the world, the bodies and the initial poses (N, 3), free of overlaps."""
    rng = np.random.default_rng(seed)
    side = SPACING * math.sqrt(robots)
    sites = math.ceil(math.sqrt(robots))
    pitch = side / sites
    order = rng.permutation(sites * sites)
    centres = (np.stack(np.divmod(order, sites), axis=1) + 0.5) * pitch
    pose = np.empty((robots, 3))
    pose[:, :2] = centres[:robots] + rng.uniform(-0.4, 0.4, (robots, 2))
    pose[:, 2] = rng.uniform(-math.pi, math.pi, robots)
    # A box stands at the corner of four sites, out of reach of their robots.
    corners = rng.permutation(sites * sites)[:robots // 4]
    boxes = np.zeros((robots // 4, 5))
    boxes[:, :2] = np.stack(np.divmod(corners, sites), axis=1) * pitch + rng.uniform(
        -0.1, 0.1, (robots // 4, 2))
    boxes[:, :2] = np.clip(boxes[:, :2], BOX / 2, side - BOX / 2)
    boxes[:, 2:4] = BOX
    world = make_world((0.0, 0.0, side, side), rectangles=boxes)
    return world, body_arrays([ROBOT] * robots), pose


def run(robots: int, seconds: float = 3.0, seed: int = 0) -> Result:
    """Measure one size for about ``seconds`` of wall time."""
    world, bodies, pose = scene(robots, seed)
    fixed = fixed_objects(world, bodies)
    rng = np.random.default_rng(seed + 1)
    impulse = np.zeros((robots, 2))
    twist = np.full((robots, 2), SPEED)
    assert overlaps(world, bodies, pose) == 0
    times: list[float] = []
    cpu: list[float] = []
    found = collided = reverted = 0
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(times) < 5:
        twist[:, 1] = rng.uniform(-1.0, 1.0, robots)
        start, cpu_start = time.perf_counter(), time.thread_time()
        for _ in range(STEPS_A_DRAW):
            wheels = wheel_commands(bodies, twist)
            proposed = move(bodies, pose, wheels, impulse, STEP)
            outcome = separate(world, bodies, pose, proposed, fixed)
            pose = outcome.pose
            collided += np.count_nonzero(outcome.collided)
            reverted += np.count_nonzero(outcome.reverted)
        times.append((time.perf_counter() - start) / STEPS_A_DRAW * 1e3)
        cpu.append((time.thread_time() - cpu_start) / STEPS_A_DRAW * 1e3)
        found += overlaps(world, bodies, pose)
    percent = 100.0 / (len(times) * STEPS_A_DRAW * robots)
    return Result(robots, float(np.median(times[1:])), float(np.median(cpu[1:])), min(times),
                  found, collided * percent, reverted * percent)


def growth(results: list[Result]) -> float:
    """Return the exponent of processor time against N, from N = 100 to the largest."""
    large = [r for r in results if r.robots >= 100] or results
    first, last = large[0], large[-1]
    if first.robots == last.robots:
        return math.nan
    return (math.log(last.cpu_ms_per_step / first.cpu_ms_per_step)
            / math.log(last.robots / first.robots))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--robots', type=int, nargs='+', default=[10, 100, 1000, 10000])
    parser.add_argument('--seconds', type=float, default=3.0, help='wall time for each size')
    parser.add_argument('--csv', type=Path, help='append the results to this file')
    arguments = parser.parse_args()
    run(10, 0.1)  # compile
    results = []
    titles = ('ms/step', 'cpu ms', 'best ms', 'overlaps', 'collided', 'reverted')
    print(f'{"robots":>7}' + ''.join(f'{title:>10}' for title in titles))
    for robots in arguments.robots:
        result = run(robots, arguments.seconds)
        results.append(result)
        print(f'{robots:7d} {result.ms_per_step:9.4f} {result.cpu_ms_per_step:9.4f} '
              f'{result.ms_best:9.4f} {result.overlaps:9d} {result.collided_percent:8.2f}% '
              f'{result.reverted_percent:8.4f}%', flush=True)
    print(f'growth exponent from N = 100: {growth(results):.2f}')
    if arguments.csv:
        new = not arguments.csv.exists()
        with arguments.csv.open('a', newline='') as file:
            writer = csv.writer(file)
            if new:
                writer.writerow([*Result._fields, 'machine', 'python'])
            for result in results:
                numbers = [value if isinstance(value, int) else f'{value:.4g}' for value in result]
                writer.writerow([*numbers, platform.machine(), platform.python_version()])
    return int(any(result.overlaps for result in results))


if __name__ == '__main__':
    sys.exit(main())
