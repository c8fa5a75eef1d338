# SPDX-License-Identifier: Apache-2.0
"""Nodes of users: discovery, teams in the order of their messages, departure.

They drive external robots, or publish topics that are recorded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, ReliabilityPolicy

from sbot_common import ros, topics
from sbot_common.errors import InputError
from sbot_common.topics import Topic
from sbot_sim.ros.external import CURES, HAS_LEFT, External
from sbot_sim.ros.run_control import AwakeClock

# Teams of nodes that make the commands of external robots, as the ROS graph shows them.

# What every node has, and what people send by hand: rviz2 answers once in a picture.
_LEFT_OUT = ('rosout', 'parameter_events', 'clock', 'goal_pose', 'initialpose', 'clicked_point')


class _Team(NamedTuple):
    """Nodes of which each hears another's messages, or drives a robot with it."""

    nodes: tuple[str, ...]
    passes: int  # the most nodes through which a message goes; one more where it may go round
    pairs: tuple[tuple[str, str], ...] = ()  # nodes of which the first's messages reach the other


def _find_teams(node: Node, drivers: Mapping[int, str], ours: Iterable[str]) -> dict[int, _Team]:
    """Return the teams by their first robot.

    Parameters
    ----------
    node : whose graph is read
    drivers : nodes that publish commands, '/namespace/name', by robot; below 0: others
    ours : nodes of the simulation, in no team

    """
    sources = _sources(node, drivers.values(), {*ours, node.get_fully_qualified_name()})
    groups: dict[int, set[str]] = {}
    for robot, driver in drivers.items():
        members = _upstream(driver, sources)
        for other in [i for i, others in groups.items() if not members.isdisjoint(others)]:
            robot, members = min(robot, other), members | groups.pop(other)
        groups[robot] = members
    return {robot: _Team(tuple(sorted(members)), _passes(members, sources), tuple(
        (first, name) for name in sorted(members) for first in sorted(_upstream(name, sources))
        if first != name)) for robot, members in groups.items()}


def _subscriptions(node: Node, name: str) -> list[str]:
    """Return the topics to which a node subscribes; [] of one that has gone."""
    place, _, own = name.rpartition('/')
    try:
        found = node.get_subscriber_names_and_types_by_node(own, place or '/')
    except RuntimeError:  # NodeNameNonExistentError
        return []
    return [topic for topic, _ in found]


def _sources(node: Node, drivers: Iterable[str], ours: set[str]) -> dict[str, list[str]]:
    """Return by node, of all from which commands come, those whose messages it hears."""
    found: dict[str, list[str]] = {}
    waiting = list(drivers)
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        found[name] = sorted({
            publisher for topic in _subscriptions(node, name)
            if topic.rpartition('/')[2] not in _LEFT_OUT
            for publisher, _ in ros.nodes_that_publish(node, topic) if publisher not in ours})
        waiting += found[name]
    return found


def _upstream(driver: str, sources: Mapping[str, list[str]]) -> set[str]:
    found, waiting = {driver}, [driver]
    while waiting:
        new = set(sources[waiting.pop()]) - found
        found |= new
        waiting += new
    return found


def _passes(members: set[str], sources: Mapping[str, list[str]]) -> int:
    most = len(members) + 1
    depth = dict.fromkeys(members, 1)
    for _ in range(most):
        for name in members:
            for source in sources[name]:
                depth[source] = max(depth[source], min(depth[name] + 1, most))
    return max(depth.values())


_SERVICES_AFTER = 10.0  # s of wall time that a node may take to offer its parameters
_PLACED_AFTER = 10.0  # s of wall time for the right node to come where one lacks its namespace
# s of wall time without an answer to the first question: Fast DDS drops an answer whose reader the
# node has not found yet. Once one has come, the two know each other.
_ASKED_AGAIN_AFTER = 5.0
_SETTLED_AFTER = 1.0  # s of wall time without news of its topics, once its constructor has ended
# s, where nodes send messages to each other: nobody else sees whether they have found each other.
_MATCHED_AFTER = 4.0


