# SPDX-License-Identifier: Apache-2.0
"""Tasks of swarms.

Task ``aggregate``: s-bots gather, by infrared and bearings.
Task ``gather``: the same, and s-bots touch nothing.
Task ``flocking``: s-bots move together in one direction, by infrared and bearings.
Task ``pursuit``: three s-bots catch a fourth, robot 0, which flees at the same speed.
"""

from __future__ import annotations

import math

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
    less_scratches,
    s_bots,
)
from sbot_common.arrays import Flags, Floats, Integers

# Task ``aggregate``: s-bots gather.

class Aggregate(Task):
    """Come together; the reward is how much nearer (m) the others are, on average."""

    inputs: tuple[str, ...] = ('infrared',)

    def reward(self, before: Moment, now: Moment) -> Floats:
        """Return by how much the mean distance to the others shrank (m)."""
        return _mean_distances(before) - _mean_distances(now)


def _mean_distances(now: Moment) -> Floats:
    """Return the mean distance of each robot to the others (K, N), m."""
    place = now.seen.pose[..., :2]
    total = distance(place[:, :, None], place[:, None, :]).sum(axis=2)
    return np.asarray(total / max(1, place.shape[1] - 1))


def _to_the_others(inputs: Floats, weights: Floats, memory: Floats, outputs: Floats,
                   layers: Integers, dt: float) -> None:
    """Turn to where most other robots are heard, and drive there; if none is, drive an arc."""
    x, y, share = inputs[15], inputs[16], inputs[17]
    near = max(inputs[0], inputs[14])
    if share == 0.0:  # an arc; from a wall it turns away
        outputs[0], outputs[1] = (1.0, -1.0) if near > 0.2 else (1.0, 0.9)
        return
    ahead = max(0.0, x) * (0.0 if near > weights[0] else 1.0)
    turn = weights[1] * y if x > 0.0 else (1.0 if y > 0.0 else -1.0)
    outputs[0], outputs[1] = ahead - turn, ahead + turn


class _AggregateInBox(SBots, Aggregate):
    """Eight s-bots in a box, as in the scenario ``evolved_aggregation``."""

    inputs = ('infrared', 'neighbours')
    seconds, hold = 50.0, 1
    team = 8
    arena = s_bots(2.2, 2.2)


