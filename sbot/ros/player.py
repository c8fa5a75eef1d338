# SPDX-License-Identifier: Apache-2.0
"""Bag player (`python -m sbot.ros.player`): plays a bag to nodes and compares their commands.

Unlike ``ros2 bag play`` it starts only when every controller is connected, can wait for the
answers to each tick, compares them with the bag, and needs no other ROS package.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import groupby

import rclpy
from rclpy.node import Node

from sbot.bag.reader import Bag, Message
from sbot.bag.ticks import count_robots, rate_of, robot_of
from sbot.environment.running import stay_on_this_machine
from sbot.ros.processes import own_names, parse_namespace
from sbot.version import THIS
from sbot_common import ros, topics
from sbot_common.clock import NANOSECONDS
from sbot_common.errors import InputError, one_line
from sbot_common.wire.cdr import canonical, decode, encode, stamp_ns
from sbot_sim.ros.run_control import AwakeClock

# What controllers say, and what only log times are made of.
_NOT_PLAYED = (topics.CMD_VEL.name, topics.GOAL.name)
_REPEAT_PERIOD = 1.0  # s after which an unanswered tick is sent again


class _Player:
    """Publishes a bag's messages, and collects TwistStamped commands by their stamp.

    Controllers must publish stamped commands (parameter ``stamped_cmd_vel``): an answer to a tick
    that was sent twice comes twice, and only a stamp tells.

    Parameters
    ----------
    bag : to play
    timeout : s to wait for controllers, and for an answer
    run : namespace of the controllers, '' or e.g. '/arena'

    """

    def __init__(self, bag: Bag, timeout: float = 20.0, run: str = '') -> None:
        self._bag = bag
        self._run, self._own = run, dict(own_names(run))
        self._timeout = timeout
        self._robots = count_robots(bag)
        self._rate = rate_of(bag)
        names = bag.names()
        self._answering = [robot for robot in range(self._robots)
                           if topics.CMD_VEL.resolve(robot, self._robots) in names]
        self._node = Node('player')
        self._executor = ros.make_executor()
        self._executor.add_node(self._node)
        self._answers: dict[tuple[int, int], bytes] = {}
        self._publishers = dict(self._advertise(names))
        for robot in self._answering:
            ros.subscribe(self._node, topics.CMD_VEL_STAMPED,
                          self._graph_name(topics.CMD_VEL.resolve(robot, self._robots)),
                          partial(self._on_command, robot))

    def _graph_name(self, name: str) -> str:
        """Return the name that a topic of the bag has in the ROS graph."""
        return self._own.get(name, topics.within(self._run, name))

    def _advertise(self, names: dict[str, str]) -> Iterator[tuple[str, rclpy.publisher.Publisher]]:
        for name, type_name in names.items():
            found = robot_of(name)
            if found is not None and found[1] in _NOT_PLAYED:
                continue
            try:
                yield name, ros.advertise(
                    self._node, topics.Topic(name, type_name), self._graph_name(name))
            except ImportError:
                print(one_line(f'{name}: not played, {type_name.split("/")[0]} is not '
                               'installed'), file=sys.stderr)

    def _on_command(self, robot: int, raw: bytes) -> None:
        message = decode(raw, topics.CMD_VEL_STAMPED.type)
        self._answers[robot, stamp_ns(message.header.stamp)] = encode(message.twist)

    def play(self, factor: float) -> tuple[int, str]:
        """Play the bag at ``factor`` times real time; 0: as fast as the answers come.

        Return how many answers differ from the bag's, and the outcome in words.

        Raises
        ------
        InputError
            if controllers do not come, or do not answer.

        """
        self._wait(self._all_here, 'controllers for the robots that have commands in the bag')
        expected: dict[tuple[int, int], bytes] = {}
        start, ticks = time.monotonic(), 0
        for stamp, messages in groupby(self._bag.messages(), lambda each: each.stamp_ns):
            group = list(messages)
            for message in group:
                found = robot_of(message.name)
                if found is not None and found[1] == topics.CMD_VEL.name:
                    expected[found[0], stamp] = _twist(message)
            self._send(stamp, group, factor, start, first=ticks == 0)
            ticks += 1
        self._wait(lambda: len(self._answers) >= len(expected), 'the last answers')
        return self._compare(ticks, expected)

    def _send(self, stamp: int, group: list[Message], factor: float, start: float, *,
              first: bool) -> None:
        """Publish one tick's messages when it is time."""
        due = start + (stamp / NANOSECONDS / factor if factor > 0 else 0.0)
        while (left := due - time.monotonic()) > 0:
            self._executor.spin_once(timeout_sec=left)
        self._publish(group)
        if first or factor == 0:
            self._wait(lambda: all((robot, stamp) in self._answers for robot in self._answering),
                       f'answers to stamp {stamp}', group)

    def _publish(self, group: list[Message]) -> None:
        for message in group:
            publisher = self._publishers.get(message.name)
            if publisher is not None:
                publisher.publish(message.payload)

    def _all_here(self) -> bool:
        def name(topic: topics.Topic, robot: int) -> str:
            return self._graph_name(topic.resolve(robot, self._robots))
        count = self._node.count_subscribers
        n = len(self._answering)
        return (count(self._graph_name(topics.POSES.name)) >= n or all(
            count(name(topics.BASE_POSE_GROUND_TRUTH, robot)) >= n
            for robot in range(self._robots))) and all(
            count(name(topics.BASE_SCAN, robot)) > 0
            and self._node.count_publishers(name(topics.CMD_VEL, robot)) > 0
            for robot in self._answering)

    def _wait(self, condition: Callable[[], bool], what: str,
              again: Sequence[Message] = ()) -> None:
        awake, repeat = AwakeClock(), _REPEAT_PERIOD
        while not condition():
            self._executor.spin_once(timeout_sec=0.02)
            now = awake()
            if now > self._timeout:
                raise InputError(f'{self._bag.path}: waited {self._timeout:g} s for {what}')
            if now > repeat:
                repeat = now + _REPEAT_PERIOD
                self._publish(list(again))

    def _compare(self, ticks: int, expected: dict[tuple[int, int], bytes]) -> tuple[int, str]:
        different = sorted((stamp, robot) for (robot, stamp), twist in expected.items()
                           if self._answers.get((robot, stamp)) != twist)
        first = ''
        if different:
            stamp, robot = different[0]
            came = 'no answer' if (robot, stamp) not in self._answers else 'another command'
            first = f': tick {self._rate.tick(stamp)}, robot {robot}: {came}'
        return len(different), (f'{ticks} ticks, {len(self._answers)} answers, '
                                f'{len(different)} of {len(expected)} differ{first}')

    def close(self) -> None:
        """Destroy the node."""
        self._node.destroy_node()


