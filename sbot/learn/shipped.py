"""Tasks that come with the package: goal, leader, obstacles, aggregation."""

from __future__ import annotations

import numpy as np

from sbot.controllers.neural.inputs import CONTACT_READING
from sbot.controllers.neural.network import WHEELS
from sbot.learn.task import Moment, Task
from sbot_common.arrays import Flags, Floats
from sbot_common.observation import OMEGA, VX

CONTACT = 0.05  # reward that a decision costs which ends in a contact


def distance(a: Floats, b: Floats) -> Floats:
    """Return distances (m) of points (..., 2)."""
    difference = a - b
    return np.asarray(np.sqrt(difference[..., 0] ** 2 + difference[..., 1] ** 2))


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
        nearer = (distance(before.seen.pose[..., :2], before.goal)
                  - distance(now.seen.pose[..., :2], now.goal))
        return np.asarray(nearer + self.ended(now) - CONTACT * now.seen.collided)

    def ended(self, now: Moment) -> Flags:
        """Tell which robots have arrived."""
        return np.asarray(distance(now.seen.pose[..., :2], now.goal) <= self.tolerance)


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
