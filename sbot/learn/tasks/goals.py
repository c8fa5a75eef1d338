# SPDX-License-Identifier: Apache-2.0
"""Tasks of reaching goals.

Task ``reach_goal``: a robot reaches a goal behind pillars in wind, with a short-range laser.
Task ``doorway``: four robots, two from each side, pass one door.
Task ``corridor``: four robots, two from each end, pass a corridor of 2 m.
"""

from __future__ import annotations

import math
from typing import ClassVar

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
from sbot.navigation.scenes import box, wall_with_gaps
from sbot_common.arrays import Flags, Floats, Integers
from sbot_common.compiled.jit import njit, njit_inline

_TOLERANCE = 0.5  # m
_PILLARS = ((5.0, 4.0), (5.5, 8.5), (9.0, 6.0), (12.0, 9.0), (12.0, 3.5))  # m
_WIDTH, _HEIGHT = 17.0, 12.0  # m
_BEAMS, _SECTORS = 12, 16  # of the laser in the open, and at passages


class ReachGoal(Task):
    """Reach a goal in wind; a robot without a goal uses that of robot 0.

    Reward: approach to the goal (m), 1 for arriving, less 0.05 for a contact. Done: arrived.

    Parameters
    ----------
    tolerance : m from the goal that count as there

    """

    inputs: tuple[str, ...] = ('goal', 'wind', 'scan:16')
    hold = 3

    def __init__(self, tolerance: float = 1.0) -> None:
        self.tolerance = tolerance

    def reward(self, before: Moment, now: Moment) -> Floats:
        """Return the approach (m), and the rewards for arriving and for contacts."""
        found = np.empty(now.seen.collided.shape)
        _approach(before.seen.pose, before.goal, now.seen.pose, now.goal, now.seen.collided,
                  self.tolerance, found)
        return found

    def ended(self, now: Moment) -> Flags:
        """Tell which robots have arrived."""
        found = np.empty(now.seen.collided.shape, np.bool_)
        _arrive(now.seen.pose, now.goal, self.tolerance, found)
        return found


@njit_inline
def _way(place: Floats, goal: Floats) -> float:
    x, y = place[0] - goal[0], place[1] - goal[1]
    return math.sqrt(x * x + y * y)


@njit
def _arrive(pose: Floats, goal: Floats, tolerance: float, found: Flags) -> None:
    """Find which robots (K, N) are no farther from their goals than that."""
    for k in range(len(pose)):
        for i in range(pose.shape[1]):
            found[k, i] = _way(pose[k, i], goal[k, i]) <= tolerance


@njit
def _approach(before: Floats, aimed: Floats, pose: Floats, goal: Floats, collided: Flags,
              tolerance: float, found: Floats) -> None:
    """Find the rewards of robots (K, N) that come nearer to their goals (m), or arrive."""
    for k in range(len(pose)):
        for i in range(pose.shape[1]):
            left = _way(pose[k, i], goal[k, i])
            nearer = _way(before[k, i], aimed[k, i]) - left
            found[k, i] = nearer + (left <= tolerance) - CONTACT * collided[k, i]


class _Going(Scene, ReachGoal):
    """Robots with a laser of short range that reach their goals."""

    outputs, max_speed, turn, hold = 'twist', ROBOT_SPEED, ROBOT_TURN, 4

    def __init__(self) -> None:
        super().__init__(_TOLERANCE)


def _arrived(track: Track) -> Flags:
    return np.asarray(distance(track.pose[..., :2], track.goal) <= _TOLERANCE)


def _clean_time(track: Track) -> Floats:
    """Return the mean time (s) until a robot is first at its goal, (K,).

    For a robot that never is, or touches anything on its way, it is the end.
    """
    there = _arrived(track)
    clean = there.any(axis=0) & ~track.touched(there).any(axis=0)
    first = np.where(clean, there.argmax(axis=0), len(there))
    return np.asarray((first * track.dt).mean(axis=1))


def _nearing(track: Track) -> Floats:
    """Return minus the time, as a share, the mean share of the way left, and contacts, (K,)."""
    way = distance(track.pose[..., :2], track.goal)
    left: Floats = (way.mean(axis=0) / way[0]).mean(axis=1)
    late = _clean_time(track) / (len(way) * track.dt)
    return np.asarray(-late - left - track.scratches(_arrived(track)))


# Task ``reach_goal``: a robot reaches a goal behind pillars.

def fan(beams: int) -> tuple[float, ...]:
    """Return cosines and sines of that many beams, from the right to the left."""
    angles = [math.pi * (k / (beams - 1) - 0.5) for k in range(beams)]
    return (*(round(math.cos(angle), 6) for angle in angles),
            *(round(math.sin(angle), 6) for angle in angles))


def _go_there(inputs: Floats, weights: Floats, memory: Floats, outputs: Floats,
              layers: Integers, dt: float) -> None:
    """Drive to the goal, repelled by obstacles: inputs goal, twist, scan:S.

    Weights: _PUSHED, then the fan of sectors.
    """
    sectors = len(inputs) - 6
    x, y = inputs[0], inputs[1]
    for s in range(sectors):
        near = max(0.0, inputs[6 + s] - weights[1])
        x -= weights[0] * near * weights[5 + s]
        y -= weights[0] * near * weights[5 + sectors + s]
    length = (x * x + y * y) ** 0.5 + 1e-9
    x, y = x / length, y / length
    turn = weights[2] * y if x > 0.0 else (1.0 if y > 0.0 else -1.0)
    slow = min(1.0, weights[3] * inputs[2])  # near the goal
    outputs[0] = max(0.0, min(1.0, weights[4] * x)) * slow
    outputs[1] = turn


