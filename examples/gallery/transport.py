"""Cooperative transport by occlusion: push where the box hides the goal.

J. Chen, M. Gauci, W. Li, A. Kolling, R. Gross, "Occlusion-based cooperative transport with a swarm
of miniature mobile robots", IEEE Transactions on Robotics 31 (2015).
"""

import math

import numpy as np


class Pusher:
    """Goes to the box, round it until the box hides the goal, and pushes.

    It knows its own pose, the bearing of the goal and its laser. `area` is [xmin, ymin, xmax,
    ymax] (m): what the laser sees inside, away from the walls, is the box.
    """

    def __init__(self, area=(0, 0, 20, 12), speed=0.6, side=0.7):
        self.area = area
        self.speed = speed  # m/s
        self.side = side  # m, at which it goes round the box

    def step(self, observation, rng):
        """Return (m/s, rad/s)."""
        x, y, yaw = observation.poses[observation.robot_id]
        scan = observation.scan
        angles = scan.angle_min + scan.angle_increment * np.arange(len(scan.ranges))
        hit_x = x + scan.ranges * np.cos(yaw + angles)
        hit_y = y + scan.ranges * np.sin(yaw + angles)
        xmin, ymin, xmax, ymax = self.area
        box = ((hit_x > xmin + 0.3) & (hit_x < xmax - 0.3)
               & (hit_y > ymin + 0.3) & (hit_y < ymax - 0.3))
        if not box.any():
            return self.speed, float(rng.normal())
        ranges = np.where(box, scan.ranges, np.inf)
        nearest = int(ranges.argmin())
        distance, bearing = float(ranges[nearest]), float(angles[nearest])
        to_x, to_y = observation.goal[0] - x, observation.goal[1] - y
        goal = math.remainder(math.atan2(to_y, to_x) - yaw, math.tau)
        beam = int(np.abs(np.remainder(angles - goal + math.pi, math.tau) - math.pi).argmin())
        if math.hypot(to_x, to_y) < 1.8:
            return 0.0, 0.0
        if box[beam]:  # the box hides the goal: at it, and push
            turn = bearing
        else:  # round the box, at a distance, counter-clockwise
            turn = bearing - math.pi / 2 + max(-1.2, min(1.2, 1.5 * (distance - self.side)))
        turn = math.remainder(turn, math.tau)
        return self.speed * max(0.0, math.cos(turn)), max(-3.0, min(3.0, 3.0 * turn))
