"""Frames of a live run: the data that a page needs once, and for each frame."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from sbot.controllers.registry import NONE
from sbot.figures.data import at_rest
from sbot.scenario.model import Scenario
from sbot.viewer.data import MOST_BEAMS, header

FRAME_PERIOD = 0.05  # s of wall time between frames
SCAN_FRAMES = 4  # a scan goes with every so many frames


class Laser(NamedTuple):
    """Beams of the scans that are shown: every ``skip``-th."""

    beams: int = 0
    angle_min: float = 0.0  # rad
    increment: float = 0.0  # rad
    skip: int = 1


def laser_of(beams: int, angle_min: float, increment: float) -> Laser:
    """Return which beams are shown of scans with so many."""
    skip = max(1, -(-beams // MOST_BEAMS))
    return Laser(-(-beams // skip), angle_min, increment * skip, skip)


def live_header(scenario: Scenario, laser: Laser) -> dict[str, Any]:
    """Return what the page needs to know once of a live run."""
    return {**header(at_rest(scenario), laser.beams, laser.angle_min, laser.increment),
            'drivable': drivable(scenario)}


def drivable(scenario: Scenario) -> list[int]:
    """Return the robots that the page may drive: those without a controller."""
    return [i for i, robot in enumerate(scenario.robots) if robot.controller == NONE]


def frame(seconds: float, poses: ArrayLike, winds: ArrayLike,
          goals: Mapping[int, tuple[float, float]],
          obstacles: ArrayLike | None = None,
          boxes: ArrayLike | None = None) -> dict[str, Any]:
    """Return a frame: time since the start (s), poses (N, 3), winds (N, 2), goals (m) of robots.

    ``obstacles`` (M, 2) (m) are the centres of those that move, ``boxes`` (B, 3) the poses of
    pushable boxes. ``scans`` may be added.
    """
    moving = {name: _rounded(places) for name, places in (
        ('obstacles', obstacles), ('box_poses', boxes)) if places is not None}
    return {'t': round(seconds, 4), 'poses': _rounded(poses), 'winds': _rounded(winds), **moving,
            'goals': [[0.0, robot, *goal] for robot, goal in sorted(goals.items())]}


def scans(ranges: Iterable[ArrayLike]) -> list[float | None]:
    """Return ranges (N, beams) as a frame has them; None where nothing is seen."""
    return [round(r, 3) if math.isfinite(r) else None
            for row in ranges for r in np.ravel(row).tolist()]


def _rounded(values: ArrayLike) -> list[float]:
    rounded: list[float] = np.round(np.ravel(values), 4).tolist()
    return rounded
