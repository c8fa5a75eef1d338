"""Drives a running `sbot up` from outside, prints what it saw as JSON: up_driver.py NAME FOLDER.

In a process of its own, as ROS reads its domain from the environment.
"""

import json
import subprocess
import sys
import time
from pathlib import Path

import rclpy
from rclpy.node import Node
from std_srvs.srv import SetBool, Trigger

from sbot_common import ros, topics
from sbot_common.ros.controller_host import _Source
from sbot_common.wire import cdr
from sbot_common.wire.messages import PoseStamped, write_pose, write_twist

DEADLINE = 240.0  # s
SBOT = [sys.executable, '-m', 'sbot.cli']


class Driver:
    """`sbot up` of a scenario, and a node beside it."""

    def __init__(self, folder: Path, scenario: str, robots: int) -> None:
        path = folder / 'scenario.yaml'
        path.write_text(scenario)
        self.log = folder / 'log'
        with self.log.open('w') as log:
            self.process = subprocess.Popen(
                [*SBOT, 'up', str(path)], stdout=log, stderr=subprocess.STDOUT)
        rclpy.init()
        self.node = Node('driver')
        self.robots = robots
        self.stamps: list[int] = []
        self.motions: list = []
        ros.subscribe(self.node, topics.CLOCK, topics.CLOCK.name, self._on_clock)
        ros.subscribe(self.node, topics.BASE_POSE_GROUND_TRUTH, self.name(
            topics.BASE_POSE_GROUND_TRUTH), self._on_odometry)

    def _on_odometry(self, raw: bytes) -> None:
        odometry = _Source(topics.BASE_POSE_GROUND_TRUTH, 0, (0, 'twist'))
        _, values = odometry.read(self.robots, raw)
        self.motions.append((values[0], values['twist']))

    def name(self, topic: topics.Topic) -> str:
        return topic.resolve(0, self.robots)

    def _on_clock(self, raw: bytes) -> None:
        self.stamps.append(cdr.stamp_ns(cdr.decode(raw, topics.CLOCK.type).clock))

    def until(self, condition) -> None:
        end = time.monotonic() + DEADLINE
        while not condition():
            rclpy.spin_once(self.node, timeout_sec=0.02)
            if time.monotonic() > end:
                self.process.terminate()
                raise SystemExit(f'no answer in time:\n{self.log.read_text()}')

    def settle(self) -> None:
        """Take what is still in the queues: spin until 50 times in a row no tick has come.

        Not for a time, as the machine may stand still meanwhile.
        """
        heard = calm = -1

        def quiet() -> bool:
            nonlocal heard, calm
            calm = calm + 1 if len(self.stamps) == heard else 0
            heard = len(self.stamps)
            return calm >= 50
        self.until(quiet)

    def call(self, service: str, kind=Trigger, **request) -> list:
        client = self.node.create_client(kind, service)
        self.until(client.service_is_ready)
        future = client.call_async(kind.Request(**request))
        self.until(future.done)
        return [future.result().success, future.result().message]

    def advertise(self, topic: topics.Topic):
        publisher = ros.advertise(self.node, topic, self.name(topic))
        self.until(lambda: publisher.get_subscription_count() > 0)
        return publisher

    def end(self) -> dict:
        """Stop the run, if it has not ended; return its exit code and log."""
        if self.process.poll() is None:
            self.process.terminate()
        code = self.process.wait(DEADLINE)
        rclpy.shutdown()
        return {'exit': code, 'log': self.log.read_text()}


