# SPDX-License-Identifier: Apache-2.0
"""Single-threaded rclpy executor for nodes that exchange many small messages.

rclpy's own executor builds a wait set, two dozen context managers and a task for each message.
This one keeps its wait set, takes every waiting message of all subscriptions at once, and calls
the callback directly. It waits for as little as it must, because the middleware hooks each entity
into the wait and out again, and because every message waited for is a wake-up:

* Subscriptions with ``wakes=False`` (``ros.subscribe``), and rclpy's own to /clock in nodes
  without timers, are looked at when another wakes the node. What is found empty then, and
  ``awaited``, is still arriving: the next wait is for these, too.
* Those subscriptions are looked at every 20 ms in any case, and so are services, of many nodes
  some of them in turn.

Answers to requests wake it, and are heard after all messages that were sent before them. Whatever
is rarer (events, waitables) is left to rclpy's executor, once per second of up to ten nodes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from inspect import iscoroutinefunction
from itertools import cycle, islice
from time import monotonic_ns
from typing import Any, NamedTuple

from rclpy.client import Client
from rclpy.executors import (
    ExternalShutdownException,
    ShutdownException,
    SingleThreadedExecutor,
    TimeoutException,
)
from rclpy.impl.implementation_singleton import rclpy_implementation as _rclpy

from sbot_common.topics import CLOCK

_POLL_PERIOD_NS = 20_000_000
_NODES = 10  # looked at in a period; of more nodes each in its turn, for looking takes time
_SERVICES = 6 * _NODES
_RARE_PERIOD_NS = 1_000_000_000
# What is called beside the documented interface; ``LeanExecutor`` refuses to work without it.
_INTERNALS = (_rclpy.Subscription.take_message, _rclpy.Subscription.pointer,
              _rclpy.Timer.call_timer, _rclpy.Timer.is_timer_ready,
              _rclpy.Service.service_take_request, _rclpy.Client.take_response,
              _rclpy.WaitSet.get_ready_entities)


class _Source(NamedTuple):
    """A subscription, with what taking its messages needs."""

    handle: Any
    pointer: int
    kind: Any  # class of its messages
    raw: bool
    callback: Callable[[Any], None]
    wakes: bool
    awaited: list[Callable[[], bool]]  # each tells whether one is to come before a turn


class _Entities(NamedTuple):
    """What the nodes consist of."""

    sources: list[_Source]
    waking: list[_Source]
    timers: list[Any]
    services: list[Any]
    clients: list[Any]


def _unless_negative(callback: Callable[[Any], None]) -> Callable[[Any], None]:
    """Return rclpy's callback for /clock without times that it would raise for."""
    def call(message: Any) -> None:  # noqa: ANN401
        if message.clock.sec >= 0:
            callback(message)
    return call


