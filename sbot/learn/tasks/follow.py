"""Task ``follow_leader``: a leader goes to its goal in wind, and three robots keep 2 m from it."""

from __future__ import annotations

import math

import numpy as np

from sbot.learn.shipped import FollowLeader, distance
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
from sbot.learn.tasks.reach import fan, steady
from sbot_common.arrays import Floats, Integers

_BEAMS = 12
_AWAY = 2.0  # m


def follow(inputs: Floats, weights: Floats, memory: Floats, outputs: Floats,
           layers: Integers, dt: float) -> None:
    """Drive to the goal as the leader, else to the leader; turn away from obstacles.

    Inputs goal, leader, wind, scan:S; weights as in ``go_there``.
    """
    sectors = len(inputs) - 8
    leads = inputs[5] == 0.0
    x, y = (inputs[0], inputs[1]) if leads else (inputs[3], inputs[4])
    way = inputs[2] if leads else inputs[5]
    off = way / max(1e-3, 1.0 - way) - (0.0 if leads else 2.0)  # m too far away
    if not leads and off < 0.0:
        x, y = -x, -y
    for s in range(sectors):
        near = max(0.0, inputs[8 + s] - weights[1])
        x -= weights[0] * near * weights[2 + s]
        y -= weights[0] * near * weights[2 + sectors + s]
    x, y = x - inputs[6], y - inputs[7]  # against the wind
    length = (x * x + y * y) ** 0.5 + 1e-9
    x, y = x / length, y / length
    fast = 0.7 if leads else min(1.0, abs(off))
    outputs[0] = x * fast
    outputs[1] = (1.5 * y if x > 0.0 else (1.0 if y > 0.0 else -1.0)) * min(1.0, abs(off))


class FollowInWind(Scene, FollowLeader):
    """Four robots cross an arena in a wind of up to 0.4 m/s."""

    inputs = ('goal', 'leader', 'wind', f'scan:{_BEAMS}')
    outputs, max_speed, turn = 'twist', ROBOT_SPEED, ROBOT_TURN
    seconds, hold = 20.0, 4
    team = 4
    arena = robots({'bounds': [0, 0, 24, 12]}, _BEAMS, 3.0, 1.0)

    def start(self, rng: np.random.Generator) -> Floats:
        """Draw poses: the leader ahead of a row."""
        place = np.array([[5.0, 6.0], [3.0, 4.0], [3.0, 6.0], [3.0, 8.0]])
        yaw = rng.uniform(-math.pi, math.pi, (4, 1))
        return np.hstack([place + rng.uniform(-0.5, 0.5, (4, 2)), yaw]).round(6)

    def aims(self, rng: np.random.Generator, start: Floats) -> Floats:
        """Draw the leader's goal, which all know."""
        return np.tile(rng.uniform([18.0, 3.0], [21.0, 9.0]).round(6), (4, 1))

    def weather(self, rng: np.random.Generator) -> Values:
        """Draw a steady wind."""
        return steady(rng, 0.4)


def followed(track: Track) -> Floats:
    """Return the leader's share of its way, times how well the others keep 2 m from it, (K,)."""
    place = track.pose[..., :2]
    way = distance(place[:, :, 0], track.goal[:, 0])
    share = np.clip(1.0 - way[-1] / way[0], 0.0, 1.0)
    off = np.abs(distance(place[:, :, 1:], place[:, :, :1]) - _AWAY)
    return np.asarray(share * (1.0 / (1.0 + off)).mean(axis=(0, 2)))


ENTRY = Entry(
    'follow_leader', 'A leader goes to its goal in wind, and three robots keep 2 m from it.',
    FollowLeader, FollowInWind,
    Metric('followed', '1', 'share of its distance to the goal that the leader covers, times the '
           'mean of 1 / (1 + error of the 2 m) over the others', 'our own, with the parts of '
           'Desai et al. 2001', followed),
    Rule(follow, (2.0, 0.6, *fan(_BEAMS))), NAVIGATE, None, (8,))
