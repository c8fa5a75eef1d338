"""Start poses of worlds by scenario and seed."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sbot.scenario.assemble import initial_poses
from sbot.scenario.load import placement_of
from sbot.scenario.model import Scenario
from sbot.scenario.placement import Placement

_KEPT = 100_000  # seeds whose poses are kept


class Starts:
    """Where robots of a scenario stand at tick 0 for a seed, as ``sbot.load`` places them."""

    def __init__(self, scenario: Scenario) -> None:
        self._scenario = scenario
        self._random = _placed_at_random(scenario)
        self._poses = {scenario.seed: initial_poses(scenario)}

    @cached_property
    def _placement(self) -> Placement:
        return placement_of(self._scenario)

    def __call__(self, seed: int) -> NDArray[np.float64]:
        """Return poses (N, 3) x, y (m), yaw (rad)."""
        if not self._random:
            return self._poses[self._scenario.seed]
        poses = self._poses.get(seed)
        if poses is None:
            if len(self._poses) >= _KEPT:
                self._poses.clear()
            poses = self._poses[seed] = self._placement(seed)
        return poses


def _placed_at_random(scenario: Scenario) -> bool:
    """Tell whether a seed may move robots."""
    if scenario.source is None:
        return False
    entries = scenario.source.data.get('robots', ())
    return any(isinstance(entry, dict) and (
        ('count' in entry and entry.get('layout') != 'grid')
        or any(entry.get(key) is not None for key in ('yaw_uniform', 'yaw_gaussian')))
        for entry in entries)
