# SPDX-License-Identifier: Apache-2.0
"""Feeder of recorded ticks to nodes, in the order of lockstep (docs/lockstep.md)."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeVar

import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.publisher import Publisher
from rclpy.subscription import Subscription

from sbot.bag.reader import Bag, Message
from sbot.bag.ticks import robot_of
from sbot.ros.up import NodeFailed, OwnFailed
from sbot.scenario.assemble import robot_bodies
from sbot.scenario.controllers import external_robots
from sbot.scenario.load import parse_scenario
from sbot.scenario.model import Scenario
from sbot_common import ros, topics
from sbot_common.errors import InputError, bad_value, one_line
from sbot_common.topics import Topic
from sbot_common.wire.cdr import canonical
from sbot_common.wire.controller import write_command
from sbot_sim.drives.record import Message as DriveMessage
from sbot_sim.drives.registry import messages_of
from sbot_sim.ros.external import External, Turns, in_turns
from sbot_sim.ros.external_nodes import ExternalNodes
from sbot_sim.ros.run_control import AwakeClock
from sbot_sim.sensors.registry import sensors
from sbot_sim.world.bodies import BodyArrays

_CONNECTION = 60.0  # s for nodes to start
_REPORT = 10.0  # s between lines about who is missing
_MATCH = 2.0  # s for their subscriptions; one with another quality of service never fits
_TABLE = {topic.name.lstrip('/'): topic for topic in (
    *vars(topics).values(), *(sensor.topic for sensor in sensors().values()))
          if isinstance(topic, Topic)}
_LASER = re.compile(rf'{topics.BASE_SCAN.name}_[0-9]+')  # of a robot with several
# What controllers say.
_ANSWERS = (topics.CMD_VEL.name, topics.GOAL.name, topics.GOAL_REACHED.name)
# What comes after /clock in lockstep: the wind is made on it.
_LATE = (topics.WIND_VELOCITY.name, topics.WIND_FORCE.name, topics.WIND_GUST.name,
         topics.MARKERS.name)


T = TypeVar('T')


class Feeder:
    """Publishes recorded messages, and collects the commands and messages that nodes answer with.

    Parameters
    ----------
    recorded : the bag
    context : of rclpy
    timeout : s to wait for nodes and for a command; None: as the scenario says
    ended : tells in words that the user's command has ended
    say : called with lines about what is not played

    Raises
    ------
    NodeFailed
        if the nodes do not come.

    """

    def __init__(self, recorded: Recorded, context: rclpy.Context, timeout: float | None,
                 ended: Callable[[], str], say: Callable[[str], None]) -> None:
        self._recorded, self._ended, self._say = recorded, ended, say
        self._n = len(recorded.scenario.robots)
        self._timeout = recorded.scenario.lockstep_timeout if timeout is None else timeout
        self._started, self.silent = False, False
        self._node = Node('sbot_replay', context=context)
        self._executor = SingleThreadedExecutor(context=context)
        self._executor.add_node(self._node)
        self._publishers = self._advertise()
        # What nodes say in a tick, by the topics compared.
        self._said: dict[str, list[bytes]] = {name: [] for name in recorded.topics}
        self._bodies = BodyArrays.of(robot_bodies(recorded.scenario))
        self._messages = messages_of(self._bodies, recorded.external, recorded.bag.names())
        self._stamp_ns = 0
        self._heard: list[tuple[Subscription, Callable[[bytes], None]]] = []
        for robot in recorded.external:
            self._listen(recorded.name(robot), self._command(robot), True,
                         partial(self._on_command, robot))
        for robot, message in [*self._messages.items()]:
            try:
                self._listen(message.topic.resolve(robot, self._n), message.topic, True,
                             partial(self._on_drive, robot, message))
            except ImportError:  # no node can send such a message
                del self._messages[robot]
        self._latched()
        self.robots, self._nodes = self._find(_CONNECTION if timeout is None else timeout)
        self._said = {**{recorded.name(i): [] for i in self.robots}, **self._said}
        self._turns = Turns({i: recorded.external[i] for i in self.robots})
        self._held = {name for names in self._triggers(self.robots).values() for name in names}
        self._started = True

    def close(self) -> None:
        """Destroy the node."""
        self._executor.shutdown()
        self._node.destroy_node()

    def tick(self, tick: int, stamp_ns: int,
             messages: Sequence[Message]) -> dict[str, list[bytes]]:
        """Publish a tick's messages; return what nodes say in it, by the topics compared."""
        self._turns.begin(stamp_ns)
        self._stamp_ns = stamp_ns
        timed, others = self._turns.timed, self._turns.others
        clock, early, late, held = self._in_order(messages)
        if timed:
            self._send(early, tick)
        self._turns.open(timed)
        self._publish(clock)
        self._nodes.ask(self._nodes.teams(), ros.CLOCK_REQUESTS)
        self._hear(tick)
        self._await(timed)
        if not timed:
            self._send(early, tick)
        self._send(late, tick)
        self._turns.open(others)
        self._send(held, tick)
        self._await(others)
        said, self._said = self._said, {name: [] for name in self._said}
        return said

    def _in_order(self, messages: Sequence[Message]) -> tuple[list[Message], ...]:
        """Return the clock, what comes with it, what comes late, and what nodes answer to."""
        groups: tuple[list[Message], ...] = [], [], [], []
        for each in messages:
            found = robot_of(each.name)
            late = each.name in _LATE or (found is not None and found[1] == topics.WIND.name)
            groups[0 if each.name == topics.CLOCK.name else
                   3 if each.name in self._held else 1 + late].append(each)
        return groups

    def _send(self, messages: Sequence[Message], tick: int) -> None:
        """Publish messages in turns, as a simulator does."""
        for sent, teams in in_turns(messages, self._nodes.hearers):
            self._publish(sent)
            if teams:
                self._nodes.ask(teams)
                self._hear(tick)

    def _hear(self, tick: int) -> None:
        """Wait until the nodes that were asked have answered, and read what they sent before."""
        if silent := self._wait(self._nodes.silent, self._timeout):
            raise NodeFailed(f'{", ".join(silent)}: does not run its callbacks; '
                             f'silent for {self._timeout:g} s at tick {tick}')
        for subscription, callback in self._heard:
            while taken := subscription.handle.take_message(subscription.msg_type, True):
                callback(taken[0])

    def _await(self, robots: Sequence[int]) -> None:
        self.silent = self.silent or self._wait(
            lambda: self._turns.missing(robots), self._timeout)

    def _wait(self, missing: Callable[[], T], patience: float,
              say: Callable[[T], None] = lambda _: None) -> T:
        """Spin until nothing is missing, and return that; or what is after ``patience`` s.

        ``say`` is called every ten seconds with what is missing.
        """
        awake, said = AwakeClock(), 0.0
        while found := missing():
            now = awake()
            if now > patience:
                break
            if now - said >= _REPORT:
                said = now
                say(found)
            if problem := self._ended():
                raise OwnFailed(problem)
            self._executor.spin_once(timeout_sec=0.02)
        return found

    def _on_command(self, robot: int, raw: bytes) -> None:
        name = self._recorded.name(robot)
        if self._started and name in self._said:
            payload = canonical(raw, self._recorded.types[robot])
            try:
                self._turns.answer(robot)
            except InputError as error:
                raise NodeFailed(str(error)) from None
            self._said[name].append(payload)

    def _on_message(self, name: str, topic: Topic, raw: bytes) -> None:
        if self._started or topic.latched:
            self._said[name].append(canonical(raw, topic.type))

    def _listen(self, name: str, topic: Topic, reliable: bool,
                callback: Callable[[bytes], None] | None = None) -> None:
        """Hear a topic that nodes publish."""
        wanted = self._recorded.topics.get(name, topic.type)
        if topic.type != wanted:
            raise InputError(f'{name}: got {topic.type}, expected {wanted}, as in the recording')
        callback = callback or partial(self._on_message, name, topic)
        self._heard.append((ros.subscribe(self._node, topic, name, callback, reliable=reliable),
                            callback))

    def _on_drive(self, robot: int, message: DriveMessage, raw: bytes) -> None:
        command = message.read(raw, self._bodies, robot)
        self._on_command(robot, write_command(
            self._command(robot), self._stamp_ns, topics.frame('base_link', robot, self._n),
            command))

    # --- set-up

    def _command(self, robot: int) -> Topic:
        return Topic(topics.CMD_VEL.name, self._recorded.types[robot])

    def _names_of(self, robot: int) -> dict[str, str]:
        """Return the topics that command a robot, with their types."""
        also = [self._messages[robot].topic] if robot in self._messages else []
        return {topic.resolve(robot, self._n): topic.type
                for topic in (self._command(robot), *also)}

    def _advertise(self) -> dict[str, Publisher]:
        publishers: dict[str, Publisher] = {}
        for name, type_name in self._recorded.bag.names().items():
            known = _topic_of(name, self._n)
            if (known is not None and known.name in _ANSWERS) or name in self._recorded.topics:
                continue
            if name in self._recorded.scenario.record_topics:  # of a node that is not there
                known = Topic(name, type_name, latched=True)  # for subscribers of either kind
            if known is None or known.type != type_name:
                self._say(one_line(f'{name} ({type_name}): not played, as it is not a topic of '
                                   'sbot'))
                continue
            try:
                publishers[name] = ros.advertise(self._node, known, name)
            except ImportError:
                self._say(one_line(f'{name}: not played, {type_name.partition("/")[0]} is not '
                                   'installed'))
        return publishers

    def _latched(self) -> None:
        """Publish what is sent once, before anybody listens, as a simulator does."""
        self._sent: set[int] = set()
        wanted = [name for name in self._publishers
                  if (known := _topic_of(name, self._n)) is not None and known.latched]
        begin_ns = self._recorded.scenario.rate.stamp_ns(0)
        for message in self._recorded.bag.messages(wanted) if wanted else ():
            if message.stamp_ns > begin_ns:
                break
            self._publish([message])
            self._sent.add(hash((message.name, message.payload)))

    def _publish(self, messages: Iterable[Message]) -> None:
        for message in messages:
            publisher = self._publishers.get(message.name)
            if publisher is not None and hash((message.name, message.payload)) not in self._sent:
                with self._recorded.bag.named_errors():
                    publisher.publish(canonical(message.payload, message.type))

    def _find(self, patience: float) -> tuple[list[int], ExternalNodes]:
        """Wait for the nodes that drive the robots; return the robots, and the nodes."""
        recorded = self._recorded
        robots = list(recorded.external)
        if not recorded.named:
            names = ', '.join(map(recorded.name, robots[:5])) + ', ...' * (len(robots) > 5)
            missing = [f'a node that publishes {names}']
            self._wait_for(lambda: [] if self._driven_robots() else missing, patience)
        while True:
            found = robots if recorded.named else self._driven_robots()
            nodes = self._nodes_of(found)
            self._wait_for(nodes.missing, patience)
            if recorded.named or found == self._driven_robots():  # none has come in the meantime
                break
        self._wait(self._unconnected, _MATCH)
        for name in recorded.scenario.record_topics:
            if others := ros.publishers_of(self._node, name):
                raise InputError(f'{ros.in_words(name, others)}: add --compare {name}, or leave '
                                 'out the node, and the recorded messages are played')
        return found, nodes

    def _wait_for(self, missing: Callable[[], list[str]], patience: float) -> None:
        """Wait until nobody is missing; raise NodeFailed after ``patience`` s."""
        names = self._wait(missing, patience,
                           lambda names: self._say(f'waiting for {", ".join(names)}'))
        if names:
            raise NodeFailed(f'waited {patience:g} s for {", ".join(names)}')

    def _driven_robots(self) -> list[int]:
        return [i for i in self._recorded.external
                if any(ros.nodes_that_publish(self._node, name) for name in self._names_of(i))]

    def _nodes_of(self, robots: Sequence[int]) -> ExternalNodes:
        return ExternalNodes(self._node, {i: self._names_of(i) for i in robots}, lambda: None,
                             {i: self._recorded.external[i] for i in robots},
                             ', as in the recording', self._triggers(robots),
                             {name: name for name in self._publishers
                              if name != topics.CLOCK.name},
                             recorded=list(self._recorded.topics), listen=self._listen)

    def _triggers(self, robots: Sequence[int]) -> dict[int, list[str]]:
        """Return the topics played on which nodes act, by robot; none where a timer acts."""
        return {i: self._recorded.external[i].acts_on(i, self._n, self._publishers)
                for i in robots}

    def _unconnected(self) -> bool:
        """Tell whether one that subscribes to what we publish is not connected yet."""
        return any(publisher.get_subscription_count() < self._node.count_subscribers(name)
                   for name, publisher in self._publishers.items())


