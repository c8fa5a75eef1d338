"""Foraging: robots find pucks by laser and push them to a nest."""

import math

import numpy as np


class Forager:
    """Goes behind the nearest puck that nobody else is nearer to, and pushes it to the nest.

    It knows the poses of all robots, its laser, and its goal, which is the nest. `area` is
    [xmin, ymin, xmax, ymax] (m): what the laser sees inside, away from the walls, is a puck.
    """

    def __init__(self, area=(0, 0, 16, 12), nest=2.0, puck=0.25, speed=0.7):
        self.area = area
        self.nest, self.puck = nest, puck  # m, radii
        self.speed = speed  # m/s

    def step(self, observation, rng):
        """Return (m/s, rad/s)."""
        me = observation.robot_id
        x, y, yaw = observation.poses[me]
        puck = self.find(observation, x, y, yaw)
        if puck is None:
            return self.drive(*self.wander(x, y, yaw, rng))
        nest_x, nest_y = observation.goal
        home = math.atan2(nest_y - puck[1], nest_x - puck[0])
        at_it = math.atan2(puck[1] - y, puck[0] - x)
        off = math.remainder(at_it - home, math.tau)  # 0: the puck is between robot and nest
        distance = math.hypot(puck[0] - x, puck[1] - y)
        touch = self.puck + 0.3
        if abs(off) < 0.5:
            return self.drive(math.remainder(at_it + 1.5 * off - yaw, math.tau),
                              self.speed * (0.6 if distance < touch + 0.2 else 1.0))
        # Round the puck, at a distance, the shorter way.
        side = 1.0 if off > 0.0 else -1.0
        away = max(-1.2, min(1.2, 2.0 * (touch + 0.25 - distance)))
        return self.drive(math.remainder(at_it + side * (math.pi / 2 + away) - yaw, math.tau),
                          self.speed)

    def find(self, observation, x, y, yaw):
        """Return the centre of a puck that is not at the nest, and to which nobody is nearer."""
        scan = observation.scan
        angles = yaw + scan.angle_min + scan.angle_increment * np.arange(len(scan.ranges))
        xmin, ymin, xmax, ymax = self.area
        seen = np.isfinite(scan.ranges)
        angles, ranges = angles[seen], scan.ranges[seen] + self.puck
        hits = np.column_stack([x + ranges * np.cos(angles), y + ranges * np.sin(angles)])
        low, high = (xmin + 0.5, ymin + 0.5), (xmax - 0.5, ymax - 0.5)
        inside = ((hits > low) & (hits < high)).all(axis=1)
        inside &= np.hypot(*(hits - observation.goal).T) > self.nest - 0.5
        others = np.delete(observation.poses[:, :2], observation.robot_id, axis=0)
        for k in np.argsort(ranges):
            if inside[k]:
                gaps = np.hypot(*(others - hits[k]).T)
                if not len(gaps) or gaps.min() > ranges[k]:
                    return hits[k]
        return None

    def wander(self, x, y, yaw, rng):
        """Return a turn (rad) and a speed (m/s)."""
        xmin, ymin, xmax, ymax = self.area
        if min(x - xmin, xmax - x, y - ymin, ymax - y) < 1.0:
            middle = math.atan2((ymin + ymax) / 2 - y, (xmin + xmax) / 2 - x)
            return math.remainder(middle - yaw, math.tau), self.speed
        return float(rng.normal()), self.speed

    def drive(self, turn, speed):
        """Return (m/s, rad/s)."""
        return speed * max(0.0, math.cos(turn)), 3.0 * turn