def _twist(message: Message) -> bytes:
    if message.type == topics.CMD_VEL_STAMPED.type:
        return encode(decode(message.payload, message.type).twist)
    return canonical(message.payload, message.type)


def main(argv: Sequence[str] | None = None) -> int:
    """Play a bag; return 0 if all answers are as recorded, 1 if not, 2 if the bag is unusable."""
    parser = argparse.ArgumentParser(allow_abbrev=False, prog='sbot.ros.player', description=(
        'Play a recording in lockstep to controller nodes, and compare their commands with the '
        'recorded ones. The player starts when every controller is connected, and waits for the '
        'answers to each tick. More: docs/record_and_replay.md.'))
    parser.add_argument('bag', metavar='BAG', help='a recording that was made in lockstep')
    parser.add_argument('--rate', type=float, default=0.0,
                        help='speed relative to real time; 0 (default): as fast as answers arrive')
    parser.add_argument('--timeout', type=float, default=20.0,
                        help='seconds to wait for controllers and for an answer')
    parser.add_argument('--namespace', default='',
                        help='namespace of the controllers, as for sbot up (default: none)')
    args = parser.parse_args(argv)
    stay_on_this_machine()
    rclpy.init(args=[])
    try:
        bag = Bag(args.bag)
        player = _Player(bag, args.timeout, parse_namespace(args.namespace))
        try:
            differences, outcome = player.play(args.rate)
        finally:
            ros.end_signal_thread()
            player.close()
    except InputError as error:
        print(error, file=sys.stderr)
        return 2
    finally:
        rclpy.try_shutdown()
    print(one_line(outcome))
    if differences and not bag.maker.draws_ours:
        print(one_line(f'{bag.path}: recorded with {bag.maker}; this is {THIS}: ignore '
                       'differences of controllers that draw some'), file=sys.stderr)
    return 1 if differences else 0


if __name__ == '__main__':
    sys.exit(main())
