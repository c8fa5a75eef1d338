# SPDX-License-Identifier: Apache-2.0
"""Tasks of roaming.

Task ``avoid_obstacles``: s-bots drive fast, straight and away from obstacles, by infrared.
Task ``coverage``: s-bots drive over the floor, by infrared and bearings.
Task ``patrol``: they do so again and again, in wind and with noise.
"""

from __future__ import annotations

import math
from itertools import product
from typing import ClassVar

import numpy as np

from sbot.controllers.neural.inputs import CONTACT_READING
from sbot.controllers.neural.network import WHEELS
from sbot.learn.task import Moment, Task
from sbot.learn.tasks.entry import (
    CONTACT,
    S_BOT_SPEED,
    S_BOT_WHEELS,
    Entry,
    Metric,
    Rule,
    SBots,
    Track,
    Values,
    less_scratches,
    s_bots,
)
from sbot_common.arrays import Floats, Integers
from sbot_common.observation import OMEGA, VX


class AvoidObstacles(Task):
    """Drive fast, straight and far from everything, by infrared.

    Reward per second: V (1 - sqrt(turning)) (1 - nearest reading), each in [0, 1], after
    D. Floreano and F. Mondada (1994), with V the speed ahead; less 0.05 for a contact.
    """

    inputs: tuple[str, ...] = ('infrared',)
    senses = ('infrared',)

    def reward(self, before: Moment, now: Moment) -> Floats:
        """Return speed times straightness times distance."""
        v, omega = now.commands[..., VX], now.commands[..., OMEGA]
        speed, turn = now.limits.T
        turning = np.abs(omega) * (0.5 * turn / speed if now.network.outputs == WHEELS
                                   else 1.0 / turn)
        assert now.seen.infrared is not None
        near = now.seen.infrared.max(axis=2).astype(np.float64) / CONTACT_READING
        fast = np.clip(v / speed, 0.0, 1.0)
        good = fast * (1.0 - np.sqrt(np.minimum(1.0, turning))) * (1.0 - np.minimum(1.0, near))
        return np.asarray(self.hold * now.dt * good - CONTACT * now.seen.collided)


def _turn_away(inputs: Floats, weights: Floats, memory: Floats, outputs: Floats,
               layers: Integers, dt: float) -> None:
    """Go ahead, a little away from the sides; turn on the spot while something is ahead.

    The side is kept until nothing is ahead any more, so that no corner holds a robot.
    """
    left, right = 0.0, 0.0
    for i in range(3):  # from ahead on, 0 to 2 look to the left, 14 to 12 to the right
        left += inputs[i]
        right += inputs[14 - i]
    if left + right < weights[0]:
        memory[0] = 0.0
        turn = weights[1] * (right - left)
        outputs[0], outputs[1] = 1.0 - turn, 1.0 + turn
        return
    if memory[0] == 0.0:
        memory[0] = 1.0 if left > right else -1.0
    outputs[0], outputs[1] = weights[2] * memory[0], -weights[2] * memory[0]


class _AvoidInBox(SBots, AvoidObstacles):
    """Five s-bots in a box with two pillars."""

    inputs = ('infrared',)
    seconds, hold = 60.0, 1
    team = 5
    arena = s_bots(1.6, 1.6, circles=[{'center': [0.5, 0.6], 'radius': 0.12},
                                      {'center': [1.1, 1.1], 'radius': 0.15}])


def _free_ride(track: Track) -> Floats:
    """Return the mean of V (1 - sqrt(turning)) (1 - nearest), less contacts, (K,)."""
    assert track.infrared is not None
    fast = np.clip(track.command[1:, ..., VX] / S_BOT_SPEED, 0.0, 1.0)
    turning = np.abs(track.command[1:, ..., OMEGA]) * 0.5 * S_BOT_WHEELS / S_BOT_SPEED
    near = np.minimum(1.0, track.infrared[1:].max(axis=3) / CONTACT_READING)
    good = fast * (1.0 - np.sqrt(np.minimum(1.0, turning))) * (1.0 - near)
    return np.asarray((good - track.collided[1:]).mean(axis=(0, 2)))


