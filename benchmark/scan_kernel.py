"""Laser rays a second on the standard workload, beside a beam-by-beam walk through a grid.

    python benchmark/scan_kernel.py [--robots 10 100 1000 10000] [--threads 1] [--csv FILE]

The workload is that of `sbot bench`, case `step`, as it begins. The time includes sorting the
robots into the grid. The other caster is what one would write first: numba,
the same formulas, each beam stepping through cells of 1 m until it has hit something. The two run
in turn, so that other load falls on both; both must give the same scans.
"""

from __future__ import annotations

import argparse
import csv
import math
import platform
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from sbot.bench import machine, make_bench_scene, parameters_of
from sbot_common.compiled.jit import njit
from sbot_common.spatial import (
    BucketGrid,
    cell_index,
    grid_of_circles,
    grid_of_segments,
    grid_shape,
)
from sbot_sim.engine.simulation import world_of
from sbot_sim.sensors.rays import (
    FACING,
    beam_directions,
    circle_range,
    facing_range,
    segment_view,
    turned,
)

Floats = NDArray[np.float64]

WALK_CELL = 1.0  # m


class Result(NamedTuple):
    robots: int
    million_rays_per_s: float  # median
    best: float
    us_per_scan: float  # median
    walk_million_rays_per_s: float  # median of the beam-by-beam walk
    ratio: float


@njit
def walk_all(segments: Floats, grid: BucketGrid, pose: Floats, radius: Floats, directions: Floats,
             range_max: float) -> NDArray[np.float32]:
    """Scans of all robots: for each beam the nearest hit in the cells that it passes, in order."""
    cell, x0, y0, nx, ny = grid.cell, grid.x0, grid.y0, grid.nx, grid.ny
    starts, items = grid.starts, grid.items
    circles = np.column_stack((pose[:, :2], radius))
    circle_grid = grid_of_circles(circles, 1e-9, cell, x0, y0, nx, ny)
    circle_starts, circle_items = circle_grid.starts, circle_grid.items
    out = np.empty((pose.shape[0], directions.shape[1]), np.float32)
    for j in range(pose.shape[0]):
        x, y = pose[j, 0], pose[j, 1]
        cos_yaw, sin_yaw = math.cos(pose[j, 2]), math.sin(pose[j, 2])
        for i in range(directions.shape[1]):
            ux, uy = directions[0, i], directions[1, i]
            gx, gy = ux * cos_yaw - uy * sin_yaw, ux * sin_yaw + uy * cos_yaw
            ix, iy = cell_index(x, x0, cell, nx), cell_index(y, y0, cell, ny)
            step_x, step_y = (1 if gx > 0 else -1), (1 if gy > 0 else -1)
            next_x = (x0 + (ix + (gx > 0)) * cell - x) / gx if gx != 0.0 else math.inf
            next_y = (y0 + (iy + (gy > 0)) * cell - y) / gy if gy != 0.0 else math.inf
            delta_x = cell / abs(gx) if gx != 0.0 else math.inf
            delta_y = cell / abs(gy) if gy != 0.0 else math.inf
            best = math.inf
            entered = 0.0
            while 0 <= ix < nx and 0 <= iy < ny and entered <= min(best, range_max):
                k = iy * nx + ix
                for item in range(starts[k], starts[k + 1]):
                    s = segments[items[item]]
                    v = segment_view(s[0] - x, s[1] - y, s[2] - x, s[3] - y, cos_yaw, sin_yaw)
                    if v.kind == FACING:
                        best = min(best, facing_range(v.ax, v.ay, v.bx, v.by, v.ex, v.ey, v.cross,
                                                      ux, uy))
                for item in range(circle_starts[k], circle_starts[k + 1]):
                    c = circle_items[item]
                    if c != j:
                        cx, cy = turned(circles[c, 0] - x, circles[c, 1] - y, cos_yaw, sin_yaw)
                        t = circle_range(cx, cy, circles[c, 2] * circles[c, 2], ux, uy)
                        if 0.0 <= t < best:
                            best = t
                entered = min(next_x, next_y)
                if next_x < next_y:
                    ix += step_x
                    next_x += delta_x
                else:
                    iy += step_y
                    next_y += delta_y
            out[j, i] = best if best <= range_max else math.inf
    return out


def elapsed(clock: Callable[[], float], times: int, call: Callable[..., Any],
            *arguments: object) -> float:
    """Seconds that one of ``times`` calls takes."""
    start = clock()
    for _ in range(times):
        call(*arguments)
    return (clock() - start) / times


def measure(robots: int, threads: int, seconds: float) -> Result:
    """Measure one size for about ``seconds`` of wall time."""
    scene = make_bench_scene(robots)
    parameters = parameters_of('step', scene, threads)
    world, p, ours = scene.world, parameters.sensors.lasers.all[0], world_of(parameters)
    ours.state.pose[:] = scene.pose
    scans = ours.program(ours.tick.sensing(ours.setting, sent=False))
    cell, nx, ny = grid_shape(*world.bounds, WALK_CELL, 1024)
    grid = grid_of_segments(world.segments, 1e-9, cell, *world.bounds[:2], nx, ny)
    directions = beam_directions(p.beams, p.angle_min, p.angle_increment)
    slow = (world.segments, grid, scene.pose, parameters.bodies.radius, directions, p.range_max)
    ours.run(scans)
    if not np.array_equal(ours.state.ranges, walk_all(*slow)):
        raise SystemExit(f'{robots} robots: the two casters differ')
    # One thread's own time leaves out what other programs take; several have the wall's only.
    clock = time.thread_time if threads == 1 else time.perf_counter
    repeat = max(1, 500 // robots)  # so that the clock's own step does not matter
    times, walks = [], []
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(times) < 5:
        walks.append(elapsed(clock, repeat, walk_all, *slow))
        times.extend(elapsed(clock, repeat, ours.run, scans) for _ in range(5))
    rays = robots * p.beams / 1e6
    median, walk = np.median(times), np.median(walks)
    return Result(robots, rays / median, rays / min(times), 1e6 * median / robots, rays / walk,
                  walk / median)


def main() -> int:
    parser = argparse.ArgumentParser(allow_abbrev=False, description=__doc__.split('\n')[0])
    parser.add_argument('--robots', type=int, nargs='+', default=[10, 100, 1000, 10_000])
    parser.add_argument('--threads', type=int, default=1)
    parser.add_argument('--seconds', type=float, default=3.0, help='for each size')
    parser.add_argument('--csv', type=Path)
    arguments = parser.parse_args()
    print('robots   M rays/s   (best)   us/scan   beam by beam   ratio')
    results = []
    for robots in arguments.robots:
        r = measure(robots, arguments.threads, arguments.seconds)
        results.append(r)
        print(f'{r.robots:6d} {r.million_rays_per_s:10.1f} {r.best:8.1f} {r.us_per_scan:9.2f} '
              f'{r.walk_million_rays_per_s:14.2f} {r.ratio:7.1f}', flush=True)
    if arguments.csv:
        with arguments.csv.open('w', newline='') as file:
            writer = csv.writer(file)
            writer.writerow([*Result._fields, 'threads', 'processor', 'python', 'numba'])
            for r in results:
                writer.writerow([r.robots, *(f'{v:.4g}' for v in r[1:]), arguments.threads,
                                 machine(), platform.python_version(), numba.__version__])
    return 0


if __name__ == '__main__':
    sys.exit(main())
