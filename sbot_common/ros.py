"""What every rclpy node here does the same way: quality of service, parameters, spinning, ending.

The only module of this package that needs rclpy; import it from a ``node.py`` only.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache, partial
from importlib import import_module
from types import FrameType
from typing import Any, Concatenate, ParamSpec, TypeVar

from sbot_common.errors import InputError
from sbot_common.specs import Spec, VectorSpec
from sbot_common.topics import Topic

try:
    import rclpy
except ImportError:
    raise SystemExit(
        'This needs ROS 2 (rclpy): source a ROS 2 installation, or on x86-64 Linux '
        "run: pip install 'potential_field_bot[ros]'. Without ROS, use: sbot run SCENARIO"
    ) from None

from rcl_interfaces.msg import (
    FloatingPointRange,
    IntegerRange,
    ParameterDescriptor,
    SetParametersResult,
)
from rclpy.clock import Clock
from rclpy.exceptions import ParameterException
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.publisher import Publisher
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from rclpy.signals import SignalHandlerOptions
from rclpy.subscription import Subscription

LOCKSTEP_DEPTH = 100
PATIENCE = 3.0  # s, that a callback has to come to its end after a signal
T = TypeVar('T')
P = ParamSpec('P')


@cache
def ros_class(type_name: str) -> Any:  # noqa: ANN401
    """Return rclpy's class of 'package/msg/Name'; ImportError where it is not installed."""
    package, _, name = type_name.split('/')
    return getattr(import_module(f'{package}.msg'), name)


def qos(topic: Topic, depth: int) -> QoSProfile:
    """Return reliable QoS of a depth; latched topics are transient_local with depth 1."""
    if topic.latched:
        return QoSProfile(depth=1, reliability=ReliabilityPolicy.RELIABLE,
                          durability=DurabilityPolicy.TRANSIENT_LOCAL)
    return QoSProfile(depth=depth, reliability=ReliabilityPolicy.RELIABLE)


def advertise(node: Node, topic: Topic, name: str, depth: int = LOCKSTEP_DEPTH) -> Publisher:
    """Create a publisher whose ``publish`` takes the bytes of ``sbot_common.cdr.encode``."""
    return node.create_publisher(ros_class(topic.type), name, qos(topic, depth))


def now_ns(clock: Clock) -> int:
    """Return the time of a clock without the objects that ``Clock.now`` makes on the way."""
    return int(clock.handle.get_now().nanoseconds)


def read_once(read: Callable[Concatenate[bytes, P], T]) -> Callable[Concatenate[bytes, P], T]:
    """Return a codec that decodes bytes once which several nodes of this process are given."""
    last: tuple[bytes, object, T] | None = None

    def remembered(raw: bytes, /, *options: P.args, **named: P.kwargs) -> T:
        nonlocal last
        if last is None or last[0] is not raw or last[1] != (options, named):
            last = raw, (options, named), read(raw, *options, **named)
        return last[2]
    return remembered


class _Shared:
    """One subscription that serves several nodes of this process."""

    def __init__(self) -> None:
        self.callbacks: list[Callable[[bytes], None]] = []

    def __call__(self, raw: bytes) -> None:
        for callback in self.callbacks:
            callback(raw)


_shared: dict[tuple[str, str, int], tuple[_Shared, Subscription]] | None = None


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
    return sum(len(shared.callbacks) - 1 for (topic, _, _), (shared, _) in (_shared or {}).items()
               if topic == name)


def subscribe(node: Node, topic: Topic, name: str, callback: Callable[[bytes], None],
              depth: int = LOCKSTEP_DEPTH, *, wakes: bool = True,
              expected: bool = False) -> Subscription:
    """Create a subscription whose callback gets the bytes, for a codec in ``messages.py``.

    ``wakes=False``: its messages are looked for when another message or a timer wakes the node
    (``LeanExecutor``); ``expected=True``: each of those comes with one of these. rclpy's own
    executors do not know the difference.
    """
    key = (name, topic.type, depth)
    if _shared is not None and key in _shared:
        shared, subscription = _shared[key]
        shared.callbacks.append(callback)
        subscription.wakes = subscription.wakes or wakes
        subscription.expected = subscription.expected or expected
        return subscription
    receiver: Callable[[bytes], None] = callback
    if _shared is not None and not topic.latched:
        receiver = _Shared()
        receiver.callbacks.append(callback)
    subscription = node.create_subscription(
        ros_class(topic.type), name, receiver, qos(topic, depth), raw=True)
    subscription.wakes, subscription.expected = wakes, expected
    if _shared is not None and isinstance(receiver, _Shared):
        _shared[key] = receiver, subscription
    return subscription


def _descriptor(spec: Spec | VectorSpec) -> ParameterDescriptor:
    text = ' '.join(filter(None, [spec.text, f'[{spec.unit}]' if spec.unit else '',
                                  f'({spec.source})' if spec.source else '']))
    descriptor = ParameterDescriptor(description=text, read_only=not spec.at_runtime,
                                     additional_constraints=f'expected {spec.expected}')
    if isinstance(spec, VectorSpec):
        return descriptor
    bounded = spec.minimum > float('-inf') and spec.maximum < float('inf')
    if bounded and isinstance(spec.default, int) and not isinstance(spec.default, bool):
        descriptor.integer_range = [
            IntegerRange(from_value=int(spec.minimum), to_value=int(spec.maximum))]
    elif bounded and isinstance(spec.default, float):
        descriptor.floating_point_range = [
            FloatingPointRange(from_value=spec.minimum, to_value=spec.maximum)]
    return descriptor


