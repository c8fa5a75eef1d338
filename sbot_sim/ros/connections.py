# SPDX-License-Identifier: Apache-2.0
"""The simulator's publishers, and checks of connected nodes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial

from rclpy.node import Node
from rclpy.publisher import Publisher

from sbot_common import ros, topics
from sbot_common.errors import InputError, bad_value
from sbot_common.topics import Outgoing, Topic
from sbot_sim.drives.record import Message
from sbot_sim.ros.external import External, in_turns
from sbot_sim.ros.external_nodes import ExternalNodes
from sbot_sim.ros.run_control import AwakeClock

# What other nodes publish, too: that disturbs nobody.
_OFTEN_SHARED = tuple(topic.name for topic in (
    topics.DIAGNOSTICS, topics.TF, topics.TF_STATIC, topics.MAP, topics.MARKERS))
_MATCH = 2.0  # s of wall time that a subscription may take to connect
_WIND = (topics.WIND_VELOCITY, topics.WIND_FORCE, topics.WIND_FIELD)


class Connections:
    """Publishes messages by their topics' names, and checks the connections of lockstep.

    Parameters
    ----------
    node : of the publishers
    first : one message, at least, of each topic that will be published
    awaited : (N,) which robots have a controller
    cmd_vel : topic of the commands
    depth : of the queues
    external : how the nodes of robots take part that lockstep waits for and do not know it
    on_heard : called when those nodes have read what was sent
    messages : what else commands robots
    recorded : topics of such nodes
    on_recorded : called with their messages

    Raises
    ------
    InputError
        if the simulation itself has a topic of ``recorded``.

    """

    def __init__(self, node: Node, first: Iterable[Outgoing], awaited: Sequence[bool],
                 cmd_vel: Topic, depth: int, external: Mapping[int, External] = {},
                 on_heard: Callable[[], None] = lambda: None,
                 messages: Mapping[int, Message] = {}, recorded: Sequence[str] = (),
                 on_recorded: Callable[[Topic, bytes], None] = lambda *_: None) -> None:
        self.field_heard = False  # set it when wind_model's grid has come
        self._node = node
        self._run = topics.run_namespace(node.get_namespace())
        self._awaited = awaited
        self._cmd_vel, self._messages = cmd_vel, messages
        self._awake = AwakeClock()
        self._publishers: dict[str, Publisher] = {}
        missing: set[str] = set()
        for name, topic, _ in first:
            try:
                if name not in self._publishers:
                    self._publishers[name] = ros.advertise(
                        node, topic, topics.within(self._run, name), depth)
            except ImportError:
                missing.add(topic.type.partition('/')[0])
        for package in sorted(missing):
            node.get_logger().info(
                f'{package} is not installed: its topics are recorded, but not published live'
                + ' (sbot up makes it if gcc, g++ and Python.h are installed)'
                * (package == 'tf2_msgs'))
        self._recorded = {self._graph_name(name): name for name in recorded}
        for each in (*node.publishers, *node.subscriptions):
            if each.topic_name in self._recorded:
                raise bad_value('record_topics', self._recorded[each.topic_name],
                                "a topic of a node of yours; a recording has the simulation's")

        def listen(name: str, topic: Topic, reliable: bool) -> None:
            topic = topic._replace(name=self._recorded[name])
            try:
                ros.subscribe(node, topic, name, partial(on_recorded, topic), reliable=reliable)
            except ImportError:
                raise InputError(f'{name}: {topic.type.partition("/")[0]} is not installed, which '
                                 'record_topics needs (docs/ros2_topics.md)') from None
        self.external = ExternalNodes(
            node, {i: self._commands(i) for i in external}, on_heard, external,
            f'; or set cmd_vel_stamped: {str(cmd_vel == topics.CMD_VEL).lower()}',
            {i: [self._graph_name(name)
                 for name in each.acts_on(i, len(awaited), self._publishers)]
             for i, each in external.items()},
            {name: self._graph_name(name) for name in self._publishers
             if name != topics.CLOCK.name},
            [self._graph_name(name) for name in (
                *(topic.name for topic in _WIND),
                *(self._resolve(topic, i) for i, wanted in enumerate(awaited) if wanted
                  for topic in (cmd_vel, topics.GOAL)))], list(self._recorded), listen)

    def publish(self, messages: Iterable[Outgoing]) -> None:
        """Publish messages, except on topics whose type is not installed."""
        for name, _, payload in messages:
            publisher = self._publishers.get(name)
            if publisher is not None:
                publisher.publish(payload)

    def publish_in_turns(self, messages: Sequence[Outgoing]) -> Iterator[Sequence[int]]:
        """Publish messages in turns; yield the teams of external nodes that have got some."""
        for sent, teams in in_turns(messages, self.external.hearers):
            self.publish(sent)
            if teams:
                yield teams

    def missing(self) -> list[str]:
        """Return the names of what to wait for: unconnected nodes, another run."""
        missing = [f'robot {i}' for i in range(len(self._awaited)) if not self._is_connected(i)]
        missing += self.external.missing() or self._late_subscriptions()
        missing += self.others()
        if not (self._publishers[topics.CLOCK.name].get_subscription_count()
                and all(self._count(topic.name) for topic in _WIND)
                and self.field_heard):
            missing.append('wind_model')
        return missing

    def others(self) -> list[str]:
        """Return in words which other run is to end before this one can begin."""
        return [f'another run in this ROS domain to end (it publishes '
                f'{self._graph_name(topic.name)}; ROS_DOMAIN_ID keeps runs apart)'
                for topic in (topics.CLOCK, topics.WIND_VELOCITY) if self._count(topic.name) > 1]

    def goals_announced(self) -> bool:
        """Tell whether every controller has a publisher of goals."""
        return all(self._count(self._resolve(topics.GOAL, i))
                   for i, awaited in enumerate(self._awaited) if awaited)

    def left(self) -> list[str]:
        """Return in words what no external node publishes any more."""
        return self.external.left()

    def refusal(self, text: str) -> InputError:
        """Return lockstep's error for a text of ``foreign``; rivals for a robot are said first."""
        for robot, awaited in enumerate(self._awaited):
            if awaited and (rivals := self.rivals(robot)):
                return InputError(rivals)
        return ros.refusal(text)

    def rivals(self, robot: int) -> str:
        """Return in words which several nodes publish a robot's commands; '' if they do not."""
        name = self._graph_name(self._resolve(self._cmd_vel, robot))
        nodes = ros.publishers_of(self._node, name)
        if not nodes:
            return ''
        text = f'{name}: {" and ".join(nodes)} {"both" if len(nodes) == 2 else "all"} publish it'
        return text + (f'; for a node of your own set robots.{robot}.controller: external'
                       if self._awaited[robot] else ', and lockstep needs exactly one')

    def foreign(self) -> Iterator[str]:
        """Yield in words each topic of the run that has more than one publisher, and whose.

        Another `sbot_sim` that waits for this run to end is none: it publishes nothing.
        """
        groups = [[self._graph_name(name)] for name in (
            *self._publishers, *self._recorded.values(), *(topic.name for topic in _WIND))
            if name not in _OFTEN_SHARED]
        groups += [list(self._commands(i)) for i, awaited in enumerate(self._awaited)
                   if awaited or self.external.node_of(i)]
        own = f'{self._node.get_namespace().rstrip("/")}/{self._node.get_name()}'
        for names in groups:
            nodes = ros.publishers_of(self._node, *names)
            # One node may publish both topics that command a robot.
            if nodes and set(nodes) != {own} and not len(names) > len(set(nodes)):
                yield ros.in_words(' or '.join(names), nodes)

    def _late_subscriptions(self) -> list[str]:
        """Return topics that nodes subscribe to which are not connected yet, for a moment.

        Controllers' messages are sent again, those to external nodes are not.
        """
        late = [name for name, publisher in self._publishers.items()
                if publisher.get_subscription_count() < self._node.count_subscribers(
                    self._graph_name(name))] if self.external.names else []
        if self._awake.lasts('late', bool(late)) < _MATCH:
            return [f'subscriptions to {name}' for name in late]
        self._node.get_logger().warning(
            f'{", ".join(late)}: a subscription is not connected; its quality of service '
            'does not fit (docs/ros2_topics.md)', once=True)
        return []

    def _resolve(self, topic: Topic, robot: int) -> str:
        return topic.resolve(robot, len(self._awaited))

    def _commands(self, robot: int) -> dict[str, str]:
        """Return the names in the graph of what commands a robot, with their types."""
        also = [self._messages[robot].topic] if robot in self._messages else []
        return {self._graph_name(self._resolve(topic, robot)): topic.type
                for topic in (self._cmd_vel, *also)}

    def _graph_name(self, name: str) -> str:
        """Return the name of a topic in the ROS graph: in the run's namespace, remapped."""
        return str(self._node.resolve_topic_name(topics.within(self._run, name)))

    def _count(self, name: str) -> int:
        """Return how many publishers a topic has."""
        return int(self._node.count_publishers(self._graph_name(name)))

    def _is_connected(self, robot: int) -> bool:
        """Tell whether a robot's controller is there, and all controllers hear its pose."""
        hearers = max((self._publishers[name].get_subscription_count() for name in (
            self._resolve(topics.BASE_POSE_GROUND_TRUTH, robot), topics.POSES.name)
            if name in self._publishers), default=0)
        # Where nodes share a process and subscriptions, one is of all of them.
        if hearers < sum(self._awaited) and not (hearers and ros.are_shared()):
            return False
        scan = self._publishers[self._resolve(topics.BASE_SCAN, robot)]
        return not self._awaited[robot] or (
            scan.get_subscription_count() > 0
            and self._count(self._resolve(self._cmd_vel, robot)) > 0)