def _topic_of(name: str, num_robots: int) -> Topic | None:
    """Return the topic of a recorded name; None if it is not exactly that of one of sbot's."""
    robot, own = robot_of(name) or (0, name.lstrip('/'))
    topic = topics.BASE_SCAN._replace(name=own) if _LASER.fullmatch(own) else _TABLE.get(own)
    if topic is None or topic.resolve(robot, num_robots) != name:
        return None
    return topic


# What a recording has for a node.


class Recorded(NamedTuple):
    """What a bag has for a replay to nodes."""

    bag: Bag
    scenario: Scenario
    types: Mapping[int, str]  # of the commands, by robot
    external: Mapping[int, External]  # how the nodes of robots take part
    named: bool  # whether all of these robots are driven; else those that a node drives
    topics: Mapping[str, str]  # types of other topics that are compared, by name

    def name(self, robot: int) -> str:
        """Return the topic of a robot's commands."""
        return topics.CMD_VEL.resolve(robot, len(self.scenario.robots))

    def ticks(self) -> Iterator[tuple[int, int, list[Message]]]:
        """Yield number, stamp (ns) and messages of each complete tick.

        Raises
        ------
        InputError
            if the times of its messages are no ticks: another recorder has written them.

        """
        rate = self.scenario.rate
        number, group = 0, list[Message]()
        for message in self.bag.messages():
            if message.stamp_ns != rate.stamp_ns(number):
                if message.stamp_ns != rate.stamp_ns(number + 1):
                    raise InputError(
                        f'{self.bag.path}: {message.name} has a message at '
                        f'{message.stamp_ns / 1e9:g} s, expected one of tick {number} or '
                        f'{number + 1}; use a recording in lockstep, from its start')
                yield number, rate.stamp_ns(number), group
                number, group = number + 1, []
            group.append(message)
        if group and self.bag.complete:
            yield number, rate.stamp_ns(number), group

    @classmethod
    def read(cls, bag: Bag, robots: Collection[int] = (),
             overrides: Mapping[str, object] | None = None,
             compare: Collection[str] = ()) -> Recorded:
        """Return what a bag has for nodes.

        Parameters
        ----------
        bag, robots, overrides, compare : as for ``NodeReplayResult.of``

        Raises
        ------
        InputError
            if the bag is no recording in lockstep, or has no commands of such a robot, or no such
            topic.

        """
        scenario = parse_scenario(bag.scenario_text, f'{bag.path}: scenario', Path.cwd(),
                                  overrides=overrides, import_controllers=False)
        if not scenario.lockstep:
            raise InputError(f'{bag.path}: a replay needs a recording in lockstep; record with '
                             'lockstep: true')
        names, n = bag.names(), len(scenario.robots)
        types = {robot: names[name] for robot in range(n)
                 if (name := topics.CMD_VEL.resolve(robot, n)) in names}
        external = external_robots(scenario)
        for robot in robots:
            if robot not in types:
                raise bad_value('--robot', robot,
                                f'a robot with commands in the bag: {sorted(types)}')
        said = [name for name in scenario.record_topics if name in names]
        for name in compare:
            if name not in said:
                raise bad_value('--compare', name, f'a topic of record_topics in the bag: {said}')
        everybody = () if compare else external.keys() & types.keys() or (() if said else types)
        compare = compare or (() if robots else said)
        chosen = {i: external.get(i, External()) for i in robots or everybody}
        if not chosen and not compare:
            raise InputError(f'{bag.path}: a replay needs commands, e.g. the topic '
                             f'{topics.CMD_VEL.resolve(0, n)}')
        for robot in chosen:
            if types[robot] not in topics.COMMAND_TYPES:
                raise bad_value(f'{bag.path}: type of the commands of robot {robot}', types[robot],
                                ' or '.join(topics.COMMAND_TYPES))
        return cls(bag, scenario, types, dict(sorted(chosen.items())),
                   bool(robots or compare) or not external.keys().isdisjoint(types),
                   {name: names[name] for name in compare})
