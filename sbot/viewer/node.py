"""The ROS 2 node of `sbot view --live`: follows a simulation, pauses it, drives its robots."""

from __future__ import annotations

from collections.abc import Callable
from queue import Empty, SimpleQueue

from rclpy.client import Client
from rclpy.node import Node
from rclpy.publisher import Publisher
from rclpy.task import Future
from std_srvs.srv import SetBool, Trigger

from sbot.viewer.controls import Driven
from sbot.viewer.follower import Follower
from sbot.viewer.frames import FRAME_PERIOD, drivable
from sbot.viewer.server import Live
from sbot_common import ros, topics
from sbot_common.errors import InputError
from sbot_common.twist import STOP, Twist
from sbot_common.wire.controller import write_command

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
        self._follower = Follower(live, lambda topic, name, callback: ros.subscribe(
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
        scenario = self._follower.scenario
        self._driven.set(robot, command, [] if scenario is None else drivable(scenario))

    def _ask(self, client: Client, request: object, then: Callable[[Future], None]) -> None:
        if not client.service_is_ready():
            raise InputError(f'{client.srv_name}: no simulator answers')
        self._requests.put(lambda: client.call_async(request).add_done_callback(then))

    def _on_timer(self) -> None:
        while True:
            try:
                request = self._requests.get_nowait()
            except Empty:
                break
            request()
        self._publish_commands()
        self._follower.show()

    def _publish_commands(self) -> None:
        """Publish while a robot is driven, then that it stops, then nothing: others may drive."""
        scenario = self._follower.scenario
        if scenario is None:
            return
        topic = topics.CMD_VEL_STAMPED if scenario.cmd_vel_stamped else topics.CMD_VEL
        count = len(scenario.robots)
        for robot, command in self._driven.commands().items():
            if robot >= count or (command == STOP and robot not in self._moving):
                continue
            name = topics.within(self._run, topics.resolve(topic, robot, count))
            if name not in self._publishers_of:
                self._publishers_of[name] = ros.advertise(self, topic, name)
            frame_id = topics.frame('base_link', robot, count)
            self._publishers_of[name].publish(
                write_command(topic, self.get_clock().now().nanoseconds, frame_id, command))
            if command == STOP:
                self._moving.discard(robot)
            else:
                self._moving.add(robot)
