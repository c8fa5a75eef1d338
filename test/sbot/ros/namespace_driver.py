"""Runs a lockstep and a free-running simulation in one domain; prints what it saw as JSON.

    namespace_driver.py up|launch FOLDER

``up``: two `sbot up`. ``launch``: one `ros2 launch` of a file that includes swarm.launch.py twice,
with its argument `namespace`, and in a pushed namespace with remaps.
"""

import contextlib
import json
import signal
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
# Before it the checkout: test/sbot is no package, but would be taken for one.
sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

import rclpy
from rclpy.node import Node
from ros_package import environment
from std_srvs.srv import SetBool

from sbot_common import ros, topics
from sbot_common.wire import cdr

DEADLINE = 240.0  # s
RUNS = {'/left': 'true', '/right': 'false'}  # lockstep
ARENAS = """
import os

from ament_index_python.packages import get_package_share_directory
from launch.actions import GroupAction, IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch_ros.actions import PushRosNamespace, SetRemap

from launch import LaunchDescription

FILE = os.path.join(get_package_share_directory('potential_field_bot'), 'launch',
                    'swarm.launch.py')


def arena(**given):
    return IncludeLaunchDescription(PythonLaunchDescriptionSource(FILE), launch_arguments={
        'duration': '1000', 'set': 'target_real_time_factor=1', **given}.items())


def generate_launch_description():
    return LaunchDescription([
        GroupAction([arena(namespace='left')]),
        GroupAction([
            PushRosNamespace('right'),
            *(SetRemap(name, '/right' + name) for name in ('/clock', '/tf', '/tf_static')),
            arena(lockstep='false')])])
"""


def commands(how: str, folder: Path) -> list[list[str]]:
    """Return what starts both runs."""
    if how == 'launch':
        path = folder / 'arenas.launch.py'
        path.write_text(ARENAS)
        return [['ros2', 'launch', str(path)]]
    return [[sys.executable, '-m', 'sbot.cli', 'up', 'leader_follower', '--namespace', run,
             '--duration', '1000', '--set', f'lockstep={lockstep}', '--set',
             'target_real_time_factor=1'] for run, lockstep in RUNS.items()]


class Observer:
    """A node beside both runs: where robot 0 of each is, and what time it is there."""

    def __init__(self, processes: list[subprocess.Popen], log: Path) -> None:
        self.node = Node('driver')
        self.processes, self.log = processes, log
        self.first: dict = {}
        self.moved = dict.fromkeys(RUNS, False)
        self.clocks = dict.fromkeys(RUNS, -1)
        for run in RUNS:
            ros.subscribe(self.node, topics.BASE_POSE_GROUND_TRUTH,
                          f'{run}/robot_0/base_pose_ground_truth',
                          lambda raw, run=run: self._on_pose(run, raw))
            ros.subscribe(self.node, topics.CLOCK, f'{run}/clock',
                          lambda raw, run=run: self._on_clock(run, raw))

    def _on_pose(self, run: str, raw: bytes) -> None:
        p = cdr.decode(raw, topics.BASE_POSE_GROUND_TRUTH.type).pose.pose.position
        x, y = self.first.setdefault(run, (p.x, p.y))
        self.moved[run] |= abs(p.x - x) + abs(p.y - y) > 0.5

    def _on_clock(self, run: str, raw: bytes) -> None:
        self.clocks[run] = cdr.stamp_ns(cdr.decode(raw, topics.CLOCK.type).clock)

    def until(self, condition) -> None:
        """Spin until a condition holds."""
        end = time.monotonic() + DEADLINE
        while not condition():
            rclpy.spin_once(self.node, timeout_sec=0.05)
            if time.monotonic() > end or any(each.poll() is not None for each in self.processes):
                for each in self.processes:
                    with contextlib.suppress(OSError):
                        each.send_signal(signal.SIGINT)
                raise SystemExit(f'no answer in time:\n{self.log.read_text()}')

    def stand_still(self, run: str) -> tuple[int, int]:
        """Pause a run until the other's clock has gone on by 2 s; return its own before and then.

        Both in ns.
        """
        client = self.node.create_client(SetBool, f'{run}/sbot_sim/pause')
        self.until(client.service_is_ready)
        self.until(client.call_async(SetBool.Request(data=True)).done)
        other, = set(RUNS) - {run}

        def wait() -> int:
            begin = self.clocks[other]
            self.until(lambda: self.clocks[other] > begin + 1_000_000_000)
            return self.clocks[run]
        return wait(), wait()  # ticks may have been on their way before the pause


def main() -> None:
    """Wait until robot 0 of both has moved by 0.5 m; then pause one of them."""
    how, folder = sys.argv[1], Path(sys.argv[2])
    log = folder / 'log'
    # Jobs in the background of a shell inherit that SIGINT is ignored; the runs must not.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with log.open('w') as stream:
        processes = [subprocess.Popen(
            command, stdout=stream, stderr=stream,
            env=environment(folder / 'prefix') if how == 'launch' else None)
            for command in commands(how, folder)]
    rclpy.init()
    observer = Observer(processes, log)
    observer.until(lambda: all(observer.moved.values()))
    paused = observer.stand_still('/left')
    observer.until(lambda: {'/left/sbot_sim/reset', '/right/sbot_sim/reset'} <= {
        name for name, _ in observer.node.get_service_names_and_types()})
    seen = {'topics': [name for name, _ in observer.node.get_topic_names_and_types()],
            'services': [name for name, _ in observer.node.get_service_names_and_types()],
            'paused': paused}
    for process in processes:
        process.send_signal(signal.SIGINT)
    exits = [process.wait(DEADLINE) for process in processes]
    rclpy.shutdown()
    print(json.dumps({**seen, 'exits': exits, 'log': log.read_text()}))


if __name__ == '__main__':
    main()
