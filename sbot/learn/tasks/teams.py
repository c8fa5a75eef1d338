# SPDX-License-Identifier: Apache-2.0
"""Tasks of teams of robots.

Task ``follow_leader``: a leader goes to its goal in wind, and three robots keep 2 m from it.
Task ``formation``: four robots drive to their places in a square and keep them in gusts.
"""

from __future__ import annotations

import math

import numpy as np

from sbot.learn.task import Moment, Task
from sbot.learn.tasks.entry import (
    CONTACT,
    NAVIGATE,
    ROBOT_SPEED,
    ROBOT_TURN,
    Entry,
    Metric,
    Rule,
    Scene,
    Track,
    Values,
    distance,
    robots,
)
from sbot.learn.tasks.goals import fan, steady
from sbot_common.arrays import Floats, Integers

# Task ``follow_leader``: a leader goes to its goal in wind, and three robots keep 2 m from it.

_BEAMS = 12
_AWAY = 2.0  # m


class FollowLeader(Task):
    """Robot 0 goes to its goal and stays there, the others stay at a distance from it.

    Reward of a follower per second: 1 / (1 + deviation from that distance in m); of the leader:
    approach to its goal (m), and the mean of the followers' rewards; of all, less 0.05 for a
    contact. A leader that is rewarded for its own way alone leaves the others behind.

    Parameters
    ----------
    distance : m, centre to centre

    """

    inputs: tuple[str, ...] = ('goal', 'leader', 'wind', 'scan:16')
    hold = 3

    def __init__(self, distance: float = 2.0) -> None:
        self.distance = distance

    def reward(self, before: Moment, now: Moment) -> Floats:
        """Return how well the others keep their distance; the leader's: their mean, and metres."""
        place, cost = now.seen.pose[..., :2], CONTACT * now.seen.collided
        off = np.abs(distance(place, place[:, :1]) - self.distance)
        reward: Floats = self.hold * now.dt / (1.0 + off) - cost
        nearer = (distance(before.seen.pose[:, 0, :2], before.goal[:, 0])
                  - distance(place[:, 0], now.goal[:, 0]))
        followers = reward[:, 1:]
        mean = followers.sum(axis=1) / max(1, followers.shape[1])
        reward[:, 0] = nearer + mean - cost[:, 0]
        return reward


def _follow(inputs: Floats, weights: Floats, memory: Floats, outputs: Floats,
            layers: Integers, dt: float) -> None:
    """Drive to the goal as the leader, else to the leader; turn away from obstacles.

    Inputs goal, leader, wind, scan:S; weights as in ``goals._go_there``.
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


class _FourRobots(Scene):
    """Scenes of four robots."""

    max_speed, turn = ROBOT_SPEED, ROBOT_TURN
    team = 4


class _FollowInWind(_FourRobots, FollowLeader):
    """Four robots cross an arena in a wind of up to 0.4 m/s."""

    inputs = ('goal', 'leader', 'wind', f'scan:{_BEAMS}')
    outputs, seconds, hold = 'twist', 20.0, 4
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


def _followed(track: Track) -> Floats:
    """Return the leader's share of its way, times how well the others keep 2 m from it, (K,)."""
    place = track.pose[..., :2]
    way = distance(place[:, :, 0], track.goal[:, 0])
    share = np.clip(1.0 - way[-1] / way[0], 0.0, 1.0)
    off = np.abs(distance(place[:, :, 1:], place[:, :, :1]) - _AWAY)
    return np.asarray(share * (1.0 / (1.0 + off)).mean(axis=(0, 2)))


# Task ``formation``: four robots drive to their places in a square and keep them in gusts.

_SIDE = 1.6  # m
_PLACES = 0.5 * _SIDE * np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])


