"""`sbot view --live`: follow a running simulation through its topics."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sbot.figures.data import at_rest
from sbot.scenario.load import parse_scenario
from sbot.scenario.model import Scenario
from sbot.viewer.data import MOST_BEAMS, header
from sbot.viewer.server import Live, start_server
from sbot_common import topics
from sbot_common.clock import NANOSECONDS
from sbot_common.errors import InputError
from sbot_common.wire.cdr import decode
from sbot_common.wire.messages import read_odometry, read_pose, read_scan
from wind_model.messages import decode_vector

FRAME_PERIOD = 0.05  # s of wall time
SCAN_FRAMES = 4  # a scan goes with every so many frames
SCAN_TIMEOUT = 40  # frames to wait for the first scan

Subscribe = Callable[[topics.Topic, str, Callable[[bytes], None]], None]


class Follower:
    """Turns a simulation's messages into frames for the page.

    Parameters
    ----------
    live : where frames go
    subscribe : called with topic, absolute name and callback for each topic that is needed

    """

    def __init__(self, live: Live, subscribe: Subscribe) -> None:
        self._live = live
        self._subscribe = subscribe
        self._text = ''
        self._scenario: Scenario | None = None
        self._subscribed: set[str] = set()
        self._frames = 0
        self._shown_ns = -1
        subscribe(topics.SCENARIO, topics.SCENARIO.name, self._on_scenario)

    def _on_scenario(self, raw: bytes) -> None:
        text = str(decode(raw, topics.SCENARIO.type).data)
        if text == self._text:
            return
        self._text = text
        self._scenario = parse_scenario(text, topics.SCENARIO.name, Path.cwd(),
                                        import_controllers=False)
        count = len(self._scenario.robots)
        begin = self._scenario.rate.stamp_ns(0)
        self._begin_ns, self._stamp_ns, self._shown_ns = begin, -1, -1
        self._poses: list[tuple[float, float, float] | None] = [None] * count
        self._winds = [(0.0, 0.0)] * count
        self._scans: list[bytes | None] = [None] * count
        self._goals: dict[int, tuple[float, float]] = {
            i: robot.goal for i, robot in enumerate(self._scenario.robots) if robot.goal}
        self._announced = False
        self._skip = 1
        self._frames_to_wait = SCAN_TIMEOUT
        for i in range(count):
            self._join(topics.BASE_POSE_GROUND_TRUTH, i, count, self._on_pose)
            self._join(topics.WIND, i, count, self._on_wind)
            self._join(topics.BASE_SCAN, i, count, self._on_scan)
            self._join(topics.GOAL, i, count, self._on_goal)

    def _join(self, topic: topics.Topic, robot: int, count: int,
              callback: Callable[[int, bytes], None]) -> None:
        name = topics.resolve(topic, robot, count)
        if name not in self._subscribed:
            self._subscribed.add(name)
            self._subscribe(topic, name, lambda raw: callback(robot, raw))

    def _on_pose(self, robot: int, raw: bytes) -> None:
        pose = read_odometry(raw)
        if robot < len(self._poses):
            self._poses[robot] = pose.x, pose.y, pose.yaw
            self._stamp_ns = pose.stamp_ns

    def _on_wind(self, robot: int, raw: bytes) -> None:
        if robot < len(self._winds):
            u, v, _ = decode_vector(raw).vector.tolist()
            self._winds[robot] = u, v

    def _on_scan(self, robot: int, raw: bytes) -> None:
        if robot < len(self._scans):
            self._scans[robot] = raw

    def _on_goal(self, robot: int, raw: bytes) -> None:
        pose = read_pose(raw)
        self._goals[robot] = pose.x, pose.y

    def show(self) -> None:
        """Send the latest poses to the page, if they are new and complete."""
        if self._scenario is None or self._stamp_ns == self._shown_ns or None in self._poses:
            return
        if not self._announced and not self._announce(self._scenario):
            return
        self._shown_ns = self._stamp_ns
        frame: dict[str, Any] = {
            't': round((self._stamp_ns - self._begin_ns) / NANOSECONDS, 4),
            'poses': [round(v, 4) for pose in self._poses if pose for v in pose],
            'winds': [round(v, 4) for wind in self._winds for v in wind],
            'goals': [[0.0, robot, *goal] for robot, goal in sorted(self._goals.items())],
        }
        self._frames += 1
        if self._frames % SCAN_FRAMES == 1 and all(self._scans):
            ranges = [read_scan(raw).scan.ranges[::self._skip] for raw in self._scans if raw]
            frame['scans'] = [round(r, 3) if math.isfinite(r) else None
                              for row in ranges for r in row.tolist()]
        self._live.set_frame(frame)

    def _announce(self, scenario: Scenario) -> bool:
        """Announce a new run, once a scan has arrived or none comes for a while."""
        if self._scans[0] is None:
            self._frames_to_wait -= 1
            if self._frames_to_wait > 0:
                return False
            self._live.set_run(header(at_rest(scenario)))
        else:
            scan = read_scan(self._scans[0]).scan
            self._skip = max(1, -(-len(scan.ranges) // MOST_BEAMS))
            self._live.set_run(header(at_rest(scenario), len(scan.ranges[::self._skip]),
                                      scan.angle_min, scan.angle_increment * self._skip))
        self._announced = True
        return True


def follow(port: int) -> int:
    """Serve the page of the running simulation, until interrupted; return the exit code.

    Raises
    ------
    InputError
        where ROS 2 is missing, or if the port cannot be used.

    """
    try:
        from sbot_common import ros
    except SystemExit as error:
        raise InputError(f'--live: {error}') from None
    from rclpy.node import Node
    live = Live()
    address = start_server(port, live)
    print(f'{address} follows the simulation that runs; Ctrl-C ends', flush=True)

    def make_node() -> Node:
        node = Node('sbot_view')
        follower = Follower(live, lambda topic, name, callback: ros.subscribe(
            node, topic, name, callback, depth=1))
        node.create_timer(FRAME_PERIOD, follower.show)
        return node

    return ros.run(make_node, ['sbot_view'])
