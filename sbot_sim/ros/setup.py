"""Arguments of the simulator's node: engine, messages, timing and observer."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, Protocol

from sbot_sim.engine.simulation import Engine
from sbot_sim.messages.broadcast import Broadcast
from sbot_sim.messages.outgoing import Outgoing
from sbot_sim.ros.run_control import Options


class RunObserver(Protocol):
    """Observer of a run, which changes nothing: a recorder, a tally, a progress bar."""

    recording: bool  # whether it wants messages

    def tick(self, engine: Engine) -> None:
        """Observe a tick's snapshot and state."""

    def record(self, stamp_ns: int, messages: Iterable[Outgoing]) -> None:
        """Record messages of a stamp."""

    def alive(self) -> None:
        """Note that the node is there; called once per second, also while the run is paused."""

    def failed(self, reason: str) -> bool:
        """Note why the run fails; return whether it is told to the user: else it is logged."""

    def reset(self) -> None:
        """Begin again at tick 0."""

    def close(self) -> None:
        """Finish: the run is over."""


class Setup(NamedTuple):
    """A run: simulation, messages, timing and observer."""

    engine: Engine
    broadcast: Broadcast
    options: Options
    observer: RunObserver