class LeanExecutor(SingleThreadedExecutor):  # type: ignore[misc]
    """Spins the nodes added to it; callbacks are plain functions, run one after the other.

    Raises AttributeError or TypeError where rclpy's internals are not as it expects.
    """

    def __init__(self, **options: Any) -> None:  # noqa: ANN401
        self._changed = True
        self._missing: list[_Source] = []  # what a turn still waits for
        super().__init__(**options)
        self._wait(self._make_wait_set(0, 0, 0), [], [], [], 0)

    def wake(self) -> None:
        """Rebuild the wait set: rclpy calls this when an entity is created or destroyed."""
        self._changed = True
        super().wake()

    def add_node(self, node: Any) -> bool:  # noqa: ANN401
        """Add a node; True unless it is here already."""
        self._changed = True
        return bool(super().add_node(node))

    def remove_node(self, node: Any) -> None:  # noqa: ANN401
        """Remove a node."""
        self._changed = True
        super().remove_node(node)

    def spin(self) -> None:
        """Run callbacks until the context is shut down (then ExternalShutdownException)."""
        try:
            self._spin()
        except Exception as error:
            # A signal may end the context between any two calls into rcl, which then complain.
            if self._context.ok() or isinstance(error, ExternalShutdownException):
                raise
            raise ExternalShutdownException() from None

    def _spin(self) -> None:
        poll_due = rare_due = 0
        served: Iterator[Any] = cycle(())
        rare_nodes: list[Any] = []
        while not self._is_shutdown:
            if not self._context.ok():
                raise ExternalShutdownException()
            if self._changed:
                self._changed = False
                entities = self._entities()
                wait_set = self._make_wait_set(len(entities.sources), len(entities.timers),
                                               len(entities.clients))
                self._missing.clear()
                poll_due = 0
                served = cycle(entities.services)
            ready = self._wait(wait_set, entities.waking + self._missing, entities.timers,
                               entities.clients, _POLL_PERIOD_NS)
            if not self._context.ok():
                raise ExternalShutdownException()
            now = monotonic_ns()
            polling = now >= poll_due
            due = any(timer.handle.is_timer_ready() for timer in entities.timers)
            if ready or due or polling:
                self._take_all(entities.sources, ready)
            for client in entities.clients:
                if not self._changed:
                    self._hear(client, entities.sources)
            for timer in entities.timers:
                # A callback may have cancelled, reset or destroyed a timer, and /clock makes some
                # due that were not.
                if not self._changed and timer.handle.is_timer_ready():
                    timer.handle.call_timer()
                    timer.callback()
            if polling:
                poll_due = now + _POLL_PERIOD_NS
                for service in islice(served, min(_SERVICES, len(entities.services))):
                    self._serve(service)
                if now >= rare_due:
                    rare_due = now + _RARE_PERIOD_NS // min(_NODES, max(1, len(self.get_nodes())))
                    rare_nodes = rare_nodes or self.get_nodes()
                    if rare_nodes:
                        self._serve_rest(rare_nodes.pop(), entities.sources)

    def _take_all(self, sources: list[_Source], ready: set[int]) -> None:
        """Pass on what has arrived, and note what is still to come."""
        empty = []
        for source in sources:
            if self._changed:  # a callback has created or destroyed something: look again
                return
            if source.wakes:
                # What was not ready before may have come after what others were to hear first.
                if source.pointer in ready:
                    self._drain(source)
            elif not self._drain(source):
                empty.append(source)
        self._missing = [source for source in empty if any(ask() for ask in source.awaited)]

    def _entities(self) -> _Entities:
        sources, timers, services, clients = [], [], [], []
        for node in self.get_nodes():
            node_timers = list(node.timers)
            timers += node_timers
            # Rarer than plain functions, and served with the rest.
            services += [s for s in node.services if not iscoroutinefunction(s.callback)]
            clients += list(node.clients)
            clock = node.resolve_topic_name(CLOCK.name)
            for s in node.subscriptions:
                own_clock = s.topic_name == clock and not s.raw
                sources.append(_Source(
                    s.handle, s.handle.pointer, s.msg_type, s.raw,
                    _unless_negative(s.callback) if own_clock else s.callback,
                    getattr(s, 'wakes', not own_clock or bool(node_timers)),
                    getattr(s, 'awaited', [])))
        return _Entities(sources, [s for s in sources if s.wakes], timers, services, clients)

    def _make_wait_set(self, subscriptions: int, timers: int, clients: int) -> Any:  # noqa: ANN401
        return _rclpy.WaitSet(subscriptions, 2, timers, clients, 0, 0, self._context.handle)

    def _wait(self, wait_set: Any, sources: list[_Source], timers: list[Any],  # noqa: ANN401
              clients: list[Any], timeout_ns: int) -> set[int]:
        """Wait; return pointers of the sources that have messages."""
        wait_set.clear_entities()
        for source in sources:
            wait_set.add_subscription(source.handle)
        for timer in timers:
            wait_set.add_timer(timer.handle)
        for client in clients:
            wait_set.add_client(client.handle)
        wait_set.add_guard_condition(self._guard.handle)
        wait_set.add_guard_condition(self._sigint_gc.handle)
        wait_set.wait(timeout_ns)
        return set(wait_set.get_ready_entities('subscription'))

    @staticmethod
    def _drain(source: _Source) -> bool:
        """Pass on all waiting messages; tell whether there was one."""
        handle, _, kind, raw, callback, _, _ = source
        found = False
        while True:
            try:
                taken = handle.take_message(kind, raw)
            except _rclpy.RCLError:  # its bytes are damaged, which only typed messages tell
                if raw:
                    raise
                return True
            if taken is None:
                return found
            found = True
            callback(taken[0])

    def _hear(self, client: Any, sources: list[_Source]) -> None:  # noqa: ANN401
        """Hand waiting answers to those who asked, after the messages that came before them."""
        while not self._changed:
            header, response = client.handle.take_response(client.srv_type.Response)
            if header is None:
                return
            for source in sources:
                self._drain(source)
            try:
                future = client.get_pending_request(header.request_id.sequence_number)
            except KeyError:  # nobody waits for it any more
                continue
            future.set_result(response)

    @staticmethod
    def _serve(service: Any) -> None:  # noqa: ANN401
        """Answer all waiting requests."""
        while True:
            request, header = service.handle.service_take_request(service.srv_type.Request)
            if header is None:
                return
            response = service.callback(request, service.srv_type.Response())
            service.send_response(response, header)

    def _serve_rest(self, node: Any, sources: list[_Source]) -> None:  # noqa: ANN401
        """Let rclpy's executor do what this one does not, until nothing is left."""
        for _ in range(8):
            try:
                handler, entity, _ = self.wait_for_ready_callbacks(0.0, [node])
            except (TimeoutException, ShutdownException):
                return
            if isinstance(entity, Client):  # rclpy's may take an answer before earlier messages
                for source in sources:
                    self._drain(source)
            handler()
            if handler.exception() is not None:
                raise handler.exception()