def declare(node: Node, specs: Iterable[Spec | VectorSpec],
            changed: Callable[[dict[str, Any]], None] | None = None) -> dict[str, Any]:
    """Declare parameters with description and range; return their values, checked.

    A bad value at the start raises InputError. ``changed`` is called with the new values (all in
    one dict) after a good change at run time; it may raise InputError to refuse it. A bad value at
    run time is refused with the reason.
    """
    table = {spec.name: spec for spec in specs}
    values: dict[str, Any] = {}
    for spec in table.values():
        dynamic = _descriptor(spec)
        # So that `2` is taken for 2.0, `[1, 0, 0]` for three doubles.
        dynamic.dynamic_typing = isinstance(spec.default, float | tuple)
        if dynamic.dynamic_typing:
            dynamic.floating_point_range = []
        default = list(spec.default) if isinstance(spec.default, tuple) else spec.default
        try:
            value = node.declare_parameter(spec.name, default, dynamic).value
        except ParameterException as error:  # a type or a range that rclpy itself refuses
            reason = ' '.join(str(error).split())
            raise InputError(f'{node.get_name()}: parameter {spec.name}: expected '
                             f'{spec.expected}; {reason}') from None
        values[spec.name] = spec.check(value, f'{node.get_name()}: parameter ')

    def on_set(parameters: Sequence[Parameter]) -> SetParametersResult:
        try:
            new = {p.name: table[p.name].check(p.value, 'parameter ')
                   for p in parameters if p.name in table}
            if new and changed is not None:
                changed(new)
        except InputError as error:
            return SetParametersResult(successful=False, reason=str(error))
        return SetParametersResult(successful=True)

    node.add_on_set_parameters_callback(on_set)
    return values


def run(make_node: Callable[[], Node], arguments: Sequence[str] | None = None) -> int:
    """Initialise rclpy, build one node, spin it until SIGINT, SIGTERM or shutdown.

    Returns the exit code: 0 after a signal, 2 with one line on stderr after InputError, else what
    the node has set as ``exit_code``.
    """
    return run_all(lambda: iter([make_node()]), arguments)


def run_all(make_nodes: Callable[[], Iterator[Node]],
            arguments: Sequence[str] | None = None) -> int:
    """Do as ``run`` with several nodes in one executor; the first sets the exit code."""
    spinning = _hold_back_interrupts()
    rclpy.init(args=list(sys.argv if arguments is None else arguments),
               signal_handler_options=SignalHandlerOptions.ALL)
    nodes: list[Node] = []
    try:
        executor = make_executor()
        for node in make_nodes():
            nodes.append(node)
            executor.add_node(node)
        spinning.set()
        # What is there now stays: looking through it for rubbish again would take a tick or two.
        gc.collect()
        gc.freeze()
        executor.spin()
    except InputError as error:
        print(error, file=sys.stderr)
        return 2
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    except Exception:
        # A signal during the set-up ends the context between any two calls, which then complain.
        if rclpy.ok():
            raise
    finally:
        _ignore_signals()
        for node in nodes:
            close = getattr(node, 'close', None)
            if close is not None:
                close()
        with suppress(RuntimeError):  # a signal may shut down the context at this very moment
            rclpy.try_shutdown()
    return int(getattr(nodes[0], 'exit_code', 0)) if nodes else 0


def _hold_back_interrupts() -> threading.Event:
    """Return what, once set, keeps the first signal from raising an exception.

    rclpy's handler ends the context, which ends ``spin`` after the callback that runs, and calls
    Python's handler as well. An exception that the latter raises out of nowhere, while numba turns
    a result into Python objects, ends the process with a segmentation fault.
    """
    spinning = threading.Event()
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGINT, signal.SIGTERM):
            before = signal.getsignal(number)
            if callable(before):
                signal.signal(number, partial(_hold_back, spinning, before))
    return spinning


def _hold_back(spinning: threading.Event, handler: Callable[..., object], number: int,
               frame: FrameType | None) -> None:
    """Heed a signal, unless it is the first one while the executor spins."""
    if not spinning.is_set():
        handler(number, frame)
        return
    spinning.clear()
    # A callback that never ends shall not keep the node: again, when it has had its time.
    again = threading.Timer(PATIENCE, os.kill, (os.getpid(), number))
    again.daemon = True
    again.start()


def _ignore_signals() -> None:
    """Let nothing short of SIGKILL interrupt the orderly end, e.g. of a recording."""
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)


def make_executor() -> Any:  # noqa: ANN401
    """Return the lean executor where rclpy's internals are as it expects, else rclpy's own."""
    try:
        from sbot_common.executor import LeanExecutor
        return LeanExecutor()
    except (ImportError, AttributeError, TypeError):
        from rclpy.executors import SingleThreadedExecutor
        return SingleThreadedExecutor()