def _contraction(track: Track) -> Floats:
    """Return the share by which the mean distance to the centre shrank, (K,)."""
    place = track.pose[..., :2]
    spread = distance(place, place.mean(axis=2, keepdims=True)).mean(axis=2)
    shrunk: Floats = 1.0 - spread[-len(spread) // 3:].mean(axis=0) / spread[0]
    return shrunk


_AGGREGATE = Entry(
    'aggregate', 'S-bots gather, by infrared and bearings.', Aggregate,
    _AggregateInBox,
    Metric('contraction', '1', "decrease of the robots' mean distance to their common centre, as "
           'a share, in the last third', 'after the dispersion of Gauci et al. 2014',
           _contraction),
    Rule(_to_the_others, (0.5, 0.3)), hidden=(6,))


# Task ``gather``: s-bots gather without contacts.

def _pushed(inputs: Floats, weights: Floats, memory: Floats, outputs: Floats,
            layers: Integers, dt: float) -> None:
    """Drive along a force: to where the others are heard, and away from what is near.

    Who hears nobody drives a curve. Weights: _FORCES, then cosines and sines of the infrared.
    """
    x, y = weights[0] * inputs[15], weights[0] * inputs[16]
    if inputs[17] == 0.0:
        x, y = 1.0, weights[5]
    for i in range(15):
        near = max(0.0, inputs[i] - weights[2])
        x -= weights[1] * near * weights[7 + i]
        y -= weights[1] * near * weights[22 + i]
    force = math.sqrt(x * x + y * y)
    if force < weights[6]:
        outputs[0], outputs[1] = 0.0, 0.0
        return
    ahead = max(-1.0, min(1.0, weights[4] * x))
    turn = weights[3] * y / force
    if ahead < -0.3:  # backwards
        turn = -turn
    elif x < 0.0:
        turn = weights[3] if y > 0.0 else -weights[3]
    outputs[0], outputs[1] = ahead - turn, ahead + turn


def _gathered(track: Track) -> Floats:
    """Return the contraction times the share of time without contact, (K,)."""
    return np.asarray(_contraction(track) * track.without_contact())


_FORCES = ('attraction', 'push of what is near', 'reading from which it is near',
           'gain of the turn', 'gain of the speed', 'curve', 'force that moves')
_RAYS = [2.0 * math.pi * (i + 0.5) / 15 for i in range(15)]
_GATHER = Entry(
    'gather', 'S-bots gather and touch nothing, by infrared and bearings.', Aggregate,
    _AggregateInBox,
    Metric('gathered', '1', 'contraction as in `aggregate`, times the share of time without '
           'contact', 'after the dispersion of Gauci et al. 2014', _gathered),
    Rule(_pushed, (1.0, 2.0, 0.1, 0.4, 1.0, 0.1, 0.2,
                   *(round(math.cos(ray), 6) for ray in _RAYS),
                   *(round(math.sin(ray), 6) for ray in _RAYS)), constants=_FORCES),
    fitness=less_scratches(_gathered), hidden=(6,))


def _largest_group(place: Floats, reach: float) -> Floats:
    """Return the share of points (..., N, 2) in the largest group that chains of a reach join."""
    n = place.shape[-2]
    joined = distance(place[..., :, None, :], place[..., None, :, :]) <= reach
    for _ in range(max(1, n.bit_length())):  # chains of twice the length at each turn
        joined = np.einsum('...ij,...jk->...ik', joined.astype(np.float32),
                           joined.astype(np.float32)) > 0.0
    return np.asarray(joined.sum(axis=-1).max(axis=-1) / n)


def _order(track: Track) -> Floats:
    """Return how much robots move the same way in each tick but the first, (T - 1, K)."""
    moved = np.diff(track.pose[..., :2], axis=0)
    total = np.sqrt((moved ** 2).sum(axis=3)).sum(axis=2)
    whole = np.sqrt((moved.sum(axis=2) ** 2).sum(axis=2))
    return np.asarray(np.divide(whole, total, out=np.zeros_like(whole), where=total > 0.0))


# Task ``flocking``: s-bots move together in one direction.

_REACH = 0.6  # m, robots so near belong together
_FAST = 0.06  # m/s, the order of slower flocks counts less


def _boids(inputs: Floats, weights: Floats, memory: Floats, outputs: Floats,
           layers: Integers, dt: float) -> None:
    """Turn to where the others are heard (cohesion), and away from near ones (separation).

    Headings are not sensed, so nobody can align: inputs infrared, neighbours.
    """
    left = inputs[0] + inputs[1] + inputs[2]
    right = inputs[14] + inputs[13] + inputs[12]
    turn = weights[0] * inputs[16] + weights[1] * (right - left)
    ahead = 1.0 if inputs[15] > weights[3] else weights[2]  # whoever is in front waits
    if left + right > weights[4]:
        ahead = weights[5]
    outputs[0], outputs[1] = ahead - turn, ahead + turn


class _Flocking(Task):
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


class _FlockingInBox(SBots, _Flocking):
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


def _flock(track: Track) -> Floats:
    """Return the mean of order, share of the largest group, and share of full speed, (K,)."""
    place = track.pose[::5, ..., :2]
    speed = np.sqrt((np.diff(place.mean(axis=2), axis=0) ** 2).sum(axis=2)) / (5 * track.dt)
    ordered = _order(track._replace(pose=track.pose[::5]))
    together = _largest_group(place[1:], _REACH)
    moving = np.minimum(1.0, speed / _FAST)
    return np.asarray((ordered * together * moving).mean(axis=0))


_FLOCKING = Entry(
    'flocking', 'S-bots move together in one direction, by infrared and bearings.', _Flocking,
    _FlockingInBox,
    Metric('flock', '1', 'mean of order (the length of the mean direction) times the share in '
           'the largest group; lower if the centre moves slower than 0.06 m/s',
           'order: Vicsek et al. 1995', _flock),
    Rule(_boids, (0.4, 1.0, 0.4, -0.2, 0.8, 0.2), constants=(
        'cohesion', 'separation', 'speed in front', 'cosine of what is in front',
        'readings that are near', 'speed then')), hidden=(6,))


# Task ``pursuit``: three s-bots catch a fourth, robot 0, which flees at the same speed.

_CAUGHT = 0.2  # m between centres
_SECONDS = 60.0
_SIDE = 2.0  # m


def _chase(inputs: Floats, weights: Floats, memory: Floats, outputs: Floats,
           layers: Integers, dt: float) -> None:
    """Robot 0 flees; the others turn to it, or do what weights (2, 1 + I) make of their inputs.

    Inputs leader, neighbours, infrared. Robot 0 turns away from where it hears the others, and
    from what is near. The others with 6 weights, _TURNED: turn to it, from the others and from
    what is near. With 2 + 2 I: x / (1 + |x|) of each weighted sum, the left and right wheel.
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
    if len(weights) == 6:
        turn = weights[0] * inputs[1] if inputs[0] > 0.0 else (1.0 if inputs[1] > 0.0 else -1.0)
        turn -= weights[1] * inputs[4] * inputs[5]
        left, right = inputs[6] + weights[3] * inputs[7], inputs[20] + weights[3] * inputs[19]
        turn += weights[2] * (right - left)
        ahead = weights[5] - weights[4] * (left + right)
        outputs[0], outputs[1] = ahead - turn, ahead + turn
        return
    count = len(inputs) + 1
    for o in range(2):
        total = weights[o * count]
        for i in range(len(inputs)):
            total += weights[o * count + 1 + i] * inputs[i]
        outputs[o] = total / (1.0 + abs(total))


_TURNED = ('gain of the turn', 'turn from the others', 'turn from what is near',
           'weight of the sides', 'brake at what is near', 'speed')


class _Pursuit(Task):
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
        return _caught(now.seen.pose)


def _ways(pose: Floats) -> Floats:
    """Return the distances (m) of robots 1, 2, … from robot 0, (..., N - 1)."""
    place = pose[..., :2]
    return distance(place[..., 1:, :], place[..., :1, :])


def _caught(pose: Floats) -> Flags:
    """Tell where robot 0 is caught, for all robots (..., N)."""
    caught = _ways(pose).min(axis=-1, keepdims=True) <= _CAUGHT
    return np.repeat(caught, pose.shape[-2], axis=-1)


class _PursuitInBox(SBots, _Pursuit):
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


def _nearness(track: Track) -> Floats:
    """Return minus the share of the time until the catch, and of the nearest distance, (K,)."""
    least = _ways(track.pose).min(axis=(0, 2))
    return np.asarray(-_catch_time(track) / _SECONDS - least / _SIDE)


_PURSUIT = Entry(
    'pursuit', 'Three s-bots catch a fourth that flees at the same speed.', _Pursuit,
    _PursuitInBox,
    Metric('catch time', 's', 'time until a pursuer is within 0.2 m of robot 0; at most 60 s',
           'Chung, Hollinger and Isler 2011', _catch_time, higher=False),
    Rule(_chase, (3.0, 0.0, 1.0, 1.0, 0.0, 1.0), 1, _TURNED), fitness=_nearness,
    learned=Rule(_chase, (0.0,) * 44, 1), arrived=lambda track: _caught(track.pose))

ENTRY = (_AGGREGATE, _GATHER, _FLOCKING, _PURSUIT)
