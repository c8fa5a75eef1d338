"""Moving obstacles for sensors: their geometry, updated in Python after each move."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from sbot_sim.world.boxes import as_sent
from sbot_sim.world.moving import disc_positions
from sbot_sim.worlds.parameters import SimulationParameters, place_obstacles
from sbot_sim.worlds.state import Integers, Setting, Worlds

Floats = NDArray[np.float64]
ReplaceScenes = Callable[[int, SimulationParameters], None]


class MovingObstacles:
    """Phase that takes over where obstacles are, of worlds that all have as many.

    Parameters
    ----------
    parameters : (K,) of each world; replaced when its obstacles have moved
    setting, worlds : of the batch
    replace_scenes : takes over what sensors see of world k, after its obstacles have moved

    """

    def __init__(self, parameters: Sequence[SimulationParameters], setting: Setting,
                 worlds: Worlds, replace_scenes: ReplaceScenes) -> None:
        self.parameters = list(parameters)
        self._replace_scenes = replace_scenes
        self._worlds, self._paths = worlds, setting.paths
        count = len(parameters)
        self.moved: Integers = worlds.moved.reshape(count, -1)  # (K, M) ticks
        self.boxes: Floats = worlds.boxes.reshape(count, -1, 3)  # (K, B, 3) m, m, rad

    def reset(self, chosen: Iterable[int]) -> None:
        """Put obstacles where they are at tick 0."""
        for k in chosen:
            obstacles = self.parameters[k].obstacles
            assert obstacles is not None
            self.moved[k], self.boxes[k] = 0, obstacles.start
            self.place(k, k + 1)

    def place(self, first: int, end: int) -> None:
        """Take over where the obstacles of worlds are."""
        for k in range(first, end):
            before = self.parameters[k]
            self.parameters[k] = place_obstacles(before, self.moved[k], self.boxes[k])
            if self.parameters[k] is not before:
                self._replace_scenes(k, self.parameters[k])

    def positions(self) -> Floats | None:
        """Return the centres (K, M, 2) m of obstacles on paths; None where there are none."""
        if not self.moved.size:
            return None
        return disc_positions(self._paths, self._worlds.moved).reshape(*self.moved.shape, 2)

    def boxes_as_sent(self) -> Floats | None:
        """Return the poses (K, B, 3) of boxes as messages carry them; None if there are none."""
        if not self.boxes.size:
            return None
        return as_sent(self.boxes.reshape(-1, 3)).reshape(self.boxes.shape)