def services(folder: Path) -> dict:
    """Pause, steps, a teleport, a reset, and a second publisher of cmd_vel."""
    driver = Driver(folder, (
        'duration: 1000\ntarget_real_time_factor: 1\nworld: {bounds: [0, 0, 20, 20]}\n'
        'robots: [{pose: [3, 3, 0], goal: [15, 15]}]\n'), 1)
    driver.until(lambda: len(driver.stamps) > 3)
    too_early = driver.call('/sbot_sim/step')
    paused = driver.call('/sbot_sim/pause', SetBool, data=True)
    driver.settle()
    steps = []
    for _ in range(4):
        before = driver.stamps[-1]
        driver.call('/sbot_sim/step')
        driver.until(lambda before=before: driver.stamps[-1] > before)
        steps.append(driver.stamps[-1])
    del steps[0]  # may have been on its way before the pause
    driver.advertise(topics.TELEPORT).publish(write_pose(0, 'map', 10.0, 12.0))

    def teleported() -> bool:
        driver.call('/sbot_sim/step')
        return abs(driver.motions[-1][0][0] - 10) < 1 and abs(driver.motions[-1][0][1] - 12) < 1
    driver.until(teleported)
    reset = driver.call('/sbot_sim/reset')
    driver.call('/sbot_sim/step')
    driver.until(lambda: driver.stamps[-1] < steps[0] and driver.motions[-1][0][0] < 9)
    again, place = driver.stamps[-1], driver.motions[-1][0][:2]
    driver.call('/sbot_sim/pause', SetBool, data=False)
    driver.until(lambda: driver.stamps[-1] > again)
    ros.advertise(driver.node, topics.CMD_VEL, driver.name(topics.CMD_VEL))
    driver.until(lambda: driver.process.poll() is not None)
    return {'too_early': too_early, 'paused': paused, 'steps': steps, 'reset': reset,
            'place': place, **driver.end()}


def free_running(folder: Path) -> dict:
    """A robot without controller moves on cmd_vel and stops when no more come."""
    driver = Driver(folder, (
        'duration: 1000\nlockstep: false\ncmd_vel_timeout: 0.4\n'
        'robots: [{pose: [3, 3, 0], controller: none}, {pose: [3, 6, 0], controller: none}]\n'
        'world: {bounds: [0, 0, 20, 20]}\n'), 2)
    driver.until(lambda: len(driver.motions) > 2)
    start = driver.motions[-1][0]
    command = driver.advertise(topics.CMD_VEL)

    def moving() -> bool:
        command.publish(write_twist(0.5, 0.0, 0.0))
        return driver.motions[-1][0][0] > 3.2 and driver.motions[-1][1][0] > 0.0
    driver.until(moving)
    speed = driver.motions[-1][1][0]
    driver.until(lambda: driver.motions[-1][1] == (0.0, 0.0, 0.0))
    return {'start': start, 'speed': speed, 'end': driver.motions[-1][0], **driver.end()}


def free_reset(folder: Path) -> dict:
    """Free-running: a goal from outside, and a reset, after which the first goal counts again."""
    driver = Driver(folder, (
        'duration: 1000\nlockstep: false\nworld: {bounds: [0, 0, 20, 20]}\n'
        'robots: [{pose: [3, 3, 0], goal: [15, 15]}, {pose: [3, 6, 0]}]\n'), 2)
    goals: list = []
    ros.subscribe(driver.node, topics.GOAL, driver.name(topics.GOAL),
                  lambda raw: goals.append(PoseStamped.of_pose(raw)[2:4]))
    driver.until(lambda: goals)
    driver.advertise(topics.GOAL_POSE).publish(write_pose(0, 'map', 5.0, 16.0))
    driver.until(lambda: goals[-1] == (5.0, 16.0))
    # A controller that begins after the reset has nothing to notice.
    driver.until(lambda: driver.log.read_text().count('Entering spin.') == 2)
    driver.call('/sbot_sim/reset')
    driver.until(lambda: goals[-1] != (5.0, 16.0))
    driver.until(lambda: driver.log.read_text().count('the simulation was reset') == 2)
    return {'goals': goals, **driver.end()}


if __name__ == '__main__':
    print(json.dumps({'services': services, 'free_running': free_running,
                      'free_reset': free_reset}[sys.argv[1]](Path(sys.argv[2]))))
