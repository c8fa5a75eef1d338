#!/usr/bin/env python3
"""How long `sbot up` takes between ticks 0 and 1 in lockstep, over many runs, beside later ticks.

    python test/robustness/first_tick.py --runs 25

Listens to /clock from outside, in a ROS domain that no test uses meanwhile.
"""

import argparse
import itertools
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

import rclpy
from rclpy.node import Node

from sbot_common import ros, topics
from sbot_common.wire.cdr import decode, stamp_ns

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from ros_domain import lock_domain

DEADLINE = 300.0  # s for a run


def arrivals(node: Node, seen: dict[int, float], scenario: str, duration: float) -> int:
    """Run a scenario; note when each stamp (ns) first came (s). Return the exit code."""
    seen.clear()
    process = subprocess.Popen(
        [sys.executable, '-m', 'sbot.cli', 'up', scenario, '--quiet', '--duration', str(duration)],
        stdout=subprocess.DEVNULL)
    end = time.monotonic() + DEADLINE
    while process.poll() is None and time.monotonic() < end:
        rclpy.spin_once(node, timeout_sec=0.2)
    process.terminate()
    return process.wait()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--runs', type=int, default=25)
    parser.add_argument('--scenario', default='leader_follower')
    parser.add_argument('--duration', type=float, default=2.0)
    args = parser.parse_args()
    os.environ['ROS_DOMAIN_ID'] = str(lock_domain())
    os.environ['ROS_AUTOMATIC_DISCOVERY_RANGE'] = 'LOCALHOST'
    rclpy.init()
    node, seen = Node('first_tick'), {}
    ros.subscribe(node, topics.CLOCK, topics.CLOCK.name, lambda raw: seen.setdefault(
        stamp_ns(decode(raw, topics.CLOCK.type).clock), time.monotonic()))
    rows = []
    for run in range(args.runs):
        code = arrivals(node, seen, args.scenario, args.duration)
        times = [seen[stamp] for stamp in sorted(seen)]
        gaps = [b - a for a, b in itertools.pairwise(times)]
        if code or len(gaps) < 10:
            print(f'run {run}: exit code {code}, {len(times)} ticks heard', flush=True)
            continue
        later = sorted(gaps[1:])
        rows.append((gaps[0], statistics.median(later), later[int(0.99 * len(later))]))
        print(f'run {run}: ticks 0 to 1 {1e3 * gaps[0]:.1f} ms; later {1e3 * rows[-1][1]:.1f} '
              f'ms, 99 % within {1e3 * rows[-1][2]:.1f} ms', flush=True)
    if rows:
        for name, column in zip(('ticks 0 to 1', 'later, median', 'later, 99 %'),
                                zip(*rows, strict=True), strict=True):
            print(f'{name}: median {1e3 * statistics.median(column):.1f} ms, most '
                  f'{1e3 * max(column):.1f} ms, over {len(rows)} runs')
    rclpy.try_shutdown()
    return 0


if __name__ == '__main__':
    sys.exit(main())