_AVOID = Entry(
    'avoid_obstacles', 'S-bots drive fast, straight and away from obstacles, by infrared.',
    AvoidObstacles, _AvoidInBox,
    Metric('free ride', '1', 'mean of speed, straightness and free space, each in [0, 1], minus '
           'the share of ticks in contact', 'Floreano and Mondada 1994', _free_ride),
    Rule(_turn_away, (0.05, 0.0, 1.0), 1, (
        'readings that are near', 'turn from the sides', 'speed of turns')),
    infrared=True)


# Task ``coverage``: s-bots drive over the floor.

_WIDTH, _HEIGHT, _CELL = 2.0, 2.0, 0.1  # m
_RADIUS = 0.058 + 0.05  # m from the centre that count as passed over
_PILLAR, _PILLAR_RADIUS = (0.7, 0.8), 0.15  # m


def _bounce(inputs: Floats, weights: Floats, memory: Floats, outputs: Floats,
            layers: Integers, dt: float) -> None:
    """Go straight until something is near ahead, then turn away from it for a while.

    The while is another one each time, as of a vacuum cleaner that bounces. Straight may be a
    curve, and away from the others.
    """
    left = inputs[0] + inputs[1]
    right = inputs[14] + inputs[13]
    if memory[0] <= 0.0 and left + right > weights[0]:
        memory[1] = (memory[1] + 0.618034) % 1.0
        memory[0] = weights[1] + weights[2] * memory[1]  # s
        memory[2] = 1.0 if left > right else -1.0
    if memory[0] > 0.0:
        memory[0] -= dt
        outputs[0], outputs[1] = memory[2], -memory[2]
    else:
        turn = weights[3] - weights[4] * inputs[16]
        outputs[0], outputs[1] = 1.0 - turn, 1.0 + turn


class _Coverage(AvoidObstacles):
    """Pass over the floor.

    The reward is that of ``AvoidObstacles``, for driving on through free room, wherever a robot
    has been.
    """

    inputs: tuple[str, ...] = ('infrared', 'neighbours')


class _CoverageInBox(SBots, _Coverage):
    """Four s-bots in a box of 4 square metres with a pillar."""

    seconds, hold = 60.0, 4
    team = 4
    arena = s_bots(_WIDTH, _HEIGHT,
                   circles=[{'center': [*_PILLAR], 'radius': _PILLAR_RADIUS}])


def _passed_over(place: Floats) -> Floats:
    """Return the share of the free cells that robots at places (T, K, N, 2) pass over, (K,)."""
    x = np.arange(0.5 * _CELL, _WIDTH, _CELL)
    off = np.stack(np.meshgrid(x, x), axis=-1) - np.array(_PILLAR)
    free = off[..., 0] ** 2 + off[..., 1] ** 2 > _PILLAR_RADIUS ** 2
    here = np.floor(place / _CELL).astype(np.int64)
    worlds = np.broadcast_to(np.arange(place.shape[1])[:, None], place.shape[:3])
    passed = np.zeros((place.shape[1], *free.shape), np.bool_)
    for beside in product((-1, 0, 1), repeat=2):  # 0.108 m reach no farther cell's centre
        cell = np.clip(here + beside, 0, len(x) - 1)
        near = ((place - x[cell]) ** 2).sum(axis=-1) <= _RADIUS ** 2
        passed[worlds[near], cell[near, 1], cell[near, 0]] = True
    return np.asarray(passed[:, free].mean(axis=1))


def _covered(track: Track) -> Floats:
    """Return the share of the free cells that some robot passed over, less for contacts, (K,)."""
    share = _passed_over(track.pose[::5, ..., :2])  # every 4 cm
    return np.asarray(share * track.without_contact())


_COVERAGE = Entry(
    'coverage', 'S-bots drive over much of the floor, by infrared and bearings.', _Coverage,
    _CoverageInBox,
    Metric('covered', '1', 'share of the free cells of 0.1 m whose centre a robot has passed '
           'within 0.11 m, times the share of time without contact',
           'Gage 1992, sweep coverage', _covered),
    Rule(_bounce, (0.1, 0.2, 0.8, 0.0, 0.0), 3, (
        'readings that are near', 'least turn, s', 'range of turns, s', 'curve',
        'turn from the others')), fitness=less_scratches(_covered), hidden=(6,))

