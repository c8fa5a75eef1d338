"""Where the time of a step goes, beside what the same work would take at best.

    python benchmark/step_budget.py [--robots 1000 10000] [--csv FILE]

The workload is case `step` of `sbot bench` (one thread), phase by phase, on states of a running
world. *At best* is a bound that ignores everything but the arithmetic that the results need:

* lasers: as many intersections of a beam with an object as the scans need, by the same formulas,
  over arrays in the nearest cache, plus the scans' bytes at the speed of a copy in memory;
* the rest: as many sines, cosines and arcs as the formulas have, by the functions of whole arrays
  that the phases call (`sbot_common.elementary`), over arrays in the nearest cache.
"""

from __future__ import annotations

import argparse
import csv
import math
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot.bench import (
    BEAMS,
    RANGE,
    SPEED,
    STEP,
    STEPS_A_DRAW,
    TURN,
    machine,
    make_bench_scene,
    parameters_of,
)
from sbot_common.angles import decoded_yaws
from sbot_common.compiled.jit import njit
from sbot_common.elementary import atan2_of, sin_of, sincos_of
from sbot_common.observation import OMEGA, VX
from sbot_sim.collision.separation import separate
from sbot_sim.dynamics.motion import achieved_twists, drive, move
from sbot_sim.engine.simulation import Engine, world_of
from sbot_sim.sensors.objects import farther
from sbot_sim.sensors.odometry import measure
from sbot_sim.sensors.range_and_bearing import DATA_BYTES
from sbot_sim.sensors.rays import (
    BACKWARDS,
    FACING,
    Fan,
    beam_interval,
    circle_arc,
    circle_range,
    facing_range,
    lanes,
    segment_arc,
    segment_view,
    turned,
)
from wind_model.gust import Wind

Floats = NDArray[np.float64]
NEAR, OFTEN = 1000, 20  # numbers that the nearest cache holds; calls that are timed together
STATES = 20  # of the running world, taken in turn, so that no branch is known by heart


class Phase(NamedTuple):
    robots: int
    phase: str
    ms: float
    at_best_ms: float


@njit
def _beams(start: float, width: float, fan: Fan) -> int:
    """Return how many beams an arc covers, whole lanes."""
    count = 0
    first, last = beam_interval(start, width, fan)
    while first <= fan.beams - 1:
        low, high = lanes(first, last, fan.beams)
        count += int(high) - int(low)
        first += fan.period
        last += fan.period
    return count


@njit
def count_tests(segments: Floats, pose: Floats, radius: Floats, fan: Fan, reach: float,
                sensors: int) -> tuple[int, int, int, int]:
    """Return (discs, their beams, sides, their beams) that the first sensors have to look at."""
    discs = disc_beams = sides = side_beams = 0
    behind = -BACKWARDS * reach
    for j in range(sensors):
        x, y = pose[j, 0], pose[j, 1]
        c, s = math.cos(pose[j, 2]), math.sin(pose[j, 2])
        for k in range(pose.shape[0]):
            dx, dy = pose[k, 0] - x, pose[k, 1] - y
            if k == j or dx * dx + dy * dy > (reach + radius[k]) * (reach + radius[k]):
                continue
            cx, cy = turned(dx, dy, c, s)
            if cx + radius[k] >= behind:
                discs += 1
                start, width = circle_arc(cx, cy, radius[k])
                disc_beams += _beams(start, width, fan)
        for k in range(segments.shape[0]):
            ax, ay = segments[k, 0] - x, segments[k, 1] - y
            bx, by = segments[k, 2] - x, segments[k, 3] - y
            if farther(ax, ay, bx, by, reach):
                continue
            v = segment_view(ax, ay, bx, by, c, s)
            if v.kind == FACING and max(v.ax, v.bx) >= behind:
                sides += 1
                start, width = segment_arc(v.ax, v.ay, v.bx, v.by)
                side_beams += _beams(start, width, fan)
    return discs, disc_beams, sides, side_beams


