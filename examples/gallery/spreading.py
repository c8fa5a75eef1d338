"""Coverage: each robot moves to the middle of its Voronoi cell (Cortes et al., 2004)."""

import math

import numpy as np


class Lloyd:
    """Drives to the centroid of what is nearer to it than to any other robot.

    It knows where all robots are, and the area: `area` is [xmin, ymin, xmax, ymax] (m).
    """

    def __init__(self, area=(0, 0, 16, 10), cell=0.4, speed=0.6):
        xs, ys = (np.arange(low + cell / 2, high, cell)
                  for low, high in ((area[0], area[2]), (area[1], area[3])))
        self.points = np.column_stack([each.ravel() for each in np.meshgrid(xs, ys)])
        self.speed = speed  # m/s
        self.target = None

    def step(self, observation, rng):
        """Return (m/s, rad/s)."""
        x, y, yaw = observation.poses[observation.robot_id]
        if observation.tick % 5 == 0:
            places = observation.poses[:, :2]
            squares = ((self.points[:, None] - places) ** 2).sum(axis=2)
            mine = self.points[squares.argmin(axis=1) == observation.robot_id]
            # A little beyond the centroid: the same end, sooner.
            here = places[observation.robot_id]
            self.target = here + 1.5 * (mine.mean(axis=0) - here) if len(mine) else here
        to_x, to_y = self.target[0] - x, self.target[1] - y
        distance = math.hypot(to_x, to_y)
        if distance < 0.05:
            return 0.0, 0.0
        turn = math.remainder(math.atan2(to_y, to_x) - yaw, math.tau)
        return min(self.speed, distance) * max(0.0, math.cos(turn)), 3.0 * turn
