"""When each message of a lockstep tick is published: lockstep_tick.csv, for docs/lockstep.md.

    python benchmark/lockstep_tick.py [--ticks 3000] [--csv FILE]

A leader and a follower in wind over ROS 2, each node a process, as fast as it goes. A listener
takes the time at which the middleware of the publisher sent each message (`source_timestamp`),
and subtracts that of the tick's /clock. The table has medians and the 10th and 90th percentiles
over the ticks, the first hundred left out. The listener is one more reader of each topic.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import statistics
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

SIMULATOR, WIND = 'sbot_sim', 'wind_model'
NEXT = 'next /clock'
LEFT_OUT = 100  # ticks at the start
DEADLINE = 300.0  # s
SCENARIO = {
    'name': 'lockstep_tick', 'world': {'bounds': [0, 0, 40, 24]},
    'robots': [{'pose': [5, 12, 0], 'goal': [36, 12]}, {'pose': [3, 10, 0]}],
    'wind': {'wind_speed_mean': 0.1}}


def publishers() -> dict[str, tuple[str, Any]]:
    """Return the node that publishes each topic, and the topic."""
    from sbot_common import topics
    robots = {f'/robot_{i}/{topic.name}': (node or f'robot_{i}', topic)
              for i in range(len(SCENARIO['robots']))
              for node, topic in ((SIMULATOR, topics.BASE_POSE_GROUND_TRUTH),
                                  (SIMULATOR, topics.BASE_SCAN), (SIMULATOR, topics.WIND),
                                  ('', topics.CMD_VEL))}
    return {topics.CLOCK.name: (SIMULATOR, topics.CLOCK),
            topics.WIND_VELOCITY.name: (WIND, topics.WIND_VELOCITY), **robots}


def listen(process: subprocess.Popen[bytes]) -> list[tuple[int, str]]:
    """Return (ns, topic) of each message until the run ends, sorted."""
    import rclpy
    from rclpy.node import Node

    from sbot_common import ros
    rclpy.init()
    node, events = Node('lockstep_tick'), []

    def note(name: str, _: bytes, info: dict[str, int]) -> None:
        events.append((info['source_timestamp'], name))

    for name, (_, topic) in publishers().items():
        node.create_subscription(ros.ros_class(topic.type), name, partial(note, name),
                                 ros.qos(topic, 100), raw=True)
    end = time.monotonic() + DEADLINE
    while process.poll() is None and time.monotonic() < end:
        rclpy.spin_once(node, timeout_sec=0.1)
    node.destroy_node()
    rclpy.shutdown()
    return sorted(events)


def offsets(events: list[tuple[int, str]]) -> dict[str, list[float]]:
    """Return (ms) how long after /clock each topic is published, in complete ticks."""
    ticks: list[dict[str, float]] = []
    begin = 0
    for stamp, name in events:
        if name == '/clock':
            if ticks:
                ticks[-1][NEXT] = (stamp - begin) / 1e6
            begin = stamp
            ticks.append({})
        if ticks:
            ticks[-1].setdefault(name, (stamp - begin) / 1e6)
    names = [*publishers(), NEXT]
    complete = [tick for tick in ticks[LEFT_OUT:] if len(tick) == len(names)]
    return {name: [tick[name] for tick in complete] for name in names}


def main() -> int:
    """Measure and write."""
    parser = argparse.ArgumentParser(allow_abbrev=False,
                                     description="Measure when a tick's messages are published.")
    parser.add_argument('--ticks', type=int, default=3000)
    parser.add_argument('--csv', type=Path, default=Path(__file__).with_name('lockstep_tick.csv'))
    arguments = parser.parse_args()
    os.environ.setdefault('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')
    with TemporaryDirectory() as folder:
        path = Path(folder) / 'scenario.yaml'
        path.write_text(json.dumps({**SCENARIO, 'duration': arguments.ticks / 30}))
        with subprocess.Popen([sys.executable, '-m', 'sbot.cli', 'up', str(path), '--quiet'],
                              stdout=subprocess.DEVNULL) as process:
            measured = offsets(listen(process))
    rows = []
    if len(measured[NEXT]) < LEFT_OUT:
        sys.exit(f'{len(measured[NEXT])} complete ticks were heard, expected {LEFT_OUT}: '
                 '--ticks N takes more')
    for name, times in measured.items():
        cuts = statistics.quantiles(times, n=10)
        node = SIMULATOR if name == NEXT else publishers()[name][0]
        rows.append([name, node, len(times), *(
            f'{value:.3f}' for value in (statistics.median(times), cuts[0], cuts[-1]))])
    with arguments.csv.open('w', newline='', encoding='utf-8') as stream:
        csv.writer(stream, lineterminator='\n').writerows(
            [['topic', 'node', 'ticks', 'median_ms', 'p10_ms', 'p90_ms'],
             *sorted(rows, key=lambda row: float(row[3]))])
    return 0


if __name__ == '__main__':
    sys.exit(main())
