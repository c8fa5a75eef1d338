"""Supervisor of an in-process run: watches, pauses, drives robots without a controller."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from sbot_common.twist import Twist
from sbot_sim.engine.state import Snapshot
from sbot_sim.messages.outgoing import Outgoing


class Supervisor(Protocol):
    """Interface of an observer that watches a run and may steer it (``run_scenario``).

    The wall clock may decide what a supervisor does; the recording holds it, so that everything
    else repeats bit for bit.
    """

    def show(self, snapshot: Snapshot, announced: Sequence[Outgoing]) -> None:
        """Take note of a tick: the snapshot, and the goals that controllers have announced."""

    def may_proceed(self) -> bool:
        """Return whether the tick may end; may wait a moment. Called until it is true."""

    def commands(self) -> Mapping[int, Twist]:
        """Return commands of robots with ``controller: none``; others stand still."""
