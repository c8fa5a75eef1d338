"""A controller for NAME.yaml: `sbot run NAME.yaml`. docs/controllers.md lists what it sees."""

import math

import numpy as np


class Controller:
    """Drives to its goal, in the free direction nearest to it.

    Its parameters are keyword arguments. In a scenario: `parameters: {speed: 0.3}`.
    """

    def __init__(self, speed=0.6, room=0.5, look=1.5):
        self.speed = speed  # m/s
        self.room = room  # m, from the robot's centre to what it passes
        self.look = look  # m, how far away an obstacle matters

    def step(self, observation, rng):
        """Return (speed in m/s, turn rate in rad/s); called once per tick.

        Use no random generator but `rng`, the robot's own: then runs stay equal bit for bit.
        """
        if observation.goal is None:  # the scenario gives this robot no goal
            return 0.0, 0.0
        x, y, yaw = observation.poses[observation.robot_id]
        to_x, to_y = observation.goal[0] - x, observation.goal[1] - y
        distance = math.hypot(to_x, to_y)
        turn = math.remainder(math.atan2(to_y, to_x) - yaw, math.tau)

        # The laser sees walls and obstacles from -90 to +90 degrees, and other robots because
        # NAME.yaml says `scan_sees_robots: true`. It sees nothing behind the robot.
        scan = observation.scan
        ranges = np.asarray(scan.ranges)  # m; +inf: nothing seen
        angles = scan.angle_min + scan.angle_increment * np.arange(len(ranges))  # 0: ahead

        # A direction is blocked if something near would be closer than `room` on the way.
        near = np.flatnonzero(ranges < min(self.look, distance))
        half = np.arcsin(np.minimum(1.0, self.room / ranges[near]))
        blocked = (np.abs(angles[:, None] - angles[near]) < half).any(axis=1)
        if blocked.all():
            return 0.0, 1.0  # look for a way on the spot
        turn = angles[np.argmin(np.where(blocked, np.inf, np.abs(angles - turn)))]

        ahead = ranges[np.abs(angles) < 0.8].min(initial=np.inf)
        speed = min(self.speed, distance, max(0.0, ahead - self.room))
        return speed * max(0.0, math.cos(turn)), 2.0 * turn
