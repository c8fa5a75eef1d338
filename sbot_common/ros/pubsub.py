# SPDX-License-Identifier: Apache-2.0
"""Publishers and subscriptions of bytes, who is at their other end, and a barrier for nodes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache, partial
from importlib import import_module
from itertools import cycle, islice
from typing import Any, TypeVar

from rcl_interfaces.msg import ParameterType
from rcl_interfaces.srv import GetParameters
from rclpy.client import Client
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.publisher import Publisher
from rclpy.qos import (
    DurabilityPolicy,
    QoSCompatibility,
    QoSProfile,
    ReliabilityPolicy,
    qos_check_compatible,
)
from rclpy.subscription import Subscription
from rclpy.task import Future
from rosbags.typesys import get_types_from_msg

from sbot_common.errors import InputError
from sbot_common.topics import Topic
from sbot_common.wire.cdr import DamagedMessage, typestore

T = TypeVar('T')

# Barrier for other nodes: detects when they have processed the messages sent to them.
#
# Every node of rclpy or rclcpp answers requests for its parameters, in the thread that runs its
# callbacks. An executor works in rounds. In each it first looks what is there; then it runs the
# timers that are due, takes one message of each topic, and answers one request. So after one
# message
#
# * the first request may be answered before it, if both came while the executor looked;
# * the second is answered in a later round, so the message has been handled;
# * after /clock, which makes timers due, the third has seen these run; and the fourth has seen
#   those run that were due twice: rcl skips periods that are over, but not one that ends now.
#
# All requests are made at once: they arrive after the message, and what a callback publishes is
# sent before the answer. A message that passes through several nodes needs one pass for each.

REQUESTS = 2  # after a message
CLOCK_REQUESTS = 4  # after /clock
_SIM_TIME = 'use_sim_time'


class Barrier:
    """Asks nodes for a sign that they have handled all that was sent before.

    Parameters
    ----------
    node : that asks
    on_heard : called when the last of those who were asked has answered; never from ``ask``

    """

    def __init__(self, node: Node, on_heard: Callable[[], None] = lambda: None) -> None:
        self._node, self._on_heard = node, on_heard
        self._clients: dict[str, Client] = {}
        self._left: dict[str, int] = {}  # answers to come
        self._again: tuple[list[str], int, int] = [], 0, 0  # names, requests, passes to come
        self._round = 0
        self._sim_time: dict[str, bool | None] = {}  # by node; None: it has no such parameter

    def is_there(self, name: str) -> bool:
        """Tell whether a node, '/namespace/name', offers the service that answers."""
        return bool(self._client(name).service_is_ready())

    def ask(self, names: Iterable[str], requests: int = REQUESTS, passes: int = 1) -> None:
        """Ask nodes; unanswered earlier questions are forgotten.

        ``passes``: the most nodes through which a message goes, one after the other.
        """
        self._round += 1
        self._left = dict.fromkeys(names, requests)
        self._again = list(self._left), requests, passes - 1
        for name in self._again[0]:
            for _ in range(requests):
                self._request(name)

    def silent(self) -> list[str]:
        """Return the nodes that have not answered."""
        return list(self._left)

    def on_wall_time(self, name: str) -> bool:
        """Tell whether a node that has answered has ``use_sim_time: false``."""
        return self._sim_time.get(name) is False

    def _client(self, name: str) -> Client:
        if name not in self._clients:
            self._clients[name] = self._node.create_client(GetParameters, f'{name}/get_parameters')
        return self._clients[name]

    def _request(self, name: str) -> None:
        wanted = [] if name in self._sim_time else [_SIM_TIME]  # each node is asked once
        future = self._client(name).call_async(GetParameters.Request(names=wanted))
        future.add_done_callback(partial(self._on_answer, name, self._round))

    def _on_answer(self, name: str, round_: int, future: Future) -> None:
        answer = future.result()
        if name not in self._sim_time and answer is not None and answer.values:
            value = answer.values[0]
            known = value.type == ParameterType.PARAMETER_BOOL
            self._sim_time[name] = bool(value.bool_value) if known else None
        if round_ != self._round or name not in self._left:
            return
        self._left[name] -= 1
        if self._left[name]:
            return
        del self._left[name]
        if self._left:
            return
        names, requests, passes = self._again
        if passes > 0:
            self.ask(names, requests, passes)
        else:
            self._on_heard()


# Publishers of a topic: which nodes they are, and an error if there is more than one.

_PERIOD = 1.0  # s of wall time between looks
_MOST = 20  # topics a look, each in its turn: many robots hear the poses of many
_NOT_KNOWN_YET = '_NODE_NAME_UNKNOWN_'  # says rmw until it has heard a node's name


def publishers_of(node: Node, *names: str) -> list[str]:
    """Return the nodes that publish a topic, sorted, if there are several publishers; else [].

    None either while the name of one is not known yet. Several topics count as one.
    """
    if sum(map(node.count_publishers, names)) < 2:
        return []
    return sorted(own for name in names for own, _ in nodes_that_publish(node, name))


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


# Subscribers of a topic: why none of them gets its messages, and the remap that a node lacks.

def unheard(node: Node, names: Sequence[str], listener: str) -> tuple[str, bool] | None:
    """Return why nobody gets the messages of these topics; None if somebody does.

    That is one line, and whether it also says what to change.

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
        return misfits[0], True
    remap = _other_names(node, names[0], listener)
    return f'no node subscribes to {names[0]}{remap}', bool(remap)


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


LOCKSTEP_DEPTH = 100