class ExternalNodes:
    """Nodes that publish what is waited for, and their word that they have read.

    That is the commands of external robots, by robot, and topics that are recorded, by -1, -2, ...

    Parameters
    ----------
    node : of the simulator
    names : of the topics in the ROS graph that command a robot, with their types, by robot
    on_heard : called when the nodes that were asked have read what was sent
    external : how the nodes take part, by robot
    other_type : what lets a node have the other type of commands, for an error; '': nothing
    triggers : topics that are published and on which nodes act, by robot; those with a timer
        have none
    published : names in the ROS graph of the topics that the simulator publishes, by its own name
    ours : topics whose publishers are nodes of the simulation
    recorded : names in the ROS graph of the topics that are recorded
    listen : called with such a name, its topic, and whether it is reliable, once a node has it

    """

    def __init__(self, node: Node, names: Mapping[int, Mapping[str, str]],
                 on_heard: Callable[[], None], external: Mapping[int, External],
                 other_type: str = '', triggers: Mapping[int, Sequence[str]] = {},
                 published: Mapping[str, str] = {}, ours: Sequence[str] = (),
                 recorded: Sequence[str] = (),
                 listen: Callable[[str, Topic, bool], None] = lambda *_: None) -> None:
        self._node, self._robots = node, names
        self._recorded = {-1 - k: name for k, name in enumerate(recorded)}
        self.names = {**{i: [*own] for i, own in names.items()},
                      **{i: [name] for i, name in self._recorded.items()}}
        self._listen, self._heard = listen, set[str]()
        self._external, self._other_type = external, other_type
        self._triggers, self._published, self._ours = triggers, published, ours
        self._teams: dict[int, _Team] = {}
        self.hearers: dict[str, list[int]] = {}  # teams that subscribe, by a topic's own name
        self._rivals: list[str] = []  # pairs of nodes that hear the same
        self._settled: float | None = None  # since when these are so, s of that clock
        self._barrier = ros.Barrier(node, on_heard)
        self._nodes: dict[int, str] = {}  # by robot, once they are found
        self._awake = AwakeClock()
        self._mute: set[str] = set()  # they offer no parameters, so they cannot be asked
        self._greeted: float | None = None  # when all were asked for a first time, or again
        self._checked: set[str] = set()  # they have had a warning about their time

    def missing(self) -> list[str]:
        """Return in words whom to wait for before tick 0; asks those that are there.

        Raises
        ------
        InputError
            if a node has another type of commands, lacks its namespace, or has a timer on the
            wall clock, or if nobody gets a trigger: no subscription, or one whose quality of
            service does not fit.

        """
        if not self.names:
            return []
        lacking = [f'robot {i} (external: {why})' for i, names in self._robots.items()
                   if (why := self._lacks(i, names))]
        lacking += [why for i, name in self._recorded.items()
                    if (why := self._lacks_topic(i, name))]
        if lacking:
            self._greeted = None
            return lacking
        # A node answers when its constructor has ended: then its timers run, and count from 0.
        silent = self._greet()
        if silent:
            return [f'external node {name} to run its callbacks' for name in silent]
        self._check_time()
        unsettled = self._unsettled()
        if not unsettled:
            self._check_heard()
            if self._rivals:
                self._node.get_logger().warning(
                    f'{self._rivals[0]}, and the first sends messages to the other; which '
                    'come first is chance, so runs may differ (docs/lockstep.md)', once=True)
        return unsettled

    def _greet(self) -> list[str]:
        """Ask all nodes once, and the silent ones again; return those that have not answered."""
        now, silent = self._awake(), self._barrier.silent()
        if self._greeted is None:
            silent = [name for name in dict.fromkeys(self._nodes.values())
                      if name not in self._mute]
        elif now - self._greeted < _ASKED_AGAIN_AFTER:
            return silent
        if silent:
            self._barrier.ask(silent)
        self._greeted = now
        return self._barrier.silent()

    def _unsettled(self) -> list[str]:
        """Find out who hears what; return in words that this has still to show."""
        ours = {name for topic in self._ours for name, _ in ros.nodes_that_publish(
            self._node, topic)}
        teams = _find_teams(self._node, self._nodes, ours)
        heard = {name: set(_subscriptions(self._node, name))
                 for team in teams.values() for name in team.nodes}
        hearers = {own: [i for i, team in teams.items()
                         if any(name in heard[each] for each in team.nodes)]
                   for own, name in self._published.items()}
        if self._settled is None or (teams, hearers) != (self._teams, self.hearers):
            self._teams, self.hearers, self._settled = teams, hearers, self._awake()
            published = set(self._published.values())
            self._rivals = [f'{first} and {name} both hear {min(common)}'
                            for team in teams.values() for first, name in team.pairs
                            if (common := heard[first] & heard[name] & published)]
        alone = all(len(team.nodes) == 1 for team in teams.values())
        return ['the topics of external nodes to be known'] * (
            self._awake() - self._settled < (_SETTLED_AFTER if alone else _MATCHED_AFTER))

    def _check_heard(self) -> None:
        """Refuse a scan under another name or of another quality; and a trigger for nobody."""
        for i, names in self._triggers.items():
            found = ros.unheard(self._node, names, self._nodes[i]) if names else None
            if found is None:
                continue
            why, cured = found
            if cured:
                raise InputError(f'robot {i}: {why}')
            if not self._external[i].optional:
                raise InputError(f'robot {i}: {why}; {self._nodes[i]} is to act on it; {CURES}')

    def _check_time(self) -> None:
        """Refuse timers on the wall clock; warn of nodes that may have some."""
        for i, node in self._nodes.items():
            if not self._barrier.on_wall_time(node):
                continue
            if i in self._external and self._external[i].timed:
                raise InputError(f'robot {i}: command_period needs simulated time; start {node} '
                                 'with -p use_sim_time:=true')
            if node in self._checked:
                continue
            self._checked.add(node)
            self._node.get_logger().warning(
                f'{self._name_of(i)}: {node} has use_sim_time: false; if it has a timer or calls '
                'now(), runs differ; start it with -p use_sim_time:=true')

    def ask(self, teams: Iterable[int], requests: int = ros.REQUESTS) -> None:
        """Ask teams whether they have handled their messages."""
        found = [self._teams[i] for i in teams if i in self._teams]
        self._barrier.ask(
            [name for team in found for name in team.nodes if self._barrier.is_there(name)],
            requests, max((team.passes for team in found), default=1))

    def silent(self) -> list[str]:
        """Return the nodes that have not answered."""
        return self._barrier.silent()

    def teams(self) -> list[int]:
        """Return the teams, each by its first robot."""
        return list(self._teams)

    def node_of(self, robot: int) -> str:
        """Return the node that drives a robot; '' while none is known."""
        return self._nodes.get(robot, '')

    def left(self) -> list[str]:
        """Return in words what no node publishes any more, and whose it was."""
        return [f'{self._name_of(i)} ({self._nodes[i]}) {HAS_LEFT} '
                + ('it' if i in self._recorded else 'its cmd_vel')
                for i, names in self.names.items()
                if not any(self._node.count_publishers(name) for name in names)]

    def _name_of(self, i: int) -> str:
        return self._recorded.get(i, f'robot {i}')

    def _lacks_topic(self, i: int, name: str) -> str:
        """Return in words what is not there of a topic that is recorded; '' if all is."""
        found = self._node.get_publishers_info_by_topic(name)
        nodes = ros.nodes_that_publish(self._node, name)
        if not nodes:
            return f'a node that publishes {name} (record_topics)'
        if name not in self._heard:
            quality = found[0].qos_profile
            latched = quality.durability == DurabilityPolicy.TRANSIENT_LOCAL
            self._heard.add(name)
            self._listen(name, Topic(name, nodes[0][1], latched),
                         quality.reliability == ReliabilityPolicy.RELIABLE)
        return self._cannot_ask(i, nodes[0][0])

    def _lacks(self, robot: int, names: Mapping[str, str]) -> str:
        """Return in words what is not there of a robot's node; '' if all is."""
        name, found = next(((name, found) for name in names
                            if (found := ros.nodes_that_publish(self._node, name))),
                           (next(iter(names)), []))
        if not found and (count := self._node.count_publishers(name)):
            # For a moment, or where a process has shut down its context, but has not ended.
            return (f'{name} has {count} publisher{"s" * (count > 1)}, of which one does not tell '
                    'its node; maybe its process was left behind, or is in a container '
                    'without --ipc host')
        if not found:
            astray, above = self._astray(robot, name.rpartition('/')[0])
            wanted = 'a node that publishes ' + ' or '.join(
                f'{kind} on {each}' for each, kind in names.items()) + astray
            if self._awake.lasts('a wrong place', above) > _PLACED_AFTER:
                raise InputError(f'robot {robot} needs {wanted}')
            return wanted
        node, type_name = found[0]
        if all(each != names[name] for _, each in found):
            other = self._other_type if type_name in topics.COMMAND_TYPES else ''
            raise InputError(
                f'{name}: got {type_name} from {node}, expected {names[name]}{other}')
        return self._cannot_ask(
            robot, next(node for node, each in found if each == names[name]))

    def _cannot_ask(self, i: int, node: str) -> str:
        """Return in words what a node does not offer yet; '' if it does, or never will.

        Raises
        ------
        InputError
            if it never will, and nothing else tells when it has read its inputs.

        """
        self._nodes[i] = node
        known = self._awake.lasts(node)
        if node in self._mute or self._barrier.is_there(node):
            return ''
        if known < _SERVICES_AFTER:
            return f'{node} to offer {node}/get_parameters'
        text = (f'{self._name_of(i)}: {node} offers no {node}/get_parameters, so the simulator '
                'cannot know when it has read its inputs')
        if i in self._recorded:
            raise InputError(text)
        if self._external[i].optional:
            raise InputError(f'{text}; if it gives one command after each scan, set parameters: '
                             '{trigger: base_scan}')
        self._mute.add(node)
        self._node.get_logger().warning(f'{text}; runs may differ')
        return ''

    def _astray(self, robot: int, place: str) -> tuple[str, bool]:
        """Return in words who publishes commands for a robot that there is not; '' if nobody.

        And whether that is above the place of ``robot``: then only the namespace is missing.
        """
        wanted = {name.rpartition('/')[2]: kind for name, kind in self._robots[robot].items()}
        types = {*topics.COMMAND_TYPES, *wanted.values()}
        found = ('', False)
        for name, kinds in self._node.get_topic_names_and_types():
            there, _, own = name.rpartition('/')
            above = there != place and f'{place}/'.startswith(f'{there}/')
            if own in wanted and not types.isdisjoint(kinds) and (
                    above or not self._node.count_subscribers(name)):
                for node, _ in ros.nodes_that_publish(self._node, name):
                    if above:
                        hint = (f'it with -r __ns:={place}' if len(self._robots) == 1 else
                                'one node for each robot, with -r __ns:={namespace} in --node')
                        return f'; {node} publishes {name}: start {hint}', True
                    if not found[0]:
                        found = f'; {node} publishes {name}, but no robot has that', False
        return found
