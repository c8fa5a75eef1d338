"""Barrier for other nodes: detects when they have processed the messages sent to them.

Every node of rclpy or rclcpp answers requests for its parameters, in the thread that runs its
callbacks. An executor works in rounds. In each it first looks what is there; then it runs the
timers that are due, takes one message of each topic, and answers one request. So after one message

* the first request may be answered before it, if both came while the executor looked;
* the second is answered in a later round, so the message has been handled;
* after /clock, which makes timers due, the third has seen these run; and the fourth has seen
  those run that were due twice: rcl skips periods that are over, but not one that ends now.

All requests are made at once: they arrive after the message, and what a callback publishes is
sent before the answer. A message that passes through several nodes needs one pass for each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from rcl_interfaces.msg import ParameterType
from rcl_interfaces.srv import GetParameters
from rclpy.client import Client
from rclpy.node import Node
from rclpy.task import Future

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
