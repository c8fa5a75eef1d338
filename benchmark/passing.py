"""Do robots find their way and pass each other? A row for each of some scenes of the library.

    python benchmark/passing.py [FAMILY ...] [--seeds 1:5] [--rate 30] [--csv FILE]
"""

from __future__ import annotations

import argparse
import csv
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import sbot
from sbot.navigation.library import chosen_scenes, families, scenario_values

# By name: the scene of `sbot bench navigation`, and what is changed in it.
FAMILIES: dict[str, tuple[str, dict[str, Any]]] = {
    'slit_10': ('slit/10', {}), 'slit_36': ('slit/36', {}), 'gap_070': ('narrow/0.7', {}),
    'clutter_20': ('clutter/20', {}), 'clutter_10_four': ('clutter/10-four', {}),
    'office': ('office/four', {}), 'corridor_16': ('corridor/1.6', {}),
    'corridor_10': ('corridor/1.0', {}), 'door_12': ('doorway/1.2', {}),
    'door_08': ('doorway/0.8', {}), 'maze_wind': ('arena/maze-wind', {}),
    'epuck_two': ('e-puck/pair', {}), 'epuck_eight': ('e-puck/8', {}),
    'circle_eight': ('circle/8', {}), 'laser_90': ('sensing/narrow', {}),
    'noise_10cm': ('sensing/noisy', {}), 'moving': ('moving/six', {})}

_SLOW = 0.05  # share of the largest speed; who is slower queues
_TURNS = 0.05  # rad/s, a slower turn is none


class Outcome(NamedTuple):
    """What came of one run."""

    family: str
    seed: int
    arrived: int
    robots: int  # with a goal
    contact_ticks: int
    time_s: float  # simulated
    signs_per_s: float  # changes of the turn's sign of those that queue, the worst robot's
    wall_s: float


def main() -> int:
    """Run, print, and write the rows."""
    parser = argparse.ArgumentParser(allow_abbrev=False, description='Do robots find their way?')
    parser.add_argument('families', nargs='*', default=list(FAMILIES))
    parser.add_argument('--seeds', default='1:5', help='FIRST:LAST')
    parser.add_argument('--rate', type=float, default=30.0)
    parser.add_argument('--csv', type=Path)
    parser.add_argument('-v', action='store_true', help='a line for each run')
    arguments = parser.parse_args()
    first, last = map(int, arguments.seeds.split(':'))
    rows = []
    for family in arguments.families:
        own = [outcome(family, seed, arguments.rate) for seed in range(first, last + 1)]
        rows += own
        if arguments.v:
            for row in own:
                print('   ', row.seed, f'{row.arrived}/{row.robots}', row.contact_ticks,
                      f'{row.time_s:.1f} s, {row.signs_per_s:.2f}/s', flush=True)
        print(line(own), flush=True)
    if arguments.csv:
        with arguments.csv.open('w', newline='') as stream:
            writer = csv.writer(stream, lineterminator='\n')
            writer.writerow(Outcome._fields)
            writer.writerows(rows)
    return 0


def outcome(family: str, seed: int, rate: float = 30.0) -> Outcome:
    """Run one scenario."""
    begin = time.perf_counter()
    name, changes = FAMILIES[family]
    values = scenario_values(name, chosen_scenes(families(), [name])[name], seed)
    run = sbot.run({**values, 'rate': rate}, **{'robots.*.controller': 'navigate', **changes})
    robots = run.summary['robots']
    goals = [i for i, robot in enumerate(run.scenario.robots) if robot.goal is not None]
    arrived = [robots[i]['goal_reached_s'] for i in goals]
    return Outcome(family, seed, sum(each is not None for each in arrived), len(goals),
                   int(run.collided.sum()), float(run.summary['sim_time_s']),
                   signs_per_second(run, rate, arrived, goals), time.perf_counter() - begin)


def signs_per_second(run: sbot.Run, rate: float, arrived: list[float | None], goals: list[int],
                     ) -> float:
    """Return how often a second the turn of a robot that queues changes its sign; the worst."""
    worst = 0.0
    for i, time_s in zip(goals, arrived, strict=True):
        end = len(run.poses) - 1 if time_s is None else round(time_s * rate)
        speed = np.hypot(*np.diff(run.poses[:end, i, :2], axis=0).T) * rate
        fastest = max(float(np.abs(run.commands[:, i, 0]).max()), 1e-9)
        omega = run.commands[:len(speed), i, 2]
        omega = omega[(speed < _SLOW * fastest) & (np.abs(omega) > _TURNS)]
        queued = max(2.0, float((speed < _SLOW * fastest).sum()) / rate)  # s
        worst = max(worst, int((omega[1:] * omega[:-1] < 0).sum()) / queued)
    return worst


def line(rows: list[Outcome]) -> str:
    """Return the row of a family."""
    touching = sum(row.contact_ticks > 0 for row in rows)
    return (f'{rows[0].family:16} arrived {sum(r.arrived for r in rows):3} of '
            f'{sum(r.robots for r in rows):3}, contact in {touching} of {len(rows)} '
            f'({sum(r.contact_ticks for r in rows)} ticks), '
            f'median {np.median([r.time_s for r in rows]):.1f} s, '
            f'signs {max(r.signs_per_s for r in rows):.2f}/s, '
            f'wall {np.mean([r.wall_s for r in rows]):.2f} s')


if __name__ == '__main__':
    sys.exit(main())
