"""Collisions in worlds of rectangular bodies, moving obstacles and pushable boxes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from sbot_sim.collision.placement import placement_error
from sbot_sim.world.boxes import as_sent
from sbot_sim.world.moving import disc_positions
from sbot_sim.worlds.obstacles import all_bodies, place_obstacles, separate_among, separated
from sbot_sim.worlds.parameters import SimulationParameters
from sbot_sim.worlds.state import Integers, Setting, Worlds

Floats = NDArray[np.float64]
ReplaceScenes = Callable[[int, SimulationParameters], None]


class ShapedWorlds:
    """Phases of worlds in which not all bodies are discs, or obstacles move.

    Parameters
    ----------
    parameters : (K,) of each world; those of worlds whose obstacles move are replaced
    setting, worlds : of the batch
    replace_scenes : takes over what sensors see of world k, after its obstacles have moved

    """

    def __init__(self, parameters: Sequence[SimulationParameters], setting: Setting,
                 worlds: Worlds, replace_scenes: ReplaceScenes) -> None:
        self.parameters = list(parameters)
        self._replace_scenes = replace_scenes
        self._setting, self._worlds = setting, worlds
        # Of each world: in how many ticks obstacles on a path have moved, and poses of boxes.
        self.moved: list[Integers | None] = [None] * len(parameters)
        self.boxes: list[Floats | None] = [None] * len(parameters)

    def reset(self, chosen: Iterable[int]) -> None:
        """Put obstacles where they are at tick 0."""
        for k in chosen:
            obstacles = self.parameters[k].obstacles
            if obstacles is not None:
                self.moved[k] = np.zeros(len(obstacles.discs.radius), np.int64)
                self.boxes[k] = obstacles.boxes.start.copy()
                self._place(k)

    def restore(self, k: int, moved: Integers, boxes: Floats) -> None:
        """Put obstacles of world k where they were."""
        self.moved[k], self.boxes[k] = moved, boxes
        self._place(k)

    def _place(self, k: int) -> None:
        before = self.parameters[k]
        self.parameters[k] = place_obstacles(before, self.moved[k], self.boxes[k])
        if self.parameters[k] is not before:
            self._replace_scenes(k, self.parameters[k])

    def place_error(self, k: int, pose: Floats) -> str | None:
        """Return what is wrong with a start of world k at ``pose`` (N, 3); None if nothing is."""
        obstacles, moved, boxes = self.parameters[k].obstacles, None, None
        if obstacles is not None:
            moved, boxes = np.zeros(len(obstacles.discs.radius), np.int64), obstacles.boxes.start
        return placement_error(*all_bodies(self.parameters[k], moved, boxes, pose), len(pose))

    def resolve_overlaps(self, first: int, end: int) -> None:
        """Free robots of overlaps, and let obstacles move (``worlds.obstacles``)."""
        worlds, n = self._worlds, self._setting.robots
        for k in range(first, end):
            p, rows = self.parameters[k], slice(k * n, (k + 1) * n)
            before, proposed = worlds.previous[rows].copy(), worlds.pose[rows].copy()
            moved, boxes = self.moved[k], self.boxes[k]
            if p.obstacles is None or moved is None or boxes is None:
                after = separated(p.fixed, p.bodies, p.movers, before, proposed)
            else:
                after, self.moved[k], self.boxes[k] = separate_among(
                    p.obstacles, moved, boxes, before, proposed)
                self._place(k)
            worlds.pose[rows] = after.pose
            worlds.collided[rows], worlds.reverted[rows] = after.collided, after.reverted

    def obstacles(self) -> Floats | None:
        """Return the centres (K, M, 2) m of obstacles on paths; None where there are none."""
        places = [disc_positions(p.obstacles.discs, moved)
                  for p, moved in zip(self.parameters, self.moved, strict=True)
                  if p.obstacles is not None and moved is not None]
        found = np.array(places)
        return found if found.size else None

    def boxes_as_sent(self) -> Floats | None:
        """Return the poses (K, B, 3) of boxes as messages carry them; None if there are none."""
        found = np.array([as_sent(boxes) for boxes in self.boxes if boxes is not None])
        return found if found.size else None
