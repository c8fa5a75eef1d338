# SPDX-License-Identifier: Apache-2.0
"""Tasks of pushing boxes.

Task ``foraging``: s-bots push boxes into a nest.
Task ``box_pushing``: three s-bots push one box that is too heavy for one of them.
"""

from __future__ import annotations

import numpy as np

from sbot.learn.task import Moment, Task
from sbot.learn.tasks.entry import (
    CONTACT,
    Entry,
    Metric,
    Rule,
    SBots,
    Track,
    distance,
    s_bots,
)
from sbot_common.arrays import Floats, Integers

# Task ``foraging``: s-bots push boxes into a nest.

_NEST, _RADIUS = (0.35, 0.8), 0.4  # m
_BOXES = ((1.0, 0.4), (1.1, 0.8), (1.0, 1.2))  # m


def _push_home(inputs: Floats, weights: Floats, memory: Floats, outputs: Floats,
               layers: Integers, dt: float) -> None:
    """Push what is ahead while the nest is ahead; else turn, away from walls.

    Inputs goal (the nest), infrared.
    """
    left, right = inputs[3] + inputs[4], inputs[17] + inputs[16]
    if inputs[0] > weights[0] and left + right > 0.05:  # something between here and the nest
        turn = weights[1] * (left - right) + 0.3 * inputs[1]
        outputs[0], outputs[1] = 1.0 - turn, 1.0 + turn
        memory[0] = 0.0
    elif inputs[0] > weights[0] and memory[0] <= 0.0:  # the nest is ahead, and nothing to push
        outputs[0], outputs[1] = 1.0, 0.6
    elif left + right > 0.3:
        side = 1.0 if left > right else -1.0
        outputs[0], outputs[1] = side, -side
        memory[0] = 2.0
    else:
        memory[0] -= dt
        outputs[0], outputs[1] = 1.0, 1.0


class _Foraging(Task):
    """Push boxes to the goal.

    Reward of every robot: metres that the boxes came nearer to it, less 0.05 for a contact.
    """

    inputs: tuple[str, ...] = ('goal', 'infrared')

    def reward(self, before: Moment, now: Moment) -> Floats:
        """Return by how much boxes came nearer to the goal (m), the same for all robots."""
        if before.seen.boxes is None or now.seen.boxes is None:
            return np.zeros(now.seen.pose.shape[:2]) - CONTACT * now.seen.collided
        nest = now.goal[:, :1]
        nearer = (distance(before.seen.boxes[..., :2], nest)
                  - distance(now.seen.boxes[..., :2], nest)).sum(axis=1)
        return np.asarray(nearer[:, None] - CONTACT * now.seen.collided)


class _ForagingInBox(SBots, _Foraging):
    """Four s-bots, three boxes and a nest at a wall."""

    seconds, hold = 40.0, 1
    team = 4
    arena = s_bots(1.6, 1.6, boxes=[{'center': [*box], 'size': [0.1, 0.1], 'mass': 0.3}
                                    for box in _BOXES])

    def start(self, rng: np.random.Generator) -> Floats:
        """Draw poses along the wall across from the nest."""
        x = rng.uniform(1.3, 1.45, 4)
        y = 0.2 + 0.4 * np.arange(4) + rng.uniform(-0.05, 0.05, 4)
        return np.stack([x, y, rng.uniform(-np.pi, np.pi, 4)], axis=1).round(6)

    def aims(self, rng: np.random.Generator, start: Floats) -> Floats:
        """Return the nest."""
        return np.tile(_NEST, (4, 1))


def _home(track: Track) -> Floats:
    """Return how many boxes are in the nest at the end, (K,)."""
    assert track.boxes is not None
    inside = distance(track.boxes[1, ..., :2], np.array(_NEST)) <= _RADIUS
    return np.asarray(inside.sum(axis=1).astype(np.float64))


def _nearer(track: Track) -> Floats:
    """Return by how much the boxes came nearer to the nest, on average, (K,) m."""
    assert track.boxes is not None
    way = distance(track.boxes[..., :2], np.array(_NEST))
    return np.asarray((way[0] - way[1]).mean(axis=1))


FORAGING = Entry(
    'foraging', 'S-bots push three boxes into a nest, by infrared.', _Foraging, _ForagingInBox,
    Metric('brought home', 'boxes', 'boxes whose centre is in the nest after 40 s',
           'Winfield 2009, foraging robots', _home),
    Rule(_push_home, (0.5, 0.5), 1), fitness=_nearer)


_GOAL, _BOX = (2.1, 0.6), (0.9, 0.6)  # m


def _push_ahead(inputs: Floats, weights: Floats, memory: Floats, outputs: Floats,
                layers: Integers, dt: float) -> None:
    """Head for the goal and drive, whatever is in the way: inputs goal, infrared."""
    turn = weights[0] * inputs[1] if inputs[0] > 0.0 else (1.0 if inputs[1] > 0.0 else -1.0)
    ahead = max(0.0, inputs[0])
    outputs[0], outputs[1] = ahead - turn, ahead + turn


class _BoxPushingInHall(SBots, _Foraging):
    """A box of 10 kg, 0.5 m wide; s-bots of 0.7 kg behind it."""

    seconds, hold = 30.0, 1
    team = 3
    arena = s_bots(2.4, 1.2, boxes=[{'center': [*_BOX], 'size': [0.15, 0.5], 'mass': 10.0}])

    def start(self, rng: np.random.Generator) -> Floats:
        """Draw poses behind the box."""
        y = 0.3 + 0.3 * np.arange(3) + rng.uniform(-0.05, 0.05, 3)
        return np.stack([rng.uniform(0.2, 0.5, 3), y, rng.uniform(-0.8, 0.8, 3)], axis=1).round(6)

    def aims(self, rng: np.random.Generator, start: Floats) -> Floats:
        """Return where the box is to go."""
        return np.tile(_GOAL, (3, 1))


def _moved(track: Track) -> Floats:
    """Return by how much the box came nearer to the goal, (K,) m."""
    assert track.boxes is not None
    way = distance(track.boxes[:, :, 0, :2], np.array(_GOAL))
    return np.asarray(way[0] - way[1])


BOX_PUSHING = Entry(
    'box_pushing', 'Three s-bots push one heavy box.', _Foraging, _BoxPushingInHall,
    Metric('moved', 'm', "decrease of the box's distance to the goal in 30 s",
           'Mataric, Nilsson and Simsarian 1995', _moved),
    Rule(_push_ahead, (0.8,)))

ENTRY = (FORAGING, BOX_PUSHING)
