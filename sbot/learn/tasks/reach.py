"""Task ``reach_goal``: a robot reaches a goal behind pillars in wind, with a short-range laser."""

from __future__ import annotations

import math

import numpy as np

from sbot.learn.shipped import ReachGoal, distance
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
from sbot_common.arrays import Floats, Integers

TOLERANCE = 0.5  # m
_PILLARS = ((5.0, 4.0), (5.5, 8.5), (9.0, 6.0), (12.0, 9.0), (12.0, 3.5))  # m
_WIDTH, _HEIGHT = 17.0, 12.0  # m
BEAMS = 12


def fan(beams: int) -> tuple[float, ...]:
    """Return cosines and sines of that many beams, from the right to the left."""
    angles = [math.pi * (k / (beams - 1) - 0.5) for k in range(beams)]
    return (*(round(math.cos(angle), 6) for angle in angles),
            *(round(math.sin(angle), 6) for angle in angles))


def go_there(inputs: Floats, weights: Floats, memory: Floats, outputs: Floats,
             layers: Integers, dt: float) -> None:
    """Drive to the goal, repelled by obstacles: inputs goal, twist, scan:S.

    Weights: strength of the push, range of it (share that is near), then the fan of sectors.
    """
    sectors = len(inputs) - 6
    x, y = inputs[0], inputs[1]
    for s in range(sectors):
        near = max(0.0, inputs[6 + s] - weights[1])
        x -= weights[0] * near * weights[2 + s]
        y -= weights[0] * near * weights[2 + sectors + s]
    length = (x * x + y * y) ** 0.5 + 1e-9
    x, y = x / length, y / length
    turn = 1.5 * y if x > 0.0 else (1.0 if y > 0.0 else -1.0)
    slow = min(1.0, 2.0 * inputs[2])  # near the goal
    outputs[0] = max(0.0, x) * slow
    outputs[1] = turn


class ReachInWind(Scene, ReachGoal):
    """Reach a goal 8 m away or more, in a wind that is not sensed."""

    inputs = ('goal', 'twist', f'scan:{BEAMS}')
    outputs, max_speed, turn = 'twist', ROBOT_SPEED, ROBOT_TURN
    seconds, hold = 30.0, 4
    arena = robots({'bounds': [0, 0, _WIDTH, _HEIGHT], 'circles': [
        {'center': [*pillar], 'radius': 0.8} for pillar in _PILLARS]}, BEAMS, 2.0, TOLERANCE)

    def __init__(self) -> None:
        super().__init__(TOLERANCE)

    def start(self, rng: np.random.Generator) -> Floats:
        """Draw a free pose."""
        return np.array([[*_free(rng, None), rng.uniform(-math.pi, math.pi)]])

    def aims(self, rng: np.random.Generator, start: Floats) -> Floats:
        """Draw a goal."""
        return _free(rng, start[0, :2])[None]

    def weather(self, rng: np.random.Generator) -> Values:
        """Draw a steady wind of up to 0.5 m/s."""
        return steady(rng, 0.5)


def steady(rng: np.random.Generator, fastest: float) -> Values:
    """Draw a steady wind of at most so many m/s."""
    angle = rng.uniform(-math.pi, math.pi)
    return {'wind_direction': [round(math.cos(angle), 6), round(math.sin(angle), 6), 0.0],
            'wind_speed_mean': round(rng.uniform(0.0, fastest), 6)}


def _free(rng: np.random.Generator, away: Floats | None) -> Floats:
    while True:
        point = rng.uniform([1.0, 1.0], [_WIDTH - 1.0, _HEIGHT - 1.0]).round(6)
        if (distance(point, np.array(_PILLARS)) > 1.5).all() and (
                away is None or distance(point, away) > 8.0):
            return point


ENTRY = Entry(
    'reach_goal', 'A robot reaches a goal behind pillars, in a wind that it does not sense.',
    ReachGoal, ReachInWind,
    Metric('time', 's', 'time of arrival; 30 s if the robot does not arrive',
           'Francis et al. 2023, arXiv 2306.16740', mean_time(TOLERANCE), higher=False),
    Rule(go_there, (2.0, 0.5, *fan(BEAMS))), NAVIGATE, nearing, (8,))
