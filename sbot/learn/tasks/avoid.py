"""Task ``avoid_obstacles``: s-bots drive fast, straight and away from obstacles, by infrared."""

from __future__ import annotations

import numpy as np

from sbot.controllers.neural.inputs import CONTACT_READING
from sbot.learn.shipped import AvoidObstacles
from sbot.learn.tasks.entry import (
    S_BOT_SPEED,
    S_BOT_WHEELS,
    Entry,
    Metric,
    Rule,
    SBots,
    Track,
    s_bots,
)
from sbot_common.arrays import Floats, Integers
from sbot_common.observation import OMEGA, VX


def turn_away(inputs: Floats, weights: Floats, memory: Floats, outputs: Floats,
              layers: Integers, dt: float) -> None:
    """Go ahead; turn on the spot, away from the nearer side, while something is ahead.

    The side is kept until nothing is ahead any more, so that no corner holds a robot.
    """
    left, right = 0.0, 0.0
    for i in range(3):  # from ahead on, 0 to 2 look to the left, 14 to 12 to the right
        left += inputs[i]
        right += inputs[14 - i]
    if left + right < weights[0]:
        memory[0] = 0.0
        outputs[0], outputs[1] = 1.0, 1.0
        return
    if memory[0] == 0.0:
        memory[0] = 1.0 if left > right else -1.0
    outputs[0], outputs[1] = memory[0], -memory[0]


class AvoidInBox(SBots, AvoidObstacles):
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


ENTRY = Entry(
    'avoid_obstacles', 'S-bots drive fast, straight and away from obstacles, by infrared.',
    AvoidObstacles, AvoidInBox,
    Metric('free ride', '1', 'mean of speed, straightness and free space, each in [0, 1], minus '
           'the share of ticks in contact', 'Floreano and Mondada 1994', _free_ride),
    Rule(turn_away, (0.05,), 1), infrared=True)
