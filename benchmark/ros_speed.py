"""How fast the ROS 2 nodes are: a table on the screen, and ros_speed.csv beside this file.

    python benchmark/ros_speed.py [--only TEXT] [--seconds S] [--repeat N]

A leader and its followers in an open field with wind, at 30 Hz. `composed`: all nodes in one
process, else one process each. `/poses`: `poses_topic: true`.

Lockstep: real-time factor as fast as it goes. Free-running (by the wall clock, with all sensors'
topics on), as a node beside the run sees it that listens to /clock and to robot 0:

* missed: ticks that the simulator left out, because it was a whole period behind;
* late: ticks that came more than 1.5 periods after the last one;
* latency: from a scan's stamp to the arrival of the command that answers it. A TwistStamped
  carries the stamp of the scan it answers. Stamps are simulated time, so they are put on the
  listener's CLOCK_MONOTONIC: a stamp's time is its own value plus the least difference between
  arrival and stamp among the scans half a second around it, that is, the time at which its scan
  would have arrived had the tick and the delivery been as quick as the quickest. What a late
  tick, the delivery of the scan and the robot's turn take is in it.

Processor time is that of all processes of the run from the first tick on, as a share of one core
for each robot. The listener runs on the same machine, beside them.
"""

from __future__ import annotations

import argparse
import csv
import itertools
import json
import os
import signal
import statistics
import struct
import subprocess
import sys
import time
from bisect import bisect_left, bisect_right
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

NAMES = ('lockstep 4', 'lockstep 8', 'lockstep 8 /poses', 'lockstep 16', 'lockstep 16 /poses',
         'lockstep 4 composed', 'lockstep 8 composed', 'lockstep 16 composed',
         'lockstep 16 composed /poses',
         'free-running 16', 'free-running 16 /poses', 'free-running 16 composed',
         'free-running 64 composed', 'free-running 64 composed /poses')
RATE = 30.0  # Hz
DEADLINE = 180.0  # s to start
STAMP = struct.Struct('<iI')
COLUMNS = ('case', 'robots', 'x real', 'cpu %/robot', 'ms cpu/tick', 'missed %', 'late %',
           'latency ms median', 'latency ms p99')


class Case(NamedTuple):
    """What a name stands for."""

    robots: int
    lockstep: bool
    composed: bool
    poses: bool


def case(name: str) -> Case:
    """Return the case of a name."""
    mode, robots, *options = name.split()
    return Case(int(robots), mode == 'lockstep', 'composed' in options, '/poses' in options)


def scenario(robots: int, lockstep: bool, seconds: float, poses: bool = False) -> str:
    """Return a leader and its followers in an open field with wind."""
    side = 10 + 3 * robots ** 0.5
    return json.dumps({
        'name': 'ros_speed', 'duration': seconds, 'rate': RATE, 'lockstep': lockstep,
        'world': {'bounds': [0, 0, 2 * side, side]},
        'robots': [{'pose': [side - 1, side / 2, 0.0], 'goal': [2 * side - 3, side / 2]},
                   {'count': robots - 1, 'layout': 'grid', 'area': [1, 1, side - 3, side - 1]}],
        'sensors': {'infrared': not lockstep, 'range_and_bearing': not lockstep},
        'cmd_vel_stamped': not lockstep, **({'poses_topic': True} if poses else {}),
        'wind': {'wind_speed_mean': 0.1}})


