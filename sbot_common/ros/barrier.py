"""Barrier for other nodes: detects when they have processed the messages sent to them.

Every node of rclpy or rclcpp answers requests for its parameters, in the thread that runs its
callbacks, and after those of the messages that were there before. So an answer says that these
have been handled. Two requests are made, one after the other: an executor looks at timers before
it looks at what came with the first, and takes one message of each topic at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from rcl_interfaces.msg import ParameterType
from rcl_interfaces.srv import GetParameters
from rclpy.client import Client
from rclpy.node import Node
from rclpy.task import Future

REQUESTS = 2
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
        self._left: dict[str, int] = {}  # requests to make, of those that have not answered
        self._round = 0
        self._sim_time: dict[str, bool | None] = {}  # by node; None: it has no such parameter

    def is_there(self, name: str) -> bool:
        """Tell whether a node, '/namespace/name', offers the service that answers."""
        return bool(self._client(name).service_is_ready())

    def ask(self, names: Iterable[str]) -> None:
        """Ask nodes; unanswered earlier questions are forgotten."""
        self._round += 1
        self._left = dict.fromkeys(names, REQUESTS)
        for name in list(self._left):
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
            self._request(name)
            return
        del self._left[name]
        if not self._left:
            self._on_heard()
