"""Task ``pursuit``: three s-bots catch a fourth, robot 0, which flees at the same speed."""

from __future__ import annotations

import math

import numpy as np

from sbot.learn.shipped import distance
from sbot.learn.task import Moment, Task
from sbot.learn.tasks.entry import Entry, Metric, Rule, SBots, Track, s_bots
from sbot_common.arrays import Flags, Floats, Integers

_CAUGHT = 0.2  # m between centres
_SECONDS = 60.0
_SIDE = 2.0  # m


def chase(inputs: Floats, weights: Floats, memory: Floats, outputs: Floats,
          layers: Integers, dt: float) -> None:
    """Robot 0 flees; weights (2, 1 + I) map the inputs of the others to their commands.

    Inputs leader, neighbours, infrared. Robot 0 turns away from where it hears the others, and
    from what is near. The others: x / (1 + |x|) of each weighted sum, the left and right wheel.
    """
    if inputs[0] == 1.0 and inputs[1] == 0.0 and inputs[2] == 0.0:
        left = inputs[6] + inputs[7] + inputs[8]
        right = inputs[20] + inputs[19] + inputs[18]
        away = -inputs[4] if inputs[3] < 0.0 else (-1.0 if inputs[4] > 0.0 else 1.0)
        if inputs[5] == 0.0:
            away = 0.0
        turn = away + 3.0 * (right - left)
        if left + right > 0.6:
            turn = 2.0 if memory[0] > 0.0 else -2.0
        else:
            memory[0] = turn
        outputs[0], outputs[1] = 1.0 - turn, 1.0 + turn
        return
    count = len(inputs) + 1
    for o in range(2):
        total = weights[o * count]
        for i in range(len(inputs)):
            total += weights[o * count + 1 + i] * inputs[i]
        outputs[o] = total / (1.0 + abs(total))


def _straight_there() -> tuple[float, ...]:
    """Return weights by hand: turn to the prey, and away from what is near ahead; full speed."""
    left, right = [4.0] + [0.0] * 21, [4.0] + [0.0] * 21
    left[1 + 1], right[1 + 1] = -8.0, 8.0  # sine of the prey's bearing
    left[1 + 0], right[1 + 0] = 2.0, 2.0  # its cosine
    for i in range(2):
        left[1 + 6 + i], right[1 + 6 + i] = 6.0, -6.0
        left[1 + 20 - i], right[1 + 20 - i] = -6.0, 6.0
    return (*left, *right)


class Pursuit(Task):
    """Catch robot 0; it is to escape.

    Reward of a pursuer: metres nearer to robot 0, and 1 when anybody has caught it. Robot 0's:
    metres farther from the nearest pursuer, less 1 when it is caught. Done: all, then.
    """

    inputs: tuple[str, ...] = ('leader', 'neighbours', 'infrared')

    def reward(self, before: Moment, now: Moment) -> Floats:
        """Return the approach or retreat (m), and the reward of the catch."""
        was, is_ = _ways(before.seen.pose), _ways(now.seen.pose)
        caught = (is_.min(axis=1) <= _CAUGHT).astype(np.float64)
        reward = np.empty(now.seen.pose.shape[:2])
        reward[:, 1:] = was - is_ + caught[:, None]
        reward[:, 0] = is_.min(axis=1) - was.min(axis=1) - caught
        return reward

    def ended(self, now: Moment) -> Flags:
        """Tell where robot 0 is caught."""
        caught = _ways(now.seen.pose).min(axis=1, keepdims=True) <= _CAUGHT
        return np.repeat(caught, now.seen.pose.shape[1], axis=1)


def _ways(pose: Floats) -> Floats:
    """Return the distances (m) of robots 1, 2, … from robot 0, (..., N - 1)."""
    place = pose[..., :2]
    return distance(place[..., 1:, :], place[..., :1, :])


class PursuitInBox(SBots, Pursuit):
    """A box of 4 square metres; robot 0 begins in the middle, the others in corners."""

    seconds, hold = _SECONDS, 1
    team = 4
    arena = s_bots(_SIDE, _SIDE)

    def start(self, rng: np.random.Generator) -> Floats:
        """Draw poses."""
        place = np.array([[1.0, 1.0], [0.3, 0.3], [1.7, 0.3], [1.0, 1.7]])
        place = place + rng.uniform(-0.15, 0.15, (4, 2))
        return np.hstack([place, rng.uniform(-math.pi, math.pi, (4, 1))]).round(6)


def _catch_time(track: Track) -> Floats:
    """Return when robot 0 is first caught (s), (K,); never: 60."""
    caught = _ways(track.pose).min(axis=2) <= _CAUGHT
    first = np.where(caught.any(axis=0), caught.argmax(axis=0), len(caught))
    return np.asarray(first * track.dt)


def nearness(track: Track) -> Floats:
    """Return minus the share of the time until the catch, and of the nearest distance, (K,)."""
    least = _ways(track.pose).min(axis=(0, 2))
    return np.asarray(-_catch_time(track) / _SECONDS - least / _SIDE)


ENTRY = Entry(
    'pursuit', 'Three s-bots catch a fourth that flees at the same speed.', Pursuit, PursuitInBox,
    Metric('catch time', 's', 'time until a pursuer is within 0.2 m of robot 0; at most 60 s',
           'Chung, Hollinger and Isler 2011', _catch_time, higher=False),
    Rule(chase, _straight_there(), 1), fitness=nearness, learned=Rule(chase, (0.0,) * 44, 1))