def _keep_place(inputs: Floats, weights: Floats, memory: Floats, outputs: Floats,
                layers: Integers, dt: float) -> None:
    """Drive to the place, forwards or backwards, and away from obstacles ahead."""
    x, y, way = inputs[0], inputs[1], inputs[2]
    away = way / max(1e-3, 1.0 - way)  # m
    side = 1.0 if x >= 0.0 else -1.0
    fast = min(1.0, weights[0] * away)
    ahead = max(inputs[9], inputs[10]) if side > 0.0 else 0.0  # the two sectors ahead
    outputs[0] = side * abs(x) * fast * (0.3 if ahead > weights[1] else 1.0)
    outputs[1] = weights[2] * side * y * min(1.0, 4.0 * away)


class _Formation(Task):
    """Take one's place, the goal, and keep it.

    Reward, a second: 1 / (1 + metres from the place), less 0.05 for a contact.
    """

    inputs: tuple[str, ...] = ('goal', 'twist', 'scan:8')
    outputs, hold = 'twist', 4

    def reward(self, before: Moment, now: Moment) -> Floats:
        """Return how near each robot is to its place."""
        off = distance(now.seen.pose[..., :2], now.goal)
        return np.asarray(self.hold * now.dt / (1.0 + off) - CONTACT * now.seen.collided)


class _FormationInGusts(_FourRobots, _Formation):
    """A square of 1.6 m, a wind of up to 0.3 m/s, and a gust of up to 0.9 m/s; neither sensed."""

    seconds = 20.0
    arena = robots({'bounds': [0, 0, 10, 10]}, 8, 1.5, 0.2)

    def start(self, rng: np.random.Generator) -> Floats:
        """Draw poses, a robot in each quarter."""
        place = 5.0 + 2.2 * np.sign(_PLACES) + rng.uniform(-0.8, 0.8, (4, 2))
        return np.hstack([place, rng.uniform(-math.pi, math.pi, (4, 1))]).round(6)

    def aims(self, rng: np.random.Generator, start: Floats) -> Floats:
        """Draw where the square stands."""
        return (5.0 + rng.uniform(-0.5, 0.5, 2) + _PLACES).round(6)

    def weather(self, rng: np.random.Generator) -> Values:
        """Draw a steady wind and a gust."""
        ways = [[round(math.cos(angle), 6), round(math.sin(angle), 6), 0.0]
                for angle in rng.uniform(-math.pi, math.pi, 2).tolist()]
        return {'wind_direction': ways[0], 'wind_speed_mean': round(rng.uniform(0.0, 0.3), 6),
                'wind_gust_direction': ways[1],
                'wind_gust_speed_mean': round(rng.uniform(0.3, 0.9), 6),
                'wind_gust_start': round(rng.uniform(6.0, 10.0), 1),
                'wind_gust_duration': round(rng.uniform(3.0, 8.0), 1)}


def _error(track: Track) -> Floats:
    """Return the mean distance (m) from the places after the first quarter, (K,)."""
    off = distance(track.pose[len(track.pose) // 4:, ..., :2], track.goal)
    return np.asarray(off.mean(axis=(0, 2)))


def _near(track: Track) -> Floats:
    """Return the mean of 1 / (1 + metres from the place), (K,)."""
    return np.asarray((1.0 / (1.0 + distance(track.pose[..., :2], track.goal))).mean(axis=(0, 2)))


_FOLLOW = Entry(
    'follow_leader', 'A leader goes to its goal in wind, and three robots keep 2 m from it.',
    FollowLeader, _FollowInWind,
    Metric('followed', '1', 'share of its distance to the goal that the leader covers, times the '
           'mean of 1 / (1 + error of the 2 m) over the others', 'our own, with the parts of '
           'Desai et al. 2001', _followed),
    Rule(_follow, (2.0, 0.6, *fan(_BEAMS))), NAVIGATE, None, (8,))
_FORMATION = Entry(
    'formation', 'Four robots keep their places in a square, in gusts that they do not sense.',
    _Formation, _FormationInGusts,
    Metric('error', 'm', 'mean distance of robots from their places, after the first 5 s',
           'Oh, Park and Ahn 2015, formations by position', _error, higher=False),
    Rule(_keep_place, (8.0, 0.6, 2.0)), NAVIGATE, _near, (8,))
ENTRY = (_FOLLOW, _FORMATION)
