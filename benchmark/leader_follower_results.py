"""Section 19 of document 001 as numbers: do leaders arrive, and do followers keep up?

    python benchmark/leader_follower_results.py [--seeds 20] [--jobs 2] [--page FILE] [--resume]
    python benchmark/leader_follower_results.py --speed

Runs the arenas of benchmark/leader_follower_results/ in-process, for each of some seeds, with and
without wind, with both settings of `leader_filter` and otherwise the document's constants; writes
one CSV line a run, and the table of a page in docs/ between its marks. `--speed` measures a single
turn instead.
"""

from __future__ import annotations

import argparse
import csv
import os
import re
import sys
import time
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import NamedTuple

import numpy as np

HERE = Path(__file__).with_suffix('')
ARENAS = ('open', 'around', 'gap', 'wall')
WINDS = (0.0, 0.05)  # m/s, to the north, across the way
FILTERS = ('as_written', 'geometric')
CSV = HERE / 'runs.csv'
MARKS = re.compile(r'(<!-- table: begin -->\n).*?(<!-- table: end -->)', re.S)


class Run(NamedTuple):
    """One line of the CSV."""

    arena: str
    wind_m_s: float
    leader_filter: str
    seed: int
    goal_reached_s: float | None
    robot_ticks_colliding: int
    overlaps: int
    farthest_follower_m: float
    mean_follower_m: float
    trajectory_sha256: str


def run(arena: str, wind: float, leader_filter: str, seed: int) -> Run:
    """Run one scenario to its end; distances are from centre to centre."""
    from sbot.runner.loop import run_scenario
    from sbot.scenario.load import load_scenario
    scenario = load_scenario(str(HERE / f'{arena}.yaml'), {
        'seed': seed, 'wind.wind_direction': [0, 1, 0], 'wind.wind_speed_mean': wind,
        'controllers.potential_field.leader_filter': leader_filter})
    result = run_scenario(scenario)
    robots = result.summary['robots']
    away = np.linalg.norm(result.poses[:, 1:, :2] - result.poses[:, :1, :2], axis=2)
    return Run(arena, wind, leader_filter, seed, robots[0]['goal_reached_s'],
               sum(robot['collisions'] for robot in robots), result.summary['overlaps'],
               round(float(away.max()), 3), round(float(away.mean()), 3),
               result.summary['trajectory_sha256'])


def read(path: Path) -> list[Run]:
    """Return the runs of a CSV."""
    with path.open(newline='', encoding='utf-8') as file:
        rows = list(csv.DictReader(file))
    return [Run(row['arena'], float(row['wind_m_s']), row['leader_filter'], int(row['seed']),
                float(row['goal_reached_s']) if row['goal_reached_s'] else None,
                int(row['robot_ticks_colliding']), int(row['overlaps']),
                float(row['farthest_follower_m']), float(row['mean_follower_m']),
                row['trajectory_sha256']) for row in rows]


def write(path: Path, runs: Iterable[Run]) -> None:
    """Write the CSV, by arena, wind, filter and seed."""
    with path.open('w', newline='', encoding='utf-8') as file:
        writer = csv.writer(file, lineterminator='\n')
        writer.writerow(Run._fields)
        writer.writerows(sorted(runs, key=lambda one: (ARENAS.index(one.arena), *one[1:4])))


def table(runs: Iterable[Run]) -> str:
    """Return the Markdown table: one line for each arena, wind and filter."""
    groups: dict[tuple[str, float, str], list[Run]] = {}
    for one in sorted(runs, key=lambda one: (ARENAS.index(one.arena), *one[1:4])):
        groups.setdefault(one[:3], []).append(one)
    lines = ['| arena | wind (m/s) | `leader_filter` | leader arrived | median time (s) | '
             'slowest (s) | runs with collisions | followers: farthest (m) | mean (m) |',
             '| --- | --- | --- | --- | --- | --- | --- | --- | --- |']
    for (arena, wind, leader_filter), group in groups.items():
        times = [one.goal_reached_s for one in group if one.goal_reached_s is not None]
        shown = f'{np.median(times):.1f} | {max(times):.1f}' if times else '– | –'
        lines.append(
            f'| {arena} | {wind:g} | {leader_filter} | {len(times)} of {len(group)} | {shown} | '
            f'{sum(one.robot_ticks_colliding > 0 for one in group)} | '
            f'{max(one.farthest_follower_m for one in group):.1f} | '
            f'{np.mean([one.mean_follower_m for one in group]):.1f} |')
    return '\n'.join(lines)


def speed() -> str:
    """Return how long a turn takes, as a sentence."""
    from potential_field_bot.controller import actuate, initial_state
    from potential_field_bot.parameters import Parameters
    parameters = Parameters()
    rng = np.random.default_rng(0)
    poses = rng.uniform(-5, 5, (4, 3))
    ranges = rng.uniform(0.5, 8, 180).astype(np.float32)
    state = initial_state((3.0, 4.0), poses[1])
    blocks = []
    for _ in range(30):
        begin = time.perf_counter()
        for _ in range(1000):
            state, _ = actuate(parameters, state, 1, poses, ranges, 0.1, 0.0175, 0.3)
        blocks.append((time.perf_counter() - begin) * 1e3)  # us a turn
    return (f'a turn with 180 beams in range and 4 robots: median {np.median(blocks):.1f} us, '
            f'best {min(blocks):.1f} us')


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition('\n')[0])
    parser.add_argument('--seeds', type=int, default=20)
    parser.add_argument('--jobs', type=int, default=os.cpu_count() or 1)
    parser.add_argument('--csv', type=Path, default=CSV)
    parser.add_argument('--resume', action='store_true', help='keep the runs of the CSV')
    parser.add_argument('--page', type=Path, help='a page whose table to replace')
    parser.add_argument('--speed', action='store_true', help='measure a turn instead')
    options = parser.parse_args()
    if options.speed:
        print(speed())
        return 0
    runs = read(options.csv) if options.resume and options.csv.exists() else []
    done = {one[:4] for one in runs}
    # Seed by seed: whatever ends this early leaves the same seeds everywhere.
    cases = [case for seed in range(1, options.seeds + 1) for arena in ARENAS for wind in WINDS
             for leader_filter in FILTERS
             if (case := (arena, wind, leader_filter, seed)) not in done]
    with ProcessPoolExecutor(options.jobs) as pool:
        for future in as_completed([pool.submit(run, *case) for case in cases]):
            runs.append(future.result())
            write(options.csv, runs)
            print(f'\r{len(runs)} of {len(done) + len(cases)} runs', end='', file=sys.stderr,
                  flush=True)
    print(file=sys.stderr)
    text = table(runs)
    print(text)
    if options.page is not None:
        page = options.page.read_text(encoding='utf-8')
        options.page.write_text(MARKS.sub(rf'\g<1>{text}\n\g<2>', page), encoding='utf-8')
    return 0


if __name__ == '__main__':
    sys.exit(main())
