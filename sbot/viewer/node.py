# SPDX-License-Identifier: Apache-2.0
"""The ROS 2 node of `sbot view --live`: follows a simulation, pauses it, drives its robots."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from pathlib import Path
from queue import SimpleQueue

import numpy as np
from rclpy.client import Client
from rclpy.node import Node
from rclpy.publisher import Publisher
from rclpy.task import Future
from std_srvs.srv import SetBool, Trigger

from sbot.scenario.load import parse_scenario
from sbot.viewer.data import FRAME_PERIOD
from sbot.viewer.server import Driven, Live, LiveRun
from sbot_common import ros, topics
from sbot_common.arrays import Floats32
from sbot_common.errors import InputError
from sbot_common.observation import STOP, Twist
from sbot_common.wire.cdr import DamagedMessage, decode
from sbot_common.wire.controller import write_command
from sbot_common.wire.messages import PoseStamped, read_poses, read_scan
from wind_model.messages import decode_vector

# Live view of a simulation of ROS nodes: messages in, frames for the page out.

LARGEST = 1e12  # of coordinates (m) and speeds (m/s)

_Subscribe = Callable[[topics.Topic, str, Callable[[bytes], None]], None]


class _Follower:
    """Turns a simulation's messages into frames for the page.

    Parameters
    ----------
    live : where frames go
    subscribe : called with topic, absolute name and callback for each topic that is needed

    """

    def __init__(self, live: Live, subscribe: _Subscribe) -> None:
        self._live = live
        self._subscribe = subscribe
        self._text = ''
        self.run: LiveRun | None = None  # what runs, once it is known
        self._subscribed: set[str] = set()
        subscribe(topics.SCENARIO, topics.SCENARIO.name, self._on_scenario)

    def _on_scenario(self, raw: bytes) -> None:
        text = str(decode(raw, topics.SCENARIO.type).data)
        if text == self._text:
            return
        self._text = text
        self._live.set_paused(False)  # as new simulations begin
        scenario = parse_scenario(text, topics.SCENARIO.name, Path.cwd(),
                                  import_controllers=False)
        self.run, count = LiveRun(self._live, scenario), len(scenario.robots)
        self._stamp_ns = self._shown_ns = -1
        self._poses: list[tuple[float, float, float] | None] = [None] * count
        self._winds = [(0.0, 0.0)] * count
        self._scans: list[Floats32 | None] = [None] * count
        discs, boxes = scenario.world.moving, scenario.world.boxes
        self._places = {  # of what moves or is pushed
            topics.OBSTACLES: np.array([disc.path[0] for disc in discs]) if discs else None,
            topics.BOXES: scenario.world.box_poses() if boxes else None}
        for topic, places in self._places.items():
            if places is not None:
                self._join(topic, topic.name, partial(self._on_places, topic))
        for topic, callback in ((topics.BASE_POSE_GROUND_TRUTH, self._on_pose),
                                (topics.WIND, self._on_wind), (topics.BASE_SCAN, self._on_scan),
                                (topics.GOAL, self._on_goal)):
            for i in range(count):
                self._join(topic, topic.resolve(i, count), partial(callback, i))

    def _join(self, topic: topics.Topic, name: str, callback: Callable[[bytes], None]) -> None:
        if name not in self._subscribed:
            self._subscribed.add(name)
            self._subscribe(topic, name, callback)

    def _on_pose(self, robot: int, raw: bytes) -> None:
        pose = PoseStamped.of_odometry(raw)
        if not (math.isnan(pose.x) and math.isnan(pose.y)):  # it is there
            _check('pose', pose.x, pose.y, pose.yaw)
        if robot < len(self._poses):
            self._poses[robot] = pose.x, pose.y, pose.yaw
            self._stamp_ns = pose.stamp_ns

    def _on_wind(self, robot: int, raw: bytes) -> None:
        if robot < len(self._winds):
            u, v, _ = decode_vector(raw)[1].tolist()
            _check('wind', u, v)
            self._winds[robot] = u, v

    def _on_places(self, topic: topics.Topic, raw: bytes) -> None:
        known = self._places[topic]
        if known is not None:
            rows = read_poses(raw, len(known))[1]
            _check('poses', *rows.ravel().tolist())
            self._places[topic] = rows[:, :known.shape[1]]

    def _on_scan(self, robot: int, raw: bytes) -> None:
        if self.run is not None and robot < len(self._scans):
            scan = read_scan(raw)[1]
            row = np.full(self.run.beams.stop, np.nan, np.float32)
            row[:len(scan.ranges)] = scan.ranges[:len(row)]
            self._scans[robot] = row

    def _on_goal(self, robot: int, raw: bytes) -> None:
        pose = PoseStamped.of_pose(raw)
        _check('goal', pose.x, pose.y)
        if self.run is not None:
            self.run.goals[robot] = pose.x, pose.y

    def show(self) -> None:
        """Send the latest poses to the page, if they are new and complete."""
        if self.run is None or self._stamp_ns == self._shown_ns or None in self._poses:
            return
        if self._stamp_ns < self._shown_ns:
            self._live.set_paused(False)  # it was started anew
        self._shown_ns = self._stamp_ns
        seen = [scan for scan in self._scans if scan is not None]
        self.run.show(self._stamp_ns, [pose for pose in self._poses if pose], self._winds,
                      self._places[topics.OBSTACLES], self._places[topics.BOXES],
                      seen if len(seen) == len(self._scans) else None)


def _check(what: str, *numbers: float) -> None:
    """Raise DamagedMessage unless a page can be sent the numbers, rounded."""
    if not all(math.isfinite(number) and abs(number) <= LARGEST for number in numbers):
        raise DamagedMessage(f'got {what} {numbers}, expected numbers of at most {LARGEST:g}')


_SIMULATOR = 'sbot_sim'


class ViewNode(Node):  # type: ignore[misc]
    """Sends received messages to a page, and requests of the page to the simulation.

    The server's threads ask (``Controls``); the node's own thread sends.

    Parameters
    ----------
    live : the page
    run : namespace of the simulation, '' or e.g. '/arena'

    """

    def __init__(self, live: Live, run: str = '') -> None:
        super().__init__('sbot_view', namespace=run)
        self._live, self._run = live, run
        self._follower = _Follower(live, lambda topic, name, callback: ros.subscribe(
            self, topic, topics.within(run, name), callback, depth=1))
        self._pause = self.create_client(SetBool, f'{run}/{_SIMULATOR}/pause')
        self._step = self.create_client(Trigger, f'{run}/{_SIMULATOR}/step')
        self._driven = Driven()
        self._moving: set[int] = set()
        self._publishers_of: dict[str, Publisher] = {}
        self._requests: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self.create_timer(FRAME_PERIOD, self._on_timer)
        live.controls = self

    def pause(self, on: bool) -> None:
        """Pause or resume the simulation."""
        def then(future: Future) -> None:
            answer = future.result()
            if answer is not None and answer.success:
                self._live.set_paused(on)
        self._ask(self._pause, SetBool.Request(data=on), then)

    def step(self) -> None:
        """Let a paused simulation go one tick on."""
        self._ask(self._step, Trigger.Request(), lambda _: None)

    def drive(self, robot: int, command: Twist) -> None:
        """Drive a robot without a controller."""
        run = self._follower.run
        self._driven.set(robot, command, [] if run is None else run.drivable)

    def _ask(self, client: Client, request: object, then: Callable[[Future], None]) -> None:
        if not client.service_is_ready():
            raise InputError(f'{client.srv_name}: no simulator answers')
        self._requests.put(lambda: client.call_async(request).add_done_callback(then))

    def _on_timer(self) -> None:
        while not self._requests.empty():  # nobody else takes any
            self._requests.get_nowait()()
        self._publish_commands()
        self._follower.show()

    def _publish_commands(self) -> None:
        """Publish while a robot is driven, then that it stops, then nothing: others may drive."""
        if self._follower.run is None:
            return
        scenario = self._follower.run.scenario
        topic = topics.CMD_VEL_STAMPED if scenario.cmd_vel_stamped else topics.CMD_VEL
        count = len(scenario.robots)
        for robot, command in self._driven.commands().items():
            if robot >= count or (command == STOP and robot not in self._moving):
                continue
            name = topics.within(self._run, topic.resolve(robot, count))
            if name not in self._publishers_of:
                self._publishers_of[name] = ros.advertise(self, topic, name)
            frame_id = topics.frame('base_link', robot, count)
            self._publishers_of[name].publish(
                write_command(topic, self.get_clock().now().nanoseconds, frame_id, command))
            if command == STOP:
                self._moving.discard(robot)
            else:
                self._moving.add(robot)