# Task ``patrol``: the floor is to be passed over again and again, in wind, by noisy infrared.

_WINDOW = 200  # ticks in which the floor is to be passed over, again and again


class _PatrolInWind(_CoverageInBox):
    """The box of ``coverage`` in wind and a gust, which are a third of the robots' speed."""

    inputs = ('infrared', 'neighbours', 'wind')
    hold = 1
    arena: ClassVar[Values] = {**_CoverageInBox.arena,
                               'sensors': {**_CoverageInBox.arena['sensors'],
                                           'infrared_noise': 0.3}}

    def weather(self, rng: np.random.Generator) -> Values:
        """Draw wind and gust."""
        wind, gust = rng.uniform(-math.pi, math.pi, 2)
        return {'wind_direction': [math.cos(wind), math.sin(wind), 0.0],
                'wind_speed_mean': float(rng.uniform(0.01, 0.03)),
                'wind_gust_direction': [math.cos(gust), math.sin(gust), 0.0],
                'wind_gust_speed_mean': 0.03, 'wind_gust_start': float(rng.uniform(5.0, 30.0)),
                'wind_gust_duration': 20.0}


def _steer(inputs: Floats, weights: Floats, memory: Floats, outputs: Floats,
           layers: Integers, dt: float) -> None:
    """Turn away from what is near; where it is near ahead, turn on the spot for a while.

    The while is another one each time. The others and the wind turn the robot, too.
    """
    left, right = 0.0, 0.0
    for i in range(7):
        share = 1.0 / (1.0 + weights[9] * i)
        left += share * inputs[i]
        right += share * inputs[14 - i]
    ahead = inputs[0] + inputs[14] + weights[10] * (inputs[1] + inputs[13])
    if memory[0] <= 0.0 and ahead > weights[0]:
        memory[1] = (memory[1] + 0.618034) % 1.0
        memory[0] = weights[1] + weights[2] * memory[1]  # s
        memory[2] = 1.0 if left > right else -1.0
    if memory[0] > 0.0:
        memory[0] -= dt
        outputs[0], outputs[1] = memory[2], -memory[2]
        return
    turn = weights[3] + weights[4] * (right - left) - weights[5] * inputs[16]
    turn += weights[6] * inputs[19]
    speed = weights[7] - weights[8] * (left + right) + weights[11] * inputs[18]
    outputs[0], outputs[1] = speed - turn, speed + turn


def _visited(track: Track) -> Floats:
    """Return the mean share of free cells passed over in 20 s, less for contacts, (K,)."""
    starts = range(0, len(track.pose) - _WINDOW + 1, _WINDOW)
    share = np.mean([_passed_over(track.pose[a:a + _WINDOW:5, ..., :2]) for a in starts], axis=0)
    return np.asarray(share * track.without_contact())


_STEERING = (
    'readings that are near', 'least turn, s', 'range of turns, s', 'curve',
    'turn from what is near', 'turn from the others', 'turn with the wind', 'speed',
    'brake at what is near', 'fall of weights to the back', 'weight beside ahead',
    'speed by the wind')
_PATROL = Entry(
    'patrol', 'S-bots pass over the floor again and again, in wind, by noisy infrared.', _Coverage,
    _PatrolInWind,
    Metric('visited', '1', 'share of the free cells that are passed over in 20 s, as in '
           '`coverage`, mean of three times 20 s, times the share of time without contact',
           'Gage 1992, sweep coverage', _visited),
    Rule(_steer, (0.15, 0.05, 0.8, 0.05, 1.2, 0.65, 0.9, 1.05, 0.2, 0.3, 0.3, 0.5), 3,
         _STEERING),
    fitness=less_scratches(_visited), hidden=(6,))

ENTRY = (_AVOID, _COVERAGE, _PATROL)
