"""VMAS's `transport`: four robots push a heavy package to a goal."""

import numpy as np

from sbot import learn

SIZE, GOAL_RADIUS, MARGIN = 0.15, 0.15, 4 / 600  # m; to VMAS, things so near touch


class Transport(learn.Scene):
    """Push the package to the goal, which is where its edge is over the goal's disc."""

    inputs, outputs, max_speed, turn = ('pose', 'twist'), 'holonomic', 0.3, 1.0
    seconds, team = 50.0, 4
    arena = {'rate': 10, 'world': {'bounds': [-1.2, -1.2, 1.2, 1.2], 'boxes': [
                 {'center': [0, 0], 'size': [SIZE, SIZE], 'mass': 50.0}]},
             'bodies': {'disc': {'radius': 0.03, 'collision_distance': 0.0, 'max_wheel_speed': 40,
                                 'drive': 'omnidirectional', 'mass': 15.0}},
             'robots': [{'body': 'disc'}], 'sensors': {'scan_beams': 1}}

    def boxes(self, rng):
        """Draw where the package is, near the middle."""
        return np.array([[*rng.uniform(-0.4, 0.4, 2), 0.0]])

    def start(self, rng):
        """Draw poses at the corners."""
        corners = np.array([[-1, -1], [-1, 1], [1, -1], [1, 1]])
        return np.column_stack([corners * rng.uniform(0.7, 1.0, (4, 2)), np.zeros(4)])

    def aims(self, rng, start):
        """Draw the goal, on one of four sides."""
        return np.tile(rng.permutation([rng.choice([-0.9, 0.9]), rng.uniform(-0.8, 0.8)]), (4, 1))

    def observation(self, now):
        """Return pose, velocity, the package from goal and robot, and whether it is there."""
        package, robots = now.seen.boxes[..., :2], now.seen.pose[..., :2]
        there = np.repeat(arrived(now)[:, None, None], self.team, axis=1)
        return np.concatenate([now.inputs, package - now.goal, package - robots, there], axis=2)

    def reward(self, before, now):
        """Return how much nearer the package came, the same for all; 0 when it is there."""
        nearer = 100.0 * (away(before) - away(now)) * ~arrived(now)
        return np.repeat(nearer[:, None], self.team, axis=1)

    def ended(self, now):
        """Tell when the package is at the goal."""
        return np.repeat(arrived(now)[:, None], self.team, axis=1)


def away(moment):
    """Return how far (K,) m the package is from the goal."""
    return np.linalg.norm(moment.seen.boxes[:, 0, :2] - moment.goal[:, 0], axis=1)


def arrived(moment):
    """Tell where the package overlaps the goal, (K,)."""
    x, y = (moment.goal[:, 0] - moment.seen.boxes[:, 0, :2]).T
    cosine, sine = np.cos(moment.seen.boxes[:, 0, 2]), np.sin(moment.seen.boxes[:, 0, 2])
    out = np.abs([cosine * x + sine * y, cosine * y - sine * x]) - SIZE / 2
    return np.linalg.norm(np.maximum(out, 0), axis=0) < GOAL_RADIUS + MARGIN
