"""A lean single-threaded executor for nodes that exchange many small messages.

rclpy's own executor builds a wait set, two dozen context managers and a task for each message.
This one keeps its wait set, takes every waiting message of all subscriptions at once, and calls
the callback directly. It waits for as little as it must, because the middleware hooks each entity
into the wait and out again, and because every message waited for is a wake-up:

* Subscriptions with ``wakes=False`` (``ros.subscribe``), and rclpy's own to /clock in nodes
  without timers, are looked at when another wakes the node. When one with ``expected=True`` was
  found empty then, what belongs together is still arriving: the next wait is for these, too.
* Services are looked at many times a second.

Whatever is rarer (events, clients, waitables) is left to rclpy's executor, twice a second.
"""

from __future__ import annotations

from time import monotonic_ns
from typing import Any, NamedTuple

from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.impl.implementation_singleton import rclpy_implementation as _rclpy

_RARE_PERIOD_NS = 500_000_000
_SERVICE_PERIOD_NS = 20_000_000
_ONE_SERVICE_NS = 200_000  # at least this much of the period for each service, as looking costs


class _Entities(NamedTuple):
    """What the nodes consist of."""

    all_subscriptions: list[tuple[Any, bool, bool]]  # with: wakes, expected with what wakes
    subscriptions: list[Any]  # those that may be waited for
    waking: list[Any]  # those of them that wake their nodes
    timers: list[Any]
    services: list[Any]


class LeanExecutor(SingleThreadedExecutor):  # type: ignore[misc]
    """Spins the nodes added to it; callbacks are plain functions, run one after the other."""

    def __init__(self, **options: Any) -> None:  # noqa: ANN401
        self._changed = True
        super().__init__(**options)

    def wake(self) -> None:
        """Look at the nodes again: rclpy calls this when an entity is created or destroyed."""
        self._changed = True
        super().wake()

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
        incomplete = True
        rare_due = services_due = 0
        while not self._is_shutdown:
            if not self._context.ok():
                raise ExternalShutdownException()
            if self._changed:
                self._changed = False
                entities = self._entities()
                wait_set = self._make_wait_set(entities)
                period = max(_SERVICE_PERIOD_NS, _ONE_SERVICE_NS * len(entities.services))
                incomplete = True
            waited_for = entities.subscriptions if incomplete else entities.waking
            self._fill(wait_set, waited_for, entities.timers)
            wait_set.wait(period)
            if not self._context.ok():
                raise ExternalShutdownException()
            incomplete = self._take_all(entities, wait_set.get_ready_entities('subscription'))
            due = set(wait_set.get_ready_entities('timer'))
            for timer in entities.timers:
                # A callback may have cancelled or reset a timer that was ready a moment ago.
                if timer.handle.pointer in due and timer.is_ready():
                    timer.handle.call_timer()
                    timer.callback()
            now = monotonic_ns()
            if now > services_due:
                services_due = now + period
                for service in entities.services:
                    self._serve(service)
            if now > rare_due:
                rare_due = now + _RARE_PERIOD_NS
                self._spin_rare()

    def _take_all(self, entities: _Entities, ready: list[int]) -> bool:
        """Pass on what has arrived; tell whether a companion of it is still missing."""
        pointers = set(ready)
        incomplete = False
        for subscription, wakes, expected in entities.all_subscriptions:
            if not wakes:
                incomplete |= not self._drain(subscription) and expected
            # What was not ready before may have come after what others were to hear first.
            elif subscription.handle.pointer in pointers:
                self._drain(subscription)
        return incomplete and bool(pointers)

    def _entities(self) -> _Entities:
        nodes = self.get_nodes()
        all_subscriptions = []
        for node in nodes:
            timers = list(node.timers)
            for subscription in node.subscriptions:
                own_clock = subscription.topic_name == '/clock' and not subscription.raw
                wakes = getattr(subscription, 'wakes', not own_clock or bool(timers))
                expected = getattr(subscription, 'expected', False)
                all_subscriptions.append((subscription, wakes, expected))
        return _Entities(all_subscriptions,
                         [s for s, wakes, expected in all_subscriptions if wakes or expected],
                         [s for s, wakes, _ in all_subscriptions if wakes],
                         [t for n in nodes for t in n.timers],
                         [s for n in nodes for s in n.services])

    def _make_wait_set(self, entities: _Entities) -> Any:  # noqa: ANN401
        return _rclpy.WaitSet(len(entities.subscriptions), 2, len(entities.timers), 0, 0, 0,
                              self._context.handle)

    def _fill(self, wait_set: Any, subscriptions: list[Any], timers: list[Any]) -> None:  # noqa: ANN401
        wait_set.clear_entities()
        for subscription in subscriptions:
            wait_set.add_subscription(subscription.handle)
        for timer in timers:
            wait_set.add_timer(timer.handle)
        wait_set.add_guard_condition(self._guard.handle)
        wait_set.add_guard_condition(self._sigint_gc.handle)

    def _drain(self, subscription: Any) -> bool:  # noqa: ANN401
        """Pass on all waiting messages; tell whether there was one."""
        found = False
        while True:
            taken = subscription.handle.take_message(subscription.msg_type, subscription.raw)
            if taken is None:
                return found
            found = True
            subscription.callback(taken[0])

    @staticmethod
    def _serve(service: Any) -> None:  # noqa: ANN401
        """Answer all waiting requests."""
        while True:
            request, header = service.handle.service_take_request(service.srv_type.Request)
            if header is None:
                return
            response = service.callback(request, service.srv_type.Response())
            service.send_response(response, header)

    def _spin_rare(self) -> None:
        """Let rclpy's executor serve what this one does not."""
        for _ in range(2):
            if self._context.ok():
                self.spin_once(0.0)
