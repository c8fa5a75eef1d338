"""Subscribers of a topic: why none of them gets its messages, and the remap that a node lacks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from rclpy.node import Node
from rclpy.qos import QoSCompatibility, qos_check_compatible

from sbot_common.ros.publishers import nodes_that_publish


class Unheard(NamedTuple):
    """Why nobody gets the messages of a topic."""

    why: str  # one line
    cured: bool  # whether the line also says what to change


def unheard(node: Node, names: Sequence[str], listener: str) -> Unheard | None:
    """Return why nobody gets the messages of these topics; None if somebody does.

    Parameters
    ----------
    node : whose graph is read
    names : of the topics in the graph, one or more; others may publish them
    listener : the node that should subscribe to the first one, '/namespace/name'

    """
    misfits = [_misfit(node, name) for name in names if node.count_subscribers(name)]
    if '' in misfits:
        return None
    if misfits:
        return Unheard(misfits[0], cured=True)
    remap = _other_names(node, names[0], listener)
    return Unheard(f'no node subscribes to {names[0]}{remap}', cured=bool(remap))


def _misfit(node: Node, name: str) -> str:
    """Return why the quality of service of no subscription fits a publisher; '' if one does."""
    publishers = node.get_publishers_info_by_topic(name)
    words = ''
    for info in node.get_subscriptions_info_by_topic(name):
        why = [reason for publisher in publishers if (reason := _reason(publisher, info))]
        if len(why) < max(1, len(publishers)):
            return ''
        words = words or (
            f'{info.node_namespace.rstrip("/")}/{info.node_name} subscribes to {name} with a '
            f'quality of service that does not fit: {why[0]}')
    return words


def _reason(publisher: Any, info: Any) -> str:  # noqa: ANN401 - rclpy has no types
    """Return which policy of a subscription (endpoint information) does not fit; '' if all do."""
    offered, wanted = publisher.qos_profile, info.qos_profile
    compatibility, text = qos_check_compatible(offered, wanted)
    if compatibility != QoSCompatibility.ERROR:
        return ''
    different = [f'{policy}: got {theirs}, expected {ours}'
                 for policy in ('durability', 'reliability')
                 if (theirs := getattr(wanted, policy).name) !=
                 (ours := getattr(offered, policy).name)]
    return ', '.join(different) or str(text)


def _other_names(node: Node, name: str, listener: str) -> str:
    """Return the topics of that type to which a node subscribes instead, and the remap."""
    types = {type_name for _, type_name in nodes_that_publish(node, name)}
    place, _, own = listener.rpartition('/')
    found = [other for other, others in
             node.get_subscriber_names_and_types_by_node(own, place or '/')
             if not types.isdisjoint(others)]
    if not found:
        return ''
    first, wanted = found[0], name
    if first.rpartition('/')[0] == name.rpartition('/')[0]:
        first, wanted = first.rpartition('/')[2], name.rpartition('/')[2]
    return f' ({listener} subscribes to {" and ".join(found)}: -r {first}:={wanted})'