def processor_seconds(parent: int) -> float:
    """Return the processor time of the children of a process (Linux)."""
    ticks = 0
    for child in Path(f'/proc/{parent}/task/{parent}/children').read_text().split():
        fields = Path(f'/proc/{child}/stat').read_text().rpartition(')')[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf('SC_CLK_TCK')


class Listener:
    """Notes stamps (s) and arrivals (s, monotonic) of clocks, and of scans and commands."""

    def __init__(self) -> None:
        import rclpy
        from rclpy.node import Node

        from sbot_common import ros, topics
        rclpy.init()
        self._rclpy = rclpy
        self._node = Node('ros_speed')
        self.clocks: list[tuple[float, float]] = []
        self.scans: list[tuple[float, float]] = []
        self.commands: list[tuple[float, float]] = []
        for topic, name, arrivals in (
                (topics.CLOCK, topics.CLOCK.name, self.clocks),
                (topics.BASE_SCAN, '/robot_0/base_scan', self.scans),
                (topics.CMD_VEL_STAMPED, '/robot_0/cmd_vel', self.commands)):
            ros.subscribe(self._node, topic, name, partial(self._on_message, arrivals))

    @staticmethod
    def _on_message(arrivals: list[tuple[float, float]], raw: bytes) -> None:
        seconds, nanoseconds = STAMP.unpack_from(raw, 4)  # the stamp is the first in all three
        arrivals.append((seconds + 1e-9 * nanoseconds, time.monotonic()))

    def forget(self) -> None:
        """Begin to measure."""
        for arrivals in (self.clocks, self.scans, self.commands):
            arrivals.clear()

    def ticks(self) -> dict[str, float]:
        """Return how many ticks came, and the shares of those missed and late."""
        (first, begin), *_, (last, end) = self.clocks
        gaps = [b[1] - a[1] for a, b in itertools.pairwise(self.clocks)]
        due = (end - begin) * RATE
        return {'ticks': round((last - first) * RATE) + 1,
                'x real': (last - first) / (end - begin),
                'missed %': max(0, round(due - (last - first) * RATE)) * 100 / due,
                'late %': 100 * sum(gap > 1.5 / RATE for gap in gaps) / len(gaps)}

    def latencies(self) -> list[float]:
        """Return the latency (s) of each command, sorted."""
        stamps = [stamp for stamp, _ in self.scans]
        offsets = [arrival - stamp for stamp, arrival in self.scans]
        waits = []
        for stamp, arrival in self.commands:
            around = offsets[bisect_left(stamps, stamp - 0.5):bisect_right(stamps, stamp + 0.5)]
            if around:
                waits.append(arrival - stamp - min(around))
        return sorted(waits) or [float('nan')]

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
    command = [sys.executable, '-m', 'sbot.cli', 'up', str(path), '--json']
    with log.open('w') as stream:
        process = subprocess.Popen(command + ['--composed'] * composed, text=True,
                                   stdout=subprocess.PIPE, stderr=stream)
    end = time.monotonic() + DEADLINE
    while 'all nodes are connected' not in log.read_text():
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
    listener.forget()
    before, begin = processor_seconds(process.pid), time.monotonic()
    listener.spin(seconds)
    wall, used = time.monotonic() - begin, processor_seconds(process.pid) - before
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=60)
    listener.close()
    waits = listener.latencies()
    return {**listener.ticks(), 'wall': wall, 'cpu': used,
            'latency ms median': 1e3 * waits[len(waits) // 2],
            'latency ms p99': 1e3 * waits[int(0.99 * (len(waits) - 1))]}


def measure(name: str, seconds: float) -> dict[str, Any]:
    """Return a row of the table."""
    robots, in_step, composed, poses = case(name)
    with TemporaryDirectory() as folder:
        path, log = Path(folder) / 'scenario.yaml', Path(folder) / 'log'
        path.write_text(scenario(robots, in_step, 4 * seconds if in_step else 1000.0, poses))
        # What the simulator calls is compiled here rather than in the first ticks.
        subprocess.run([sys.executable, '-m', 'sbot.cli', 'run', str(path), '--quiet',
                        '--duration', '0.1'], check=True, stdout=subprocess.DEVNULL)
        row = (lockstep(path, composed, log) if in_step
               else free_running(path, composed, log, seconds))
    return {**row, 'case': name, 'robots': robots,
            'cpu %/robot': 100 * row['cpu'] / row['wall'] / robots,
            'ms cpu/tick': 1e3 * row['cpu'] / max(1, row['ticks'])}


def median(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the median of each column; names are equal in all rows."""
    return {key: value if isinstance(value, str) else statistics.median(row[key] for row in rows)
            for key, value in rows[0].items()}


def main() -> int:
    """Measure every case."""
    parser = argparse.ArgumentParser(allow_abbrev=False,
                                     description='Measure the speed of the ROS 2 nodes.')
    parser.add_argument('--only', default='', help='cases whose name contains this')
    parser.add_argument('--seconds', type=float, default=20.0,
                        help='how long a free-running case lasts; lockstep simulates four times '
                             'as much, so that the end of discovery counts little')
    parser.add_argument('--repeat', type=int, default=1,
                        help='measure each case so often; the table has medians')
    parser.add_argument('--csv', type=Path, default=Path(__file__).with_name('ros_speed.csv'))
    arguments = parser.parse_args()
    os.environ.setdefault('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')
    width = max(map(len, NAMES))
    print(' '.join(f'{c:>{width if c == "case" else max(9, len(c))}}' for c in COLUMNS))
    rows: list[list[str]] = []
    for name in NAMES:
        if arguments.only not in name:
            continue
        row = median([measure(name, arguments.seconds) for _ in range(arguments.repeat)])
        texts = [f'{row[c]:.3g}' if isinstance(row.get(c), float) else str(row.get(c, ''))
                 for c in COLUMNS]
        rows.append(texts)
        print(' '.join(f'{t:>{width if c == "case" else max(9, len(c))}}'
                       for t, c in zip(texts, COLUMNS, strict=True)), flush=True)
    with arguments.csv.open('w', newline='') as stream:  # a run cut short leaves it whole
        csv.writer(stream).writerows([COLUMNS, *rows])
    return 0


if __name__ == '__main__':
    sys.exit(main())
