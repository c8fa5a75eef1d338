"""Tasks of passing.

Task ``doorway``: four robots, two from each side, pass one door.
Task ``corridor``: four robots, two from each end, pass a corridor of 2 m.
"""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from sbot.learn.shipped import ReachGoal
from sbot.learn.tasks.entry import (
    NAVIGATE,
    ROBOT_SPEED,
    ROBOT_TURN,
    Entry,
    Metric,
    Rule,
    Scene,
    Values,
    mean_time,
    nearing,
    robots,
)
from sbot.learn.tasks.reach import fan
from sbot.navigation.scenes import box, wall_with_gaps
from sbot_common.arrays import Floats, Integers

# Task ``doorway``: four robots, two from each side, pass one door.

TOLERANCE = 0.5  # m
BEAMS = 16


def through_the_gap(inputs: Floats, weights: Floats, memory: Floats, outputs: Floats,
                    layers: Integers, dt: float) -> None:
    """Drive to the free sector that is nearest to the goal's direction, a little to the right.

    Inputs goal, twist, scan:S. Weights: cost of what is near in a sector, of its neighbours,
    preference of the right, then the fan of sectors. What is near ahead slows the robot down.
    """
    sectors = len(inputs) - 6
    best, x, y = -1e9, inputs[0], inputs[1]
    for s in range(sectors):
        cosine, sine = weights[3 + s], weights[3 + sectors + s]
        near = inputs[6 + s]
        beside = max(inputs[6 + max(0, s - 1)], inputs[6 + min(sectors - 1, s + 1)])
        worth = (cosine * inputs[0] + sine * inputs[1] - weights[0] * near * near
                 - weights[1] * beside * beside - weights[2] * sine)
        if worth > best:
            best, x, y = worth, cosine, sine
    if inputs[0] < -0.3:  # the goal is behind: turn
        x, y = 0.0, (1.0 if inputs[1] > 0.0 else -1.0)
    ahead = 0.0
    for s in range(sectors // 2 - 2, sectors // 2 + 2):
        ahead = max(ahead, inputs[6 + s])
    free = min(1.0, max(0.05, 3.0 * (0.92 - ahead)))
    outputs[0] = max(0.0, x) * free * min(1.0, 2.0 * inputs[2])
    outputs[1] = 1.2 * y


class Passing(Scene, ReachGoal):
    """Two robots on each side of a passage, with goals on the other side."""

    inputs = ('goal', 'twist', f'scan:{BEAMS}')
    outputs, max_speed, turn = 'twist', ROBOT_SPEED, ROBOT_TURN
    hold = 4
    team = 4
    sides: ClassVar[tuple[float, float]] = (0.0, 0.0)  # m, x of the middles of both groups

    def __init__(self) -> None:
        super().__init__(TOLERANCE)

    def start(self, rng: np.random.Generator) -> Floats:
        """Draw poses, two on the left side and two on the right."""
        x = np.repeat(self.sides, 2) + rng.uniform(-0.5, 0.5, 4)
        y = 4.0 + np.array([-1.0, 1.0, -1.0, 1.0]) + rng.uniform(-0.4, 0.4, 4)
        yaw = np.repeat([0.0, math.pi], 2) + rng.uniform(-0.3, 0.3, 4)
        return np.stack([x, y, yaw], axis=1).round(6)

    def aims(self, rng: np.random.Generator, start: Floats) -> Floats:
        """Return a goal on the other side for each."""
        left, right = self.sides
        return np.array([[right, 3.0], [right, 5.0], [left, 3.0], [left, 5.0]])


class Doorway(Passing):
    """A door of 1.2 m, as ``doorway/1.2`` of ``sbot bench navigation`` has it, for four robots."""

    seconds = 30.0
    sides = (4.0, 10.0)
    arena: ClassVar[Values] = robots(
        {'bounds': [0, 0, 14, 8], 'rectangles': wall_with_gaps(7.0, 0, 8, [(4.0, 1.2)])},
        BEAMS, 4.0, TOLERANCE)


def passing_entry(name: str, text: str, scene: type[Passing]) -> Entry:
    """Return the entry of a passage; metric, rule and reward are common to all passages."""
    return Entry(
        name, text, ReachGoal, scene,
        Metric('time', 's', f'mean time of arrival; {scene.seconds:g} s for a robot that does not '
               'arrive', 'Chandra et al. 2025, arXiv 2508.13459', mean_time(TOLERANCE),
               higher=False),
        Rule(through_the_gap, (1.0, 1.0, 0.1, *fan(BEAMS))), NAVIGATE, nearing, (8,))


DOORWAY = passing_entry(
    'doorway', 'Four robots, two from each side, pass a door of 1.2 m.', Doorway)


class Corridor(Passing):
    """A corridor of 2 m, 5 m long, after ``corridor/2.0`` of ``sbot bench navigation``."""

    seconds = 40.0
    sides = (4.0, 13.0)
    arena: ClassVar[Values] = robots(
        {'bounds': [0, 0, 17, 8],
         'rectangles': [box(8.5, 1.5, 5.0, 3.0), box(8.5, 6.5, 5.0, 3.0)]},
        BEAMS, 4.0, TOLERANCE)


CORRIDOR = passing_entry(
    'corridor', 'Four robots, two from each end, pass a corridor of 2 m.', Corridor)

ENTRY = (DOORWAY, CORRIDOR)
