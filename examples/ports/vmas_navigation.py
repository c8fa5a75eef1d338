"""VMAS's `navigation`: four robots reach their goals and see each other by lasers."""

import numpy as np

from sbot import learn

RADIUS, GOAL_RADIUS, NEAR, APART = 0.1, 0.05, 0.005, 0.25  # m
CELLS = np.stack(np.meshgrid(*2 * [np.linspace(-0.9, 0.9, 5)]), axis=-1).reshape(-1, 2)


class Navigation(learn.Scene):
    """Reach one's goal; what all come nearer, each is rewarded for."""

    inputs, outputs, max_speed, turn = ('goal', 'twist', 'scan:12'), 'holonomic', 0.4, 1.0
    seconds, team = 20.0, 4
    arena = {'rate': 10, 'world': {'bounds': [-2, -2, 2, 2]},
             'bodies': {'disc': {'radius': RADIUS, 'collision_distance': 0, 'max_wheel_speed': 40,
                                 'drive': 'omnidirectional'}},
             'robots': [{'body': 'disc'}],
             'sensors': {'scan_beams': 12, 'scan_angle_min': 0.0, 'scan_angle_max': 5.76,
                         'scan_range_max': 0.35, 'scan_sees_robots': True}}

    def start(self, rng):
        """Draw poses, 0.25 m apart."""
        cells = rng.permutation(CELLS)[:4] + rng.uniform(-0.1, 0.1, (4, 2))
        return np.column_stack([cells, np.zeros(4)])

    def aims(self, rng, start):
        """Draw goals, 0.25 m from each other and from all robots."""
        cells = rng.permutation(CELLS) + rng.uniform(-0.1, 0.1, CELLS.shape)
        free = np.linalg.norm(cells[:, None] - start[:, :2], axis=2).min(axis=1) > APART
        return cells[free][:4]

    def reward(self, before, now):
        """Return the approach of all (m), 0.01 when all are there, less 1 for each contact."""
        there = (away(now) < GOAL_RADIUS).all(axis=1, keepdims=True)
        nearer = (away(before) - away(now)).sum(axis=1, keepdims=True)
        place = now.seen.pose[..., :2]
        gap = np.linalg.norm(place[:, :, None] - place[:, None], axis=3) - 2 * RADIUS
        touched = (gap <= NEAR).sum(axis=2) - 1  # not itself
        return nearer + 0.01 * there - touched

    def ended(self, now):
        """Tell when all are at their goals."""
        return np.repeat((away(now) < RADIUS).all(axis=1, keepdims=True), self.team, axis=1)


def away(moment):
    """Return the distances (K, N) m of robots from their goals."""
    return np.linalg.norm(moment.goal - moment.seen.pose[..., :2], axis=2)
