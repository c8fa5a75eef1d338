"""Task ``flocking``: s-bots move together in one direction, by infrared and bearings."""

from __future__ import annotations

import numpy as np

from sbot.learn.shipped import CONTACT, distance
from sbot.learn.task import Moment, Task
from sbot.learn.tasks.entry import Entry, Metric, Rule, SBots, Track, largest_group, order, s_bots
from sbot_common.arrays import Floats, Integers

_REACH = 0.6  # m, robots so near belong together
_FAST = 0.06  # m/s, the order of slower flocks counts less


def boids(inputs: Floats, weights: Floats, memory: Floats, outputs: Floats,
          layers: Integers, dt: float) -> None:
    """Turn to where the others are heard (cohesion), and away from near ones (separation).

    Headings are not sensed, so nobody can align: inputs infrared, neighbours.
    """
    left = inputs[0] + inputs[1] + inputs[2]
    right = inputs[14] + inputs[13] + inputs[12]
    turn = weights[0] * inputs[16] + weights[1] * (right - left)
    ahead = 1.0 if inputs[15] > -0.2 else weights[2]  # whoever is in front waits
    if left + right > 0.8:
        ahead = 0.2
    outputs[0], outputs[1] = ahead - turn, ahead + turn


class Flocking(Task):
    """Move the same way as the others, near to them.

    Reward: metres made along the way of all, in shares of the greatest speed, over 1 + metres
    from the centre; less 0.05 for a contact.
    """

    inputs: tuple[str, ...] = ('infrared', 'neighbours')
    hold = 5

    def reward(self, before: Moment, now: Moment) -> Floats:
        """Return how well each robot moves with the others."""
        place = now.seen.pose[..., :2]
        moved = place - before.seen.pose[..., :2]
        whole = moved.sum(axis=1, keepdims=True)
        norm = np.sqrt((whole ** 2).sum(axis=2))
        along = np.divide((moved * whole).sum(axis=2), norm, out=np.zeros_like(moved[..., 0]),
                          where=norm > 0.0)
        off = distance(place, place.mean(axis=1, keepdims=True))
        return np.asarray(
            along / now.network.max_speed / (1.0 + off) - CONTACT * now.seen.collided)


class FlockingInBox(SBots, Flocking):
    """Four s-bots that begin near each other in a box of 9 square metres."""

    seconds = 60.0
    team = 4
    arena = s_bots(3.0, 3.0)

    def start(self, rng: np.random.Generator) -> Floats:
        """Draw poses on a grid of 0.3 m, with any heading."""
        corner = rng.uniform(0.6, 2.1, 2)
        grid = np.array([[0.3 * (i % 2), 0.3 * (i // 2)] for i in range(4)])
        place = corner + grid + rng.uniform(-0.03, 0.03, (4, 2))
        return np.hstack([place, rng.uniform(-np.pi, np.pi, (4, 1))]).round(6)


def flock(track: Track) -> Floats:
    """Return the mean of order, share of the largest group, and share of full speed, (K,)."""
    place = track.pose[::5, ..., :2]
    speed = np.sqrt((np.diff(place.mean(axis=2), axis=0) ** 2).sum(axis=2)) / (5 * track.dt)
    ordered = order(track._replace(pose=track.pose[::5]))
    together = largest_group(place[1:], _REACH)
    moving = np.minimum(1.0, speed / _FAST)
    return np.asarray((ordered * together * moving).mean(axis=0))


ENTRY = Entry(
    'flocking', 'S-bots move together in one direction, by infrared and bearings.', Flocking,
    FlockingInBox,
    Metric('flock', '1', 'mean of order (the length of the mean direction) times the share in '
           'the largest group; lower if the centre moves slower than 0.06 m/s',
           'order: Vicsek et al. 1995', flock),
    Rule(boids, (0.4, 1.0, 0.4)), hidden=(6,))
