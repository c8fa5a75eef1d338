"""Publishers and subscriptions of serialized messages, with quality of service."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from typing import Any

from rclpy.clock import Clock
from rclpy.node import Node
from rclpy.publisher import Publisher
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from rclpy.subscription import Subscription

from sbot_common.topics import Topic
from sbot_common.wire.cdr import DamagedMessage

LOCKSTEP_DEPTH = 100


@cache
def ros_class(type_name: str) -> Any:  # noqa: ANN401
    """Return rclpy's class of 'package/msg/Name'; ImportError where it is not installed."""
    package, _, name = type_name.split('/')
    return getattr(import_module(f'{package}.msg'), name)


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


class _Shared:
    """One subscription that serves several nodes of this process."""

    def __init__(self) -> None:
        self.callbacks: list[Callable[[bytes], None]] = []

    def __call__(self, raw: bytes) -> None:
        for callback in self.callbacks:
            callback(raw)


_shared: dict[tuple[str, str, int, bool], tuple[_Shared, Subscription]] | None = None


@contextmanager
def shared_subscriptions() -> Iterator[None]:
    """Let nodes of this process share the subscriptions to topics that are not latched.

    Of a latched topic every node still needs the last message, sent before it subscribed.
    """
    global _shared
    _shared = {}
    try:
        yield
    finally:
        _shared = None


def sharers(name: str) -> int:
    """Return how many callbacks ride on other nodes' subscriptions to a topic."""
    return sum(len(shared.callbacks) - 1 for (topic, *_), (shared, _) in (_shared or {}).items()
               if topic == name)


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
    callback = _without_damaged(node, name, callback)
    key = (name, topic.type, depth, reliable)
    if _shared is not None and key in _shared:
        shared, subscription = _shared[key]
        shared.callbacks.append(callback)
        subscription.wakes = subscription.wakes or wakes
        subscription.awaited += [awaited] if awaited else []
        return subscription
    receiver: Callable[[bytes], None] = callback
    if _shared is not None and not topic.latched:
        receiver = _Shared()
        receiver.callbacks.append(callback)
    subscription = node.create_subscription(
        ros_class(topic.type), name, receiver, qos(topic, depth, reliable), raw=True)
    subscription.wakes, subscription.awaited = wakes, [awaited] if awaited else []
    if _shared is not None and isinstance(receiver, _Shared):
        _shared[key] = receiver, subscription
    return subscription
