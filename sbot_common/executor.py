"""A lean single-threaded executor for nodes that exchange many small messages.

rclpy's own executor builds a wait set, two dozen context managers and a task for each message.
This one keeps its wait set, takes every waiting message of a ready subscription at once, and calls
the callback directly. Whatever is rarer (guard conditions, events, clients) is left to rclpy's
executor.
"""

from __future__ import annotations

from time import monotonic_ns
from typing import Any

from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.impl.implementation_singleton import rclpy_implementation as _rclpy

_RARE_PERIOD_NS = 100_000_000


class LeanExecutor(SingleThreadedExecutor):  # type: ignore[misc]
    """Spins the nodes added to it; callbacks are plain functions, run one after the other."""

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
        entities = None
        rare_due = 0
        while not self._is_shutdown:
            if not self._context.ok():
                raise ExternalShutdownException()
            current = self._entities()
            if entities is None or current != entities:
                entities = current
                wait_set = self._make_wait_set(entities)
            subscriptions, timers, _ = entities
            self._fill(wait_set, entities)
            wait_set.wait(_RARE_PERIOD_NS)
            if not self._context.ok():
                raise ExternalShutdownException()
            ready = set(wait_set.get_ready_entities('subscription'))
            for subscription in subscriptions:
                if subscription.handle.pointer in ready:
                    self._drain(subscription)
            due = set(wait_set.get_ready_entities('timer'))
            for timer in timers:
                # A callback may have cancelled or reset a timer that was ready a moment ago.
                if timer.handle.pointer in due and timer.is_ready():
                    timer.handle.call_timer()
                    timer.callback()
            now = monotonic_ns()
            if now > rare_due or wait_set.get_ready_entities('service'):
                rare_due = now + _RARE_PERIOD_NS
                self._spin_rare()

    def _entities(self) -> tuple[list[Any], list[Any], list[Any]]:
        nodes = self.get_nodes()
        return ([s for n in nodes for s in n.subscriptions],
                [t for n in nodes for t in n.timers],
                [s for n in nodes for s in n.services])

    def _make_wait_set(self, entities: tuple[list[Any], list[Any], list[Any]]) -> Any:  # noqa: ANN401
        subscriptions, timers, services = entities
        return _rclpy.WaitSet(len(subscriptions), 2, len(timers), 0, len(services), 0,
                              self._context.handle)

    def _fill(self, wait_set: Any, entities: tuple[list[Any], list[Any], list[Any]]) -> None:  # noqa: ANN401
        subscriptions, timers, services = entities
        wait_set.clear_entities()
        for subscription in subscriptions:
            wait_set.add_subscription(subscription.handle)
        for timer in timers:
            wait_set.add_timer(timer.handle)
        for service in services:
            wait_set.add_service(service.handle)
        wait_set.add_guard_condition(self._guard.handle)
        wait_set.add_guard_condition(self._sigint_gc.handle)

    def _drain(self, subscription: Any) -> None:  # noqa: ANN401
        while True:
            taken = subscription.handle.take_message(subscription.msg_type, subscription.raw)
            if taken is None:
                return
            subscription.callback(taken[0])

    def _spin_rare(self) -> None:
        """Let rclpy's executor serve what this one does not wait for, until nothing is left."""
        for _ in range(8):
            if self._context.ok():
                self.spin_once(0.0)
