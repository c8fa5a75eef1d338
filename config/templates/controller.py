"""A controller for NAME.yaml: `sbot run NAME.yaml`. docs/controllers.md lists what it sees."""

import math

import numpy as np


class Controller:
    """Drives to its goal, and turns away from what its laser sees ahead.

    Its parameters are keyword arguments. In a scenario: `parameters: {speed: 0.3}`.
    """

    def __init__(self, speed=0.6, clearance=1.0):
        self.speed = speed  # m/s
        self.clearance = clearance  # m

    def step(self, observation, rng):
        """Return (speed in m/s, turn rate in rad/s); called once per tick.

        Use no random generator but `rng`, the robot's own: then runs stay equal bit for bit.
        """
        x, y, yaw = observation.poses[observation.robot_id]
        to_x, to_y = observation.goal[0] - x, observation.goal[1] - y
        distance = math.hypot(to_x, to_y)
        turn = math.remainder(math.atan2(to_y, to_x) - yaw, math.tau)

        scan = observation.scan
        ranges = np.asarray(scan.ranges)  # m; +inf: nothing seen
        angles = scan.angle_min + scan.angle_increment * np.arange(len(ranges))  # 0: ahead
        ahead = np.abs(angles) < 0.8
        nearest = int(np.argmin(np.where(ahead, ranges, np.inf)))
        if ranges[nearest] < min(self.clearance, distance):
            turn = -1.0 if angles[nearest] > 0 else 1.0  # away from it

        return min(self.speed, distance) * max(0.2, math.cos(turn)), 2.0 * turn