@njit
def intersect_discs(objects: Floats, fan: Fan, best: Floats) -> None:
    """Intersect every object (x, y, radius^2) with every beam."""
    for k in range(objects.shape[0]):
        x, y, radius2 = objects[k, 0], objects[k, 1], objects[k, 2]
        for i in range(best.shape[0]):
            t = circle_range(x, y, radius2, fan.directions[0, i], fan.directions[1, i])
            best[i] = t if (t >= 0.0) & (t < best[i]) else best[i]


@njit
def intersect_sides(objects: Floats, fan: Fan, best: Floats) -> None:
    """Intersect every object (a, b, b - a, a x b) with every beam."""
    for k in range(objects.shape[0]):
        ax, ay, bx, by = objects[k, 0], objects[k, 1], objects[k, 2], objects[k, 3]
        ex, ey, cross = objects[k, 4], objects[k, 5], objects[k, 6]
        for i in range(best.shape[0]):
            t = facing_range(ax, ay, bx, by, ex, ey, cross, fan.directions[0, i],
                             fan.directions[1, i])
            best[i] = t if t < best[i] else best[i]


def seconds(work: Callable[[], object], repeats: int = 30) -> float:
    """Return the median processor time of a call."""
    work()
    times = []
    for _ in range(repeats):
        started = time.process_time()
        work()
        times.append(time.process_time() - started)
    return float(np.median(times))


def in_turn(works: dict[str, Callable[[int], object]]) -> dict[str, float]:
    """Return median processor times (ms), measured in turn, each on every state three times."""
    times: dict[str, list[float]] = {name: [] for name in works}
    for turn in range(3 * STATES):
        for name, work in works.items():
            started = time.process_time()
            work(turn % STATES)
            times[name].append(time.process_time() - started)
    return {name: 1e3 * float(np.median(found)) for name, found in times.items()}


class Prices(NamedTuple):
    """What one of each takes at best, in seconds."""

    disc: float  # a beam and a disc
    side: float  # a beam and a facing segment
    byte: float  # copied in memory, both ways
    sine: float  # of half of what a robot turns in a tick
    direction: float  # sine and cosine of an angle
    arc: float  # of two coordinates


def prices() -> Prices:
    """Measure them."""
    rng = np.random.default_rng(0)
    fan = Fan.even(BEAMS, -math.pi / 2, math.pi / (BEAMS - 1))
    best = np.full(BEAMS, np.inf)
    discs = np.column_stack([rng.uniform(1, RANGE, 500), rng.uniform(-RANGE, RANGE, 500),
                             np.full(500, 0.09)])
    sides = np.column_stack([rng.uniform(1, RANGE, (500, 6)), np.ones(500)])
    angles = rng.uniform(-math.pi, math.pi, NEAR)
    half_turns = STEP * TURN / 2 / math.pi * angles
    sine, cosine, arc = np.empty((3, NEAR))
    block = np.zeros(1 << 24, np.uint8)  # more than a cache
    copy = np.empty_like(block)
    return Prices(seconds(lambda: intersect_discs(discs, fan, best)) / (500 * BEAMS),
                  seconds(lambda: intersect_sides(sides, fan, best)) / (500 * BEAMS),
                  seconds(lambda: np.copyto(copy, block)) / block.nbytes,
                  seconds(lambda: _often(sin_of, half_turns, sine)) / (OFTEN * NEAR),
                  seconds(lambda: _often(sincos_of, angles, sine, cosine)) / (OFTEN * NEAR),
                  seconds(lambda: _often(atan2_of, sine, cosine, arc)) / (OFTEN * NEAR))


def _often(function: Callable[..., None], *arrays: Floats) -> None:
    for _ in range(OFTEN):
        function(*arrays)


