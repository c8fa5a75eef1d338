"""Speed of many small worlds, beside VMAS where it is installed: writes small_worlds.csv.

    python benchmark/small_worlds.py [--seconds 3] [--peer-python PYTHON] [--csv FILE]

It measures Gymnasium's vector environment, too: 256 worlds of the four robots with lasers, which
reach a goal; beside `Worlds.step` of the same.

The workload is in `sbot/bench.py`; `sbot bench --cases evaluations` measures the same.
"""

from __future__ import annotations

import argparse
import csv
import sys
from pathlib import Path

import numpy as np

import sbot.learn
from sbot.bench import lasers, machine, measure_evaluations, median

sys.path.append(str(Path(__file__).with_name('peers')))
from peers import vmas_beside

WORLDS, STEPS = 256, 100  # an episode has as many steps


class Reach(sbot.learn.ReachGoal):
    """Reach a goal; an episode begins anew after ten seconds."""

    inputs = ('goal', 'scan:16')
    outputs, max_speed, turn, hold, seconds = 'twist', 1.0, 2.0, 1, 10.0


def measure_learning(seconds: float) -> dict[str, float]:
    """Return robot-steps a processor second of `vector_env`, and of `Worlds.step` alone."""
    scene = lasers()
    env = sbot.learn.vector_env(scene, WORLDS, task=Reach(), **{'robots.0.goal': [7.0, 7.0]})
    worlds = sbot.Worlds(scene, WORLDS, sense=['scan'])
    shares = np.random.default_rng(1).uniform(-1.0, 1.0, (WORLDS, 4, 2))
    env.reset(seed=1)

    def episode() -> None:
        for _ in range(STEPS):
            env.step(shares)

    def steps() -> None:
        for _ in range(STEPS):
            worlds.step(shares)

    robot_steps = WORLDS * 4 * STEPS
    return {'vector_env_robot_steps_per_cpu_s': robot_steps / median(episode, seconds)[0],
            'worlds_step_robot_steps_per_cpu_s': robot_steps / median(steps, seconds)[0]}


def main() -> int:
    """Measure, print, and write the table."""
    parser = argparse.ArgumentParser(allow_abbrev=False, description='Speed of many small worlds.')
    parser.add_argument('--seconds', type=float, default=3.0, help='for each number')
    parser.add_argument('--peer-python', default=sys.executable, help='one that has VMAS')
    parser.add_argument('--csv', type=Path, default=Path(__file__).with_name('small_worlds.csv'))
    arguments = parser.parse_args()
    found = measure_evaluations(arguments.seconds)
    print(found.text())
    learning = measure_learning(arguments.seconds)
    for name, value in learning.items():
        print(f'{name}: {value:,.0f}')
    row: dict[str, object] = {name: f'{value:.4g}'
                              for name, value in {**found._asdict(), **learning}.items()}
    vmas = vmas_beside(arguments.seconds, print, arguments.peer_python)
    row['vmas_laser_robot_steps_per_cpu_s'] = '' if vmas is None else f'{vmas:.4g}'
    row['machine'] = machine()
    with arguments.csv.open('w', newline='') as stream:
        writer = csv.DictWriter(stream, row)
        writer.writeheader()
        writer.writerow(row)
    return 0


if __name__ == '__main__':
    sys.exit(main())
