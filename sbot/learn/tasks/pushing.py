"""Task ``box_pushing``: three s-bots push one box that is too heavy for one of them."""

from __future__ import annotations

import numpy as np

from sbot.learn.shipped import distance
from sbot.learn.task import Floats
from sbot.learn.tasks.entry import Entry, Integers, Metric, Rule, SBots, Track, s_bots
from sbot.learn.tasks.foraging import Foraging

_GOAL, _BOX = (2.1, 0.6), (0.9, 0.6)  # m


def push_ahead(inputs: Floats, weights: Floats, memory: Floats, outputs: Floats,
               layers: Integers, dt: float) -> None:
    """Head for the goal and drive, whatever is in the way: inputs goal, infrared."""
    turn = weights[0] * inputs[1] if inputs[0] > 0.0 else (1.0 if inputs[1] > 0.0 else -1.0)
    ahead = max(0.0, inputs[0])
    outputs[0], outputs[1] = ahead - turn, ahead + turn


class BoxPushing(Foraging):
    """Push a box together; the reward is as in ``Foraging``."""


class BoxPushingInHall(SBots, BoxPushing):
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


def moved(track: Track) -> Floats:
    """Return by how much the box came nearer to the goal, (K,) m."""
    assert track.boxes is not None
    way = distance(track.boxes[:, :, 0, :2], np.array(_GOAL))
    return np.asarray(way[0] - way[1])


ENTRY = Entry(
    'box_pushing', 'Three s-bots push one heavy box.', BoxPushing, BoxPushingInHall,
    Metric('moved', 'm', "decrease of the box's distance to the goal in 30 s",
           'Mataric, Nilsson and Simsarian 1995', moved),
    Rule(push_ahead, (0.8,)))
