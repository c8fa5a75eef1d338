"""How fast the ROS 2 nodes are: a table on the screen, and ros_speed.csv beside this file.

    python benchmark/ros_speed.py [--only TEXT] [--seconds S]

Lockstep: real-time factor as fast as it goes. Free-running, 30 Hz by the wall clock: ticks that
came late (1.5 periods after the last one), and the latency from the arrival of a scan to that of
the command after it, both as a node beside the run sees them that listens to robot 0. Processor
time is that of all processes of the run from the first tick on, as a share of one core for each
robot.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

CASES = {  # robots, lockstep, composed
    'lockstep 4': (4, True, False), 'lockstep 8': (8, True, False),
    'lockstep 4 composed': (4, True, True), 'lockstep 8 composed': (8, True, True),
    'lockstep 16 composed': (16, True, True),
    'free-running 16': (16, False, False), 'free-running 16 composed': (16, False, True),
    'free-running 64 composed': (64, False, True)}
RATE = 30.0  # Hz
DEADLINE = 180.0  # s to start
COLUMNS = ('case', 'robots', 'x real', 'cpu %/robot', 'ms cpu/tick', 'late ticks %',
           'latency ms median', 'latency ms p99')


def scenario(robots: int, lockstep: bool, seconds: float) -> str:
    """Return a leader and its followers in an open field with wind, every sensor topic on."""
    side = 10 + 3 * robots ** 0.5
    return json.dumps({
        'name': 'ros_speed', 'duration': seconds, 'rate': RATE, 'lockstep': lockstep,
        'world': {'bounds': [0, 0, 2 * side, side]},
        'robots': [{'pose': [side - 1, side / 2, 0.0], 'goal': [2 * side - 3, side / 2]},
                   {'count': robots - 1, 'layout': 'grid', 'area': [1, 1, side - 3, side - 1]}],
        'wind': {'wind_speed_mean': 0.1}})


def processor_seconds(parent: int) -> float:
    """Return the processor time of the children of a process (Linux)."""
    ticks = 0
    for child in Path(f'/proc/{parent}/task/{parent}/children').read_text().split():
        fields = Path(f'/proc/{child}/stat').read_text().rpartition(')')[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf('SC_CLK_TCK')


class Listener:
    """Notes when clocks, scans and commands of robot 0 arrive."""

    def __init__(self) -> None:
        import rclpy
        from rclpy.node import Node

        from sbot_common import ros, topics
        rclpy.init()
        self._rclpy = rclpy
        self._node = Node('ros_speed')
        self.clocks: list[float] = []
        self.latencies: list[float] = []
        self._scan_at: float | None = None
        ros.subscribe(self._node, topics.CLOCK, topics.CLOCK.name, self._on_clock)
        ros.subscribe(self._node, topics.BASE_SCAN, '/robot_0/base_scan', self._on_scan)
        ros.subscribe(self._node, topics.CMD_VEL, '/robot_0/cmd_vel', self._on_command)

    def _on_clock(self, _: bytes) -> None:
        self.clocks.append(time.monotonic())

    def _on_scan(self, _: bytes) -> None:
        self._scan_at = time.monotonic()

    def _on_command(self, _: bytes) -> None:
        if self._scan_at is not None:
            self.latencies.append(time.monotonic() - self._scan_at)
            self._scan_at = None

    def spin(self, seconds: float) -> None:
        """Listen for a while."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self._rclpy.spin_once(self._node, timeout_sec=0.05)

    def close(self) -> None:
        """Leave ROS."""
        self._node.destroy_node()
        self._rclpy.shutdown()


def start(path: Path, composed: bool, log: Path) -> subprocess.Popen[str]:
    """Start `sbot up`; return when its first tick is due."""
    command = [sys.executable, '-m', 'sbot_bringup.cli', 'up', str(path), '--json']
    with log.open('w') as stream:
        process = subprocess.Popen(command + ['--composed'] * composed, text=True,
                                   stdout=subprocess.PIPE, stderr=stream)
    end = time.monotonic() + DEADLINE
    while 'everybody is there' not in log.read_text():
        if process.poll() is not None or time.monotonic() > end:
            process.kill()
            raise SystemExit(log.read_text())
        time.sleep(0.05)
    return process


