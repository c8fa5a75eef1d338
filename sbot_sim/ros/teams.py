"""Teams of nodes that make the commands of external robots, as the ROS graph shows them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from rclpy.node import Node

from sbot_common import ros

# What every node has, and what people send by hand: rviz2 answers once in a picture.
_LEFT_OUT = ('rosout', 'parameter_events', 'clock', 'goal_pose', 'initialpose', 'clicked_point')


class Team(NamedTuple):
    """Nodes of which each hears another's messages, or drives a robot with it."""

    nodes: tuple[str, ...]
    passes: int  # the most nodes through which a message goes; one more where it may go round
    pairs: tuple[tuple[str, str], ...] = ()  # nodes of which the first's messages reach the other


def find_teams(node: Node, drivers: Mapping[int, str], ours: Iterable[str]) -> dict[int, Team]:
    """Return the teams by their first robot.

    Parameters
    ----------
    node : whose graph is read
    drivers : nodes that publish commands, '/namespace/name', by robot
    ours : nodes of the simulation, in no team

    """
    sources = _sources(node, drivers.values(), {*ours, node.get_fully_qualified_name()})
    groups: dict[int, set[str]] = {}
    for robot, driver in drivers.items():
        members = _upstream(driver, sources)
        for other in [i for i, others in groups.items() if not members.isdisjoint(others)]:
            robot, members = min(robot, other), members | groups.pop(other)
        groups[robot] = members
    return {robot: Team(tuple(sorted(members)), _passes(members, sources), tuple(
        (first, name) for name in sorted(members) for first in sorted(_upstream(name, sources))
        if first != name)) for robot, members in groups.items()}


def subscriptions(node: Node, name: str) -> list[str]:
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
            publisher for topic in subscriptions(node, name)
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
