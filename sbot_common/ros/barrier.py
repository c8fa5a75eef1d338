"""Barrier for other nodes: detects when they have processed the messages sent to them.

Every node of rclpy or rclcpp answers requests for its parameters, in the thread that runs its
callbacks, and after those of the messages that were there before. So an answer says that these
have been handled. Two requests are made, one after the other: an executor looks at timers before
it looks at what came with the first, and takes one message of each topic at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from rcl_interfaces.srv import GetParameters
from rclpy.client import Client
from rclpy.node import Node

REQUESTS = 2


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

    def is_there(self, name: str) -> bool:
        """Tell whether a node, '/namespace/name', offers the service that answers."""
        return bool(self._client(name).service_is_ready())

    def ask(self, names: Iterable[str]) -> None:
        """Ask nodes; what an earlier question has not answered is forgotten."""
        self._round += 1
        self._left = dict.fromkeys(names, REQUESTS)
        for name in list(self._left):
            self._request(name)

    def silent(self) -> list[str]:
        """Return the nodes that have not answered."""
        return list(self._left)

    def _client(self, name: str) -> Client:
        if name not in self._clients:
            self._clients[name] = self._node.create_client(GetParameters, f'{name}/get_parameters')
        return self._clients[name]

    def _request(self, name: str) -> None:
        future = self._client(name).call_async(GetParameters.Request())
        future.add_done_callback(partial(self._on_answer, name, self._round))

    def _on_answer(self, name: str, round_: int, _: object) -> None:
        if round_ != self._round or name not in self._left:
            return
        self._left[name] -= 1
        if self._left[name]:
            self._request(name)
            return
        del self._left[name]
        if not self._left:
            self._on_heard()
