"""Count of the overlaps in a run, from the geometry of every tick."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sbot_sim.collision.overlap import overlaps, overlaps_of_ticks
from sbot_sim.engine.state import Snapshot
from sbot_sim.worlds.parameters import SimulationParameters, all_bodies

_MOST = 1024  # poses looked at together; one look at ten robots costs as much as at a hundred


class OverlapCount:
    """Counts overlaps.

    Ticks in which only round robots move are counted together, others one by one.
    """

    def __init__(self, parameters: SimulationParameters) -> None:
        self._parameters = parameters
        self._round = not np.any(parameters.bodies.shape.size[:, 0] > 0.0)
        self._waiting: list[NDArray[np.float64]] = []
        self._found = 0

    def add(self, snapshot: Snapshot) -> None:
        """Count a tick."""
        pose = snapshot.pose
        if self._round and snapshot.moved is None and snapshot.boxes is None:
            self._waiting.append(pose.copy())
            if len(self._waiting) * len(pose) >= _MOST:
                self._count()
        else:
            self._found += overlaps(*all_bodies(self._parameters, snapshot.moved, snapshot.boxes,
                                                pose))

    def total(self) -> int:
        """Return the number of overlaps so far."""
        if self._waiting:
            self._count()
        return self._found

    def _count(self) -> None:
        poses = np.array(self._waiting)
        self._waiting.clear()
        self._found += overlaps_of_ticks(self._parameters.world, self._parameters.bodies, poses)
