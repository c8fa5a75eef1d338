# SPDX-License-Identifier: Apache-2.0
"""Replay of a recording to users' nodes: inputs tick by tick, what they say compared."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import ExitStack
from itertools import zip_longest
from typing import NamedTuple

import rclpy

from sbot.bag.reader import Bag
from sbot.environment.running import RunningProcesses, stay_on_this_machine
from sbot.regression.commands import Differing, DifferingRobot, Tolerances, Value, differences
from sbot.ros.domain import FREE, claim, current_domain, parse_domain
from sbot.ros.feeder import Feeder, Recorded
from sbot.ros.live_tf import messages_path, packages_of
from sbot.ros.processes import (
    as_commands,
    parse_command,
    robot_commands,
    start_commands,
)
from sbot.scenario.controllers import external_robots
from sbot_common import ros
from sbot_common.errors import InputError, one_line

Progress = Callable[[int], object]


class _MessageDifference(NamedTuple):
    """A message that is not as recorded."""

    tick: int
    stamp_ns: int
    topic: str
    field: str  # 'linear.x', 'pose.covariance[0]'; 'command' or 'message' where one is missing
    recorded: Value
    new: Value

    def __str__(self) -> str:
        return (f'first difference: tick {self.tick}, {self.topic}, {self.field}: recorded '
                f'{self.recorded}; now {self.new}')


class _LargestDifference(NamedTuple):
    """The number that is farthest from the recorded one."""

    size: float  # in the unit of the field
    field: str  # 'linear.x', ...
    topic: str
    tick: int
    tolerance: float  # of the field

    def __str__(self) -> str:
        allowed = f'; tolerance {self.tolerance:g}' if self.tolerance else ''
        return (f'largest difference: {self.size:.6g} ({self.topic}, {self.field}, tick '
                f'{self.tick}{allowed})')


class NodeReplayResult(NamedTuple):
    """Result of a replay to nodes."""

    scenario: str  # name
    robots: tuple[int, ...]  # whose commands were compared
    ticks: int
    commands: int  # compared, and messages on ``topics``
    differences: int  # of them, not as recorded
    first: _MessageDifference | None
    damage: str  # where the bag was cut off, else ''
    differing: tuple[DifferingRobot, ...] = ()  # robots with differences, by id
    largest: _LargestDifference | None = None  # of numbers; None where none differs
    stopped: int | None = None  # tick at which the replay stopped, as no command came
    topics: tuple[str, ...] = ()  # compared beside commands

    @property
    def equal(self) -> bool:
        """Whether every command and message is as recorded."""
        return self.differences == 0

    def extent(self) -> str:
        """Return in words where a replay stopped before the end; '' if it did not."""
        return '' if self.stopped is None else (
            f'; stopped at tick {self.stopped}, as no command came')

    @classmethod
    def of(cls, bag: Bag, command: str | Sequence[str] | None, *, robots: Collection[int] = (),
           tolerances: Tolerances | None = None, timeout: float | None = None,
           overrides: Mapping[str, object] | None = None,
           progress: Progress = lambda _: None,
           output: Callable[[str], None] = lambda _: None,
           compare: Collection[str] = ()) -> NodeReplayResult:
        """Feed a recording to nodes in lockstep, and compare each of their commands or messages.

        Parameters
        ----------
        bag : recorded in lockstep by ``sbot run`` or ``sbot up``
        command : starts the nodes, in a ROS domain of their own; one or several; one with places
            (``robot_commands``) is started once for each robot that is compared. None: they run
            already, in ours
        robots : whose commands are compared; (): the external ones of the recorded scenario, or
            else those that the nodes drive
        tolerances : of numbers; None: equal bit for bit
        timeout : s to wait for nodes and for each command; None: the scenario's
            ``lockstep_timeout``, a minute for nodes to start
        overrides : scenario values by dotted key path, e.g. of an external robot's parameters
        progress : called with the number of the last tick after each tick
        output : called with each line that the command prints, prefixed by its short name
        compare : topics of ``record_topics`` to compare, and no commands but those of ``robots``;
            (): all that are in the bag, none if ``robots`` are given. The others are played

        Raises
        ------
        InputError
            if the bag cannot be replayed.
        NodeFailed
            if the command ends, or its nodes do not come.

        """
        recorded = Recorded.read(bag, robots, overrides, compare)
        _check_types(recorded)
        tolerances = tolerances or Tolerances()
        tolerances.check({*recorded.topics.values(),
                          *(recorded.types[i] for i in recorded.external)})
        texts = _texts(command, recorded)
        commands = [parse_command(text) for text in texts]
        stay_on_this_machine()
        domain = current_domain() if command is None else parse_domain(FREE)
        messages = messages_path(output, packages_of(recorded.scenario))
        sys.path += [folder for folder in messages if folder not in sys.path]
        with ExitStack() as stack:
            context = _context(domain, stack)
            running = RunningProcesses(output)
            stack.callback(running.stop)
            start_commands(running, texts, commands, domain, messages)
            feeder = Feeder(recorded, context, timeout, running.ended, output)
            stack.callback(feeder.close)
            return _compare(feeder, recorded, tolerances, progress)


def _context(domain: int, stack: ExitStack) -> rclpy.Context:
    """Return a context of rclpy in a domain that is claimed until the stack ends."""
    stack.callback(os.close, claim(domain))
    context = rclpy.Context()
    rclpy.init(args=[], context=context, domain_id=domain,
               signal_handler_options=rclpy.signals.SignalHandlerOptions.NO)
    stack.callback(context.try_shutdown)
    return context


def _check_types(recorded: Recorded) -> None:
    """Raise InputError if a type of the messages to compare is not installed."""
    for name, type_name in recorded.topics.items():
        try:
            ros.ros_class(type_name)
        except (ImportError, AttributeError, ValueError):
            raise InputError(f'{name}: {one_line(type_name)} is not installed') from None


def _texts(command: str | Sequence[str] | None, recorded: Recorded) -> list[str]:
    """Return the commands to start, one with places for each robot that is compared."""
    driven = list(recorded.external or external_robots(recorded.scenario)) * recorded.named
    return [text for each in as_commands(command)
            for text in robot_commands(each, recorded.scenario, driven)]


def _compare(feeder: Feeder, recorded: Recorded, tolerances: Tolerances,
             progress: Progress) -> NodeReplayResult:
    compared = count = wrong = 0
    first: _MessageDifference | None = None
    largest: _LargestDifference | None = None
    stopped: int | None = None
    differing = Differing()
    robots = {recorded.name(i): i for i in recorded.external}
    for tick, stamp_ns, messages in recorded.ticks():
        count += 1
        for name, new in feeder.tick(tick, stamp_ns, messages).items():
            old = [message.payload for message in messages if message.name == name]
            robot = robots.get(name)
            type_name = recorded.topics[name] if robot is None else recorded.types[robot]
            if robot is not None:  # of commands the last one counts
                old, new = old[-1:], new[-1:]
            for was, now in zip_longest(old, new):
                compared += 1
                found = list(differences(was, now, type_name, tolerances))
                if not found:
                    continue
                wrong += 1
                if robot is not None:
                    differing.add(robot, tick)
                first = first or _MessageDifference(tick, stamp_ns, name, *found[0])
                for field, value, other in found:
                    size = _distance(value, other)
                    if size > (largest.size if largest else 0.0):
                        largest = _LargestDifference(size, field, name, tick,
                                                     tolerances.of(field, type_name))
        progress(tick)
        if feeder.silent:  # it would be so in all that is left
            stopped = tick
            break
    if compared == 0:
        raise InputError(f'{recorded.bag.path}: no complete tick in it with a '
                         f'{"message" if recorded.topics else "command"}')
    return NodeReplayResult(recorded.scenario.name, tuple(feeder.robots), count, compared, wrong,
                            first, recorded.bag.damage, differing.robots(), largest, stopped,
                            tuple(recorded.topics))


def _distance(was: Value, now: Value) -> float:
    """Return how far two numbers are apart; 0 of texts, and of what is not finite."""
    if isinstance(was, str) or isinstance(now, str) or not math.isfinite(was - now):
        return 0.0
    return abs(was - now)
