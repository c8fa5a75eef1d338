"""Task ``formation``: four robots drive to their places in a square and keep them in gusts."""

from __future__ import annotations

import math

import numpy as np

from sbot.learn.shipped import CONTACT, distance
from sbot.learn.task import Moment, Task
from sbot.learn.tasks.entry import (
    NAVIGATE,
    ROBOT_SPEED,
    ROBOT_TURN,
    Entry,
    Metric,
    Rule,
    Scene,
    Track,
    Values,
    robots,
)
from sbot_common.arrays import Floats, Integers

_SIDE = 1.6  # m
_PLACES = 0.5 * _SIDE * np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
_BEAMS = 8


def keep_place(inputs: Floats, weights: Floats, memory: Floats, outputs: Floats,
               layers: Integers, dt: float) -> None:
    """Drive to the place, forwards or backwards, and away from obstacles ahead."""
    x, y, way = inputs[0], inputs[1], inputs[2]
    away = way / max(1e-3, 1.0 - way)  # m
    side = 1.0 if x >= 0.0 else -1.0
    fast = min(1.0, weights[0] * away)
    ahead = max(inputs[9], inputs[10]) if side > 0.0 else 0.0  # the two sectors ahead
    outputs[0] = side * abs(x) * fast * (0.3 if ahead > weights[1] else 1.0)
    outputs[1] = weights[2] * side * y * min(1.0, 4.0 * away)


class Formation(Task):
    """Take one's place, the goal, and keep it.

    Reward, a second: 1 / (1 + metres from the place), less 0.05 for a contact.
    """

    inputs: tuple[str, ...] = ('goal', 'twist', f'scan:{_BEAMS}')
    outputs, hold = 'twist', 4

    def reward(self, before: Moment, now: Moment) -> Floats:
        """Return how near each robot is to its place."""
        off = distance(now.seen.pose[..., :2], now.goal)
        return np.asarray(self.hold * now.dt / (1.0 + off) - CONTACT * now.seen.collided)


class FormationInGusts(Scene, Formation):
    """A square of 1.6 m, a wind of up to 0.3 m/s, and a gust of up to 0.9 m/s; neither sensed."""

    max_speed, turn = ROBOT_SPEED, ROBOT_TURN
    seconds = 20.0
    team = 4
    arena = robots({'bounds': [0, 0, 10, 10]}, _BEAMS, 1.5, 0.2)

    def start(self, rng: np.random.Generator) -> Floats:
        """Draw poses, a robot in each quarter."""
        place = 5.0 + 2.2 * np.sign(_PLACES) + rng.uniform(-0.8, 0.8, (4, 2))
        return np.hstack([place, rng.uniform(-math.pi, math.pi, (4, 1))]).round(6)

    def aims(self, rng: np.random.Generator, start: Floats) -> Floats:
        """Draw where the square stands."""
        return (5.0 + rng.uniform(-0.5, 0.5, 2) + _PLACES).round(6)

    def weather(self, rng: np.random.Generator) -> Values:
        """Draw a steady wind and a gust."""
        angles, ways = rng.uniform(-math.pi, math.pi, 2), []
        for angle in angles.tolist():
            ways.append([round(math.cos(angle), 6), round(math.sin(angle), 6), 0.0])
        return {'wind_direction': ways[0], 'wind_speed_mean': round(rng.uniform(0.0, 0.3), 6),
                'wind_gust_direction': ways[1],
                'wind_gust_speed_mean': round(rng.uniform(0.3, 0.9), 6),
                'wind_gust_start': round(rng.uniform(6.0, 10.0), 1),
                'wind_gust_duration': round(rng.uniform(3.0, 8.0), 1)}


def error(track: Track) -> Floats:
    """Return the mean distance (m) from the places after the first quarter, (K,)."""
    off = distance(track.pose[len(track.pose) // 4:, ..., :2], track.goal)
    return np.asarray(off.mean(axis=(0, 2)))


def near(track: Track) -> Floats:
    """Return the mean of 1 / (1 + metres from the place), (K,)."""
    return np.asarray((1.0 / (1.0 + distance(track.pose[..., :2], track.goal))).mean(axis=(0, 2)))


ENTRY = Entry(
    'formation', 'Four robots keep their places in a square, in gusts that they do not sense.',
    Formation, FormationInGusts,
    Metric('error', 'm', 'mean distance of robots from their places, after the first 5 s',
           'Oh, Park and Ahn 2015, formations by position', error, higher=False),
    Rule(keep_place, (8.0, 0.6, 2.0)), NAVIGATE, near, (8,))
