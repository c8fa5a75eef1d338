"""Task ``coverage``: s-bots drive over the floor, by infrared and bearings."""

from __future__ import annotations

import numpy as np

from sbot.learn.shipped import AvoidObstacles
from sbot.learn.tasks.entry import Entry, Metric, Rule, SBots, Track, s_bots
from sbot_common.arrays import Floats, Integers

_WIDTH, _HEIGHT, _CELL = 2.0, 2.0, 0.1  # m
_RADIUS = 0.058 + 0.05  # m from the centre that count as passed over
_PILLAR, _PILLAR_RADIUS = (0.7, 0.8), 0.15  # m


def bounce(inputs: Floats, weights: Floats, memory: Floats, outputs: Floats,
           layers: Integers, dt: float) -> None:
    """Go straight until something is near ahead, then turn away from it for a while.

    The while is another one each time, as of a vacuum cleaner that bounces.
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
        outputs[0], outputs[1] = 1.0, 1.0


class Coverage(AvoidObstacles):
    """Pass over the floor.

    A task keeps no state, so the reward cannot know where a robot has been: it is that of
    ``AvoidObstacles``, for driving on through free room.
    """

    inputs: tuple[str, ...] = ('infrared', 'neighbours')


class CoverageInBox(SBots, Coverage):
    """Four s-bots in a box of 4 square metres with a pillar."""

    seconds, hold = 60.0, 4
    team = 4
    arena = s_bots(_WIDTH, _HEIGHT,
                   circles=[{'center': [*_PILLAR], 'radius': _PILLAR_RADIUS}])


def covered(track: Track) -> Floats:
    """Return the share of the free cells that some robot has passed over, (K,)."""
    x = np.arange(0.5 * _CELL, _WIDTH, _CELL)
    cells = np.stack(np.meshgrid(x, x), axis=-1).reshape(-1, 2)
    off = cells - np.array(_PILLAR)
    cells = cells[off[:, 0] ** 2 + off[:, 1] ** 2 > _PILLAR_RADIUS ** 2]
    place = track.pose[::5, ..., :2]  # every 4 cm
    passed = np.zeros((place.shape[1], len(cells)), np.bool_)
    for k in range(place.shape[1]):
        points = place[:, k].reshape(-1, 2)
        off_x = points[:, 0, None] - cells[:, 0]
        off_y = points[:, 1, None] - cells[:, 1]
        passed[k] = (off_x * off_x + off_y * off_y <= _RADIUS ** 2).any(axis=0)
    return np.asarray(passed.mean(axis=1))


ENTRY = Entry(
    'coverage', 'S-bots drive over much of the floor, by infrared and bearings.', Coverage,
    CoverageInBox,
    Metric('covered', '1', 'share of the free cells of 0.1 m whose centre a robot has passed '
           'within 0.11 m', 'Gage 1992, sweep coverage', covered),
    Rule(bounce, (0.1, 0.2, 0.8), 3), hidden=(6,))