class _ReachInWind(_Going):
    """Reach a goal 8 m away or more, in a wind that is not sensed."""

    inputs = ('goal', 'twist', f'scan:{_BEAMS}')
    seconds = 30.0
    arena = robots({'bounds': [0, 0, _WIDTH, _HEIGHT], 'circles': [
        {'center': [*pillar], 'radius': 0.8} for pillar in _PILLARS]}, _BEAMS, 2.0, _TOLERANCE)

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


# Tasks ``doorway`` and ``corridor``: four robots, two from each side, pass.

def _through_the_gap(inputs: Floats, weights: Floats, memory: Floats, outputs: Floats,
                     layers: Integers, dt: float) -> None:
    """Drive where the way is free for a body's width, towards the goal and a little to the right.

    Inputs goal, twist, scan:S. Weights: _PASSED, then the fan of sectors. Ways are shares of the
    laser's range, along each sector's middle (as those of a dynamic window). The speed is that
    of the free way ahead.
    """
    sectors = len(inputs) - 6
    best, x, y, free = -1e9, 1.0, 0.0, weights[3]
    for s in range(sectors + 1):
        # The last one is straight ahead, which is not chosen, but limits the speed.
        cosine, sine = (weights[9 + s], weights[9 + sectors + s]) if s < sectors else (1.0, 0.0)
        way = weights[3]
        for t in range(sectors):
            share = 1.0 - inputs[6 + t]
            ahead = share * (cosine * weights[9 + t] + sine * weights[9 + sectors + t])
            beside = share * (cosine * weights[9 + sectors + t] - sine * weights[9 + t])
            if ahead > 0.0 and abs(beside) < weights[0]:
                way = min(way, ahead)
        worth = cosine * inputs[0] + sine * inputs[1] + weights[1] * way - weights[2] * sine
        if s == sectors:
            free = way
        elif worth > best:
            best, x, y = worth, cosine, sine
    if inputs[0] < -0.3:  # the goal is behind: turn
        x, y = 0.0, (1.0 if inputs[1] > 0.0 else -1.0)
    brake = min(1.0, max(0.0, weights[4] * (free - weights[5])))
    outputs[0] = max(0.0, min(1.0, weights[8] * x)) * brake * min(1.0, weights[6] * inputs[2])
    outputs[1] = weights[7] * y


class _Passing(_Going):
    """Two robots on each side of a passage, with goals on the other side."""

    inputs = ('goal', 'twist', f'scan:{_SECTORS}')
    team = 4
    sides: ClassVar[tuple[float, float]] = (0.0, 0.0)  # m, x of the middles of both groups

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


class _Doorway(_Passing):
    """A door of 1.2 m, as ``doorway/1.2`` of ``sbot bench navigation`` has it, for four robots."""

    seconds = 30.0
    sides = (4.0, 10.0)
    arena: ClassVar[Values] = robots(
        {'bounds': [0, 0, 14, 8], 'rectangles': wall_with_gaps(7.0, 0, 8, [(4.0, 1.2)])},
        _SECTORS, 4.0, _TOLERANCE)


class _Corridor(_Passing):
    """A corridor of 2 m, 5 m long, after ``corridor/2.0`` of ``sbot bench navigation``."""

    seconds = 40.0
    sides = (4.0, 13.0)
    arena: ClassVar[Values] = robots(
        {'bounds': [0, 0, 17, 8],
         'rectangles': [box(8.5, 1.5, 5.0, 3.0), box(8.5, 6.5, 5.0, 3.0)]},
        _SECTORS, 4.0, _TOLERANCE)


def _entry(name: str, text: str, scene: type[_Going], time: str, source: str,
           rule: Rule) -> Entry:
    metric = Metric('clean time', 's', f'{time} for a robot that does not arrive, or touches '
                    'anything before', source, _clean_time, higher=False)
    return Entry(name, text, ReachGoal, scene, metric, rule, NAVIGATE, _nearing, (8,),
                 arrived=_arrived)


_CHANDRA = 'Chandra et al. 2025, arXiv 2508.13459'
_PUSHED = ('push of what is near', 'share from which it is near', 'gain of the turn',
           'speed near the goal', 'speed in turns')
_PASSED = ('half the width that is free', 'worth of a free way', 'preference of the right',
           'longest way that counts', 'gain of the brake', 'way at which it stops',
           'speed near the goal', 'gain of the turn', 'speed in turns')
_PASS = Rule(_through_the_gap, (0.087, 2.0, 0.4, 1.0, 2.0, 0.13, 2.0, 3.0, 1.0, *fan(_SECTORS)),
             constants=_PASSED)
ENTRY = (
    _entry('reach_goal',
           'A robot reaches a goal behind pillars, in a wind that it does not sense.',
           _ReachInWind, 'time of arrival; 30 s', 'Francis et al. 2023, arXiv 2306.16740',
           Rule(_go_there, (2.0, 0.5, 1.5, 2.0, 1.0, *fan(_BEAMS)), constants=_PUSHED)),
    _entry('doorway', 'Four robots, two from each side, pass a door of 1.2 m.', _Doorway,
           'mean time of arrival; 30 s', _CHANDRA, _PASS),
    _entry('corridor', 'Four robots, two from each end, pass a corridor of 2 m.', _Corridor,
           'mean time of arrival; 40 s', _CHANDRA, _PASS))