def budget(robots: int, price: Prices) -> tuple[list[Phase], str]:
    """Return the phases of a step and, in words, what lasers look at."""
    scene = make_bench_scene(robots)
    parameters = parameters_of('step', scene)
    bodies, world = parameters.bodies, parameters.world
    engine = Engine(parameters, scene.pose, 0)
    rng = np.random.default_rng(1)
    command = np.zeros((robots, 3))
    command[:, VX] = SPEED
    data = np.zeros((robots, DATA_BYTES), np.uint8)

    def block() -> None:
        command[:, OMEGA] = rng.uniform(-TURN, TURN, robots)
        for _ in range(STEPS_A_DRAW):
            whole()

    def whole() -> None:
        engine.advance(command, Wind.still(), data)

    for _ in range(10):
        block()
    driven, still = drive(bodies, command), np.zeros((robots, 2))
    states = []
    for _ in range(STATES):
        whole()
        states.append(engine.snapshot)
    moved = [move(bodies, s.true_pose, driven, still, parameters.dt) for s in states]
    def slip(k: int) -> object:
        return measure(bodies, states[k].odometry, np.ones((robots, 2)), driven,
                       np.zeros((robots, 2)), np.zeros(robots), parameters.dt)

    looking = world_of(parameters)
    scans = looking.program(looking.tick.sensing(looking.setting, sent=False))
    def look(k: int) -> None:
        looking.state.pose[:] = states[k].true_pose
        looking.run(scans)

    sample, fan = min(robots, 300), parameters.sensors.lasers.all[0].fan()
    counts = np.array(count_tests(world.segments, states[0].true_pose, bodies.radius, fan,
                                  RANGE, sample)) / sample
    rays_ms = 1e3 * robots * (counts[1] * price.disc + counts[3] * price.side
                              + 4 * BEAMS * price.byte)
    at_best = {
        'lasers': rays_ms,
        'motion': 1e3 * robots * (price.sine + price.direction),
        'collisions': 0.0,
        'odometry': 1e3 * robots * (price.sine + price.direction),
        'yaws as decoded': 1e3 * robots * (price.direction + price.arc),
        'twists': 1e3 * robots * price.direction}
    whole_step = 'whole step'
    ms = in_turn({
        'lasers': look,
        'motion': lambda k: move(bodies, states[k].true_pose, driven, still, parameters.dt),
        'collisions': lambda k: separate(parameters.fixed, bodies.shape,
                                         states[k].true_pose, moved[k]),
        'odometry': slip,
        'yaws as decoded': lambda k: decoded_yaws(
            np.ascontiguousarray(states[k].true_pose[:, 2])),
        'twists': lambda k: achieved_twists(states[k].true_pose, moved[k], parameters.dt),
        whole_step: lambda _: whole()})
    phases = [Phase(robots, name, ms[name], best) for name, best in at_best.items()]
    phases += [Phase(robots, 'the rest', ms[whole_step] - sum(p.ms for p in phases), 0.0),
               Phase(robots, whole_step, ms[whole_step], sum(at_best.values()))]
    return phases, (f'a scan looks at {counts[0]:.1f} discs with {counts[1]:.0f} beams and '
                    f'{counts[2]:.1f} sides with {counts[3]:.0f} beams')


def main() -> int:
    """Print and write the table."""
    parser = argparse.ArgumentParser(allow_abbrev=False,
                                     description='Where the time of a step goes.')
    parser.add_argument('--robots', type=int, nargs='+', default=[1000, 10_000])
    parser.add_argument('--csv', type=Path, default=Path(__file__).with_name('step_budget.csv'))
    arguments = parser.parse_args()
    price = prices()
    print(f'a beam and a disc {1e9 * price.disc:.2f} ns, a beam and a side '
          f'{1e9 * price.side:.2f} ns, a byte copied {1e9 * price.byte:.3f} ns, '
          f'a sine {1e9 * price.sine:.2f} ns, with its cosine {1e9 * price.direction:.2f} ns, '
          f'an arc {1e9 * price.arc:.2f} ns')
    rows: list[list[object]] = []
    for robots in arguments.robots:
        phases, counted = budget(robots, price)
        print(f'{robots} robots; {counted}')
        for phase in phases:
            best = f'{phase.at_best_ms:9.3f}' if phase.at_best_ms else f'{"":9}'
            print(f'  {phase.phase:<16}{phase.ms:9.3f} ms   at best {best}')
            rows.append([phase.robots, phase.phase, f'{phase.ms:.4g}',
                         f'{phase.at_best_ms:.4g}', machine()])
    with arguments.csv.open('w', newline='') as stream:  # a run cut short leaves it whole
        csv.writer(stream).writerows([[*Phase._fields, 'machine'], *rows])
    return 0


if __name__ == '__main__':
    sys.exit(main())