def lockstep(path: Path, composed: bool, log: Path) -> dict[str, float]:
    """Run to the end."""
    process = start(path, composed, log)
    before, used = processor_seconds(process.pid), 0.0
    while process.poll() is None:
        try:
            used = max(used, processor_seconds(process.pid) - before)
        except OSError:  # a process ended meanwhile
            break
        time.sleep(0.02)
    summary = json.loads(process.communicate(timeout=60)[0])
    return {'wall': summary['wall_time_s'], 'ticks': summary['ticks'], 'cpu': used,
            'x real': summary['real_time_factor']}


def free_running(path: Path, composed: bool, log: Path, seconds: float) -> dict[str, float]:
    """Listen to a run for a while, end it."""
    process = start(path, composed, log)
    listener = Listener()
    listener.spin(5.0)  # until timers and processes have settled
    listener.clocks.clear()
    listener.latencies.clear()
    before, begin = processor_seconds(process.pid), time.monotonic()
    listener.spin(seconds)
    wall, used = time.monotonic() - begin, processor_seconds(process.pid) - before
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=60)
    listener.close()
    gaps = [b - a for a, b in zip(listener.clocks, listener.clocks[1:], strict=False)]
    waits = sorted(listener.latencies) or [float('nan')]
    return {'wall': wall, 'ticks': len(listener.clocks), 'cpu': used,
            'x real': len(listener.clocks) / RATE / wall,
            'late ticks %': 100 * sum(gap > 1.5 / RATE for gap in gaps) / max(1, len(gaps)),
            'latency ms median': 1e3 * waits[len(waits) // 2],
            'latency ms p99': 1e3 * waits[int(0.99 * (len(waits) - 1))]}


def measure(name: str, seconds: float) -> dict[str, Any]:
    """Return a row of the table."""
    robots, in_step, composed = CASES[name]
    with TemporaryDirectory() as folder:
        path, log = Path(folder) / 'scenario.yaml', Path(folder) / 'log'
        path.write_text(scenario(robots, in_step, seconds if in_step else 1000.0))
        row = (lockstep(path, composed, log) if in_step
               else free_running(path, composed, log, seconds))
    return {**row, 'case': name, 'robots': robots,
            'cpu %/robot': 100 * row['cpu'] / row['wall'] / robots,
            'ms cpu/tick': 1e3 * row['cpu'] / max(1, row['ticks'])}


def main() -> int:
    """Measure every case."""
    parser = argparse.ArgumentParser(description='Measure the speed of the ROS 2 nodes.')
    parser.add_argument('--only', default='', help='cases whose name contains this')
    parser.add_argument('--seconds', type=float, default=20.0,
                        help='simulated (lockstep) or wall (free-running) seconds a case')
    parser.add_argument('--csv', type=Path, default=Path(__file__).with_name('ros_speed.csv'))
    arguments = parser.parse_args()
    os.environ.setdefault('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')
    print(' '.join(f'{column:>{max(9, len(column))}}' for column in COLUMNS))
    with arguments.csv.open('w', newline='') as stream:
        writer = csv.writer(stream)
        writer.writerow(COLUMNS)
        for name in CASES:
            if arguments.only not in name:
                continue
            row = measure(name, arguments.seconds)
            texts = [f'{row[c]:.3g}' if isinstance(row.get(c), float) else str(row.get(c, ''))
                     for c in COLUMNS]
            writer.writerow(texts)
            stream.flush()
            print(' '.join(f'{t:>{max(9, len(c))}}' for t, c in zip(texts, COLUMNS, strict=True)),
                  flush=True)
    return 0


if __name__ == '__main__':
    sys.exit(main())
