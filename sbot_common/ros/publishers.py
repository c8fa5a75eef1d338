"""Publishers of a topic: which nodes they are, and an error if there is more than one."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle, islice

from rclpy.clock import Clock, ClockType
from rclpy.node import Node

from sbot_common.errors import InputError

_PERIOD = 1.0  # s of wall time between looks
_MOST = 20  # topics a look, each in its turn: many robots hear the poses of many
_NOT_KNOWN_YET = '_NODE_NAME_UNKNOWN_'  # says rmw until it has heard a node's name


def publishers_of(node: Node, name: str) -> list[str]:
    """Return the nodes that publish a topic, sorted, if there are several publishers; else [].

    None either while the name of one is not known yet.
    """
    if node.count_publishers(name) < 2:
        return []
    return [own for own, _ in nodes_that_publish(node, name)]


def nodes_that_publish(node: Node, name: str) -> list[tuple[str, str]]:
    """Return the publishers of a topic as node and type, sorted; [] while one is not known."""
    found = node.get_publishers_info_by_topic(name)
    if any(info.node_name == _NOT_KNOWN_YET for info in found):
        return []
    return sorted((f'{info.node_namespace.rstrip("/")}/{info.node_name}', info.topic_type)
                  for info in found)


def in_words(name: str, nodes: Sequence[str]) -> str:
    """Return that a topic has several publishers, and which nodes they are."""
    return f'{name} has {len(nodes)} publishers ({", ".join(nodes)})'


def refusal(text: str) -> InputError:
    """Return the error for several publishers, ``in_words``, where a run is in lockstep."""
    return InputError(f'{text}, and lockstep needs exactly one; give each run its own '
                      'ROS_DOMAIN_ID')


def watch_publishers(node: Node, names: Sequence[str], lockstep: bool) -> None:
    """Check every second whether other nodes also publish the topics that a node receives.

    In lockstep that is an InputError, out of the executor; else a warning, once a topic. Several
    nodes of one name are none: a simulator that waits for another to end publishes nothing.

    Parameters
    ----------
    node : which hears
    names : of the topics, as it has subscribed to them
    lockstep : of the run

    """
    wanted = cycle(names)
    reported = set[str]()

    def look() -> None:
        for name in islice(wanted, min(_MOST, len(names))):
            actual = str(node.resolve_topic_name(name))
            nodes = publishers_of(node, actual)
            text = in_words(actual, nodes)
            if len(set(nodes)) < 2 or text in reported:
                continue
            if lockstep:
                raise refusal(text)
            reported.add(text)
            node.get_logger().warning(f'{text}, expected one')
    # Wall time even with use_sim_time: nothing may move while somebody disturbs the run.
    node.create_timer(_PERIOD, look, clock=Clock(clock_type=ClockType.STEADY_TIME))