_MSG_NAMES = {'boolean': 'bool', 'octet': 'byte', 'float': 'float32', 'double': 'float64'}


def _learn(type_name: str, kind: Any) -> None:  # noqa: ANN401
    """Add the type of an rclpy class, with those that it uses, unless they are known."""
    if type_name in typestore().types:
        return
    lines = []
    for field, text in kind.get_fields_and_field_types().items():
        lines.append(f'{_as_in_msg(text)} {field}')
        if used := re.search(r'(\w+)/(\w+)', text):
            _learn(f'{used[1]}/msg/{used[2]}', getattr(import_module(f'{used[1]}.msg'), used[2]))
    typestore().register(get_types_from_msg('\n'.join(lines), type_name))


def _as_in_msg(text: str) -> str:
    """Return the type of a field as in a .msg file: 'uint8[<=4]' of 'sequence<uint8, 4>'."""
    if found := re.fullmatch(r'sequence<(.*?)(?:, (\d+))?>', text):
        return f'{_as_in_msg(found[1])}[{f"<={found[2]}" if found[2] else ""}]'
    text = re.sub(r'string<(\d+)>', r'string<=\1', text)
    return re.sub(r'^\w+\b(?!/)', lambda name: _MSG_NAMES.get(name[0], name[0]), text)


@cache
def ros_class(type_name: str) -> Any:  # noqa: ANN401
    """Return rclpy's class of 'package/msg/Name'; ImportError where it is not installed."""
    package, _, name = type_name.split('/')
    kind = getattr(import_module(f'{package}.msg'), name)
    _learn(type_name, kind)  # so that recorders can read it
    return kind


def qos(topic: Topic, depth: int, reliable: bool = True) -> QoSProfile:
    """Return QoS of a depth; latched topics are reliable, transient_local and of depth 1."""
    if topic.latched:
        return QoSProfile(depth=1, reliability=ReliabilityPolicy.RELIABLE,
                          durability=DurabilityPolicy.TRANSIENT_LOCAL)
    return QoSProfile(depth=depth, reliability=(
        ReliabilityPolicy.RELIABLE if reliable else ReliabilityPolicy.BEST_EFFORT))


def advertise(node: Node, topic: Topic, name: str, depth: int = LOCKSTEP_DEPTH) -> Publisher:
    """Create a publisher whose ``publish`` takes the bytes of ``sbot_common.wire.cdr.encode``."""
    return node.create_publisher(ros_class(topic.type), name, qos(topic, depth))


def now_ns(clock: Clock) -> int:
    """Return the time of a clock without the objects that ``Clock.now`` makes on the way."""
    return int(clock.handle.get_now().nanoseconds)


# What nodes of this process have in common: subscriptions, and more by keys of theirs.
_common: dict[Any, Any] | None = None


@contextmanager
def shared_subscriptions() -> Iterator[None]:
    """Let nodes of this process share the subscriptions to topics that are not latched.

    Of a latched topic every node still needs the last message, sent before it subscribed.
    """
    global _common
    _common = {}
    try:
        yield
    finally:
        _common = None


def are_shared() -> bool:
    """Tell whether the nodes of this process share subscriptions."""
    return _common is not None


def in_common(key: Any, make: Callable[[], T]) -> T | None:  # noqa: ANN401 - a tuple
    """Return what the nodes of this process share by a key; None where they share nothing."""
    if _common is None:
        return None
    if key not in _common:
        _common[key] = make()
    found: T = _common[key]
    return found


def _without_damaged(node: Node, name: str,
                     callback: Callable[[bytes], None]) -> Callable[[bytes], None]:
    """Return a callback that ignores damaged messages, which anybody may send."""
    reported = False

    def call(raw: bytes) -> None:
        nonlocal reported
        try:
            callback(raw)
        except DamagedMessage as error:
            if not reported:
                node.get_logger().error(f'{name}: {error}; such messages are ignored')
            reported = True
    return call


def subscribe(node: Node, topic: Topic, name: str, callback: Callable[[bytes], None],
              depth: int = LOCKSTEP_DEPTH, *, wakes: bool = True,
              awaited: Callable[[], bool] | None = None, reliable: bool = True) -> Subscription:
    """Create a subscription whose callback gets the bytes, for a codec in ``messages.py``.

    A message that is damaged (``DamagedMessage``) is ignored; the first of a topic is logged.
    ``wakes=False``: its messages are looked for when another message or a timer wakes the node
    (``LeanExecutor``). While ``awaited`` says that one is still to come, it wakes the node, too.
    rclpy's own executors do not know the difference. ``reliable=False``: best-effort publishers,
    as those of real sensors, are heard too (docs/errata.md P19).
    """
    def make() -> Subscription:
        callbacks: list[Callable[[bytes], None]] = []

        def receive(raw: bytes) -> None:
            for each in callbacks:
                each(raw)
        quality = qos(topic, depth, reliable)
        quality.depth = depth  # of a latched topic, too: only its publisher keeps one
        subscription = node.create_subscription(
            ros_class(topic.type), name, receive, quality, raw=True)
        subscription.callbacks, subscription.wakes, subscription.awaited = callbacks, False, []
        return subscription
    key = (name, topic.type, depth, reliable)
    shared = None if topic.latched else in_common(key, make)
    subscription = make() if shared is None else shared
    subscription.callbacks.append(_without_damaged(node, name, callback))
    subscription.wakes = subscription.wakes or wakes
    subscription.awaited += [awaited] if awaited else []
    return subscription
