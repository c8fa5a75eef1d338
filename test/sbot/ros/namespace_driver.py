"""Runs a lockstep and a free-running simulation in one domain; prints what it saw as JSON."""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import rclpy
from rclpy.node import Node

from sbot_common import ros, topics
from sbot_common.wire import cdr

DEADLINE = 240.0  # s
RUNS = {'/left': 'true', '/right': 'false'}  # lockstep


def main() -> None:
    """Wait until robot 0 of both has moved by 0.5 m."""
    folder = Path(tempfile.mkdtemp(prefix='sbot_namespaces_'))
    processes = []
    for run, lockstep in RUNS.items():
        with (folder / run.strip('/')).open('w') as log:
            processes.append(subprocess.Popen(
                [sys.executable, '-m', 'sbot.cli', 'up', 'leader_follower', '--namespace', run,
                 '--duration', '1000', '--set', f'lockstep={lockstep}', '--set',
                 'target_real_time_factor=1'], stdout=log, stderr=log))
    rclpy.init()
    node = Node('driver')
    first: dict = {}
    moved = dict.fromkeys(RUNS, False)

    def on_pose(run: str, raw: bytes) -> None:
        p = cdr.decode(raw, topics.BASE_POSE_GROUND_TRUTH.type).pose.pose.position
        x, y = first.setdefault(run, (p.x, p.y))
        moved[run] |= abs(p.x - x) + abs(p.y - y) > 0.5
    for run in RUNS:
        ros.subscribe(node, topics.BASE_POSE_GROUND_TRUTH,
                      f'{run}/robot_0/base_pose_ground_truth',
                      lambda raw, run=run: on_pose(run, raw))
    end = time.monotonic() + DEADLINE
    while not all(moved.values()) and time.monotonic() < end:
        rclpy.spin_once(node, timeout_sec=0.05)
    found = [name for name, _ in node.get_topic_names_and_types()]
    services = [name for name, _ in node.get_service_names_and_types()]
    for process in processes:
        process.terminate()
    exits = [process.wait(DEADLINE) for process in processes]
    rclpy.shutdown()
    print(json.dumps({
        'moved': moved, 'topics': found, 'services': services, 'exits': exits,
        'log': ''.join(path.read_text() for path in folder.iterdir())}))


if __name__ == '__main__':
    main()
