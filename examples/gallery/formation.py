"""Formation in wind: robots keep their places in a V and drive against the wind that they feel."""

import math


class Place:
    """Keeps a place relative to robot 0, which drives along x.

    It knows the poses of all robots and the wind at its own place. With `feel: 0` it does not
    allow for the wind.
    """

    def __init__(self, offset=(0.0, 0.0), speed=0.8, gain=0.8, feel=1.0):
        self.offset = offset  # m, from robot 0
        self.speed = speed  # m/s, over ground
        self.gain = gain  # 1/s
        self.feel = feel  # share of the wind that is cancelled
        self.lane = None  # m, y of robot 0's start

    def step(self, observation, rng):
        """Return (m/s, rad/s)."""
        x, y, yaw = observation.poses[observation.robot_id]
        lead_x, lead_y = observation.poses[0, :2]
        if self.lane is None:
            self.lane = y
        if observation.robot_id == 0:
            to_x, to_y = 0.0, self.lane - y
        else:
            to_x, to_y = lead_x + self.offset[0] - x, lead_y + self.offset[1] - y
        # Velocity over ground, then through the air.
        go_x = self.speed + self.gain * to_x - self.feel * observation.wind[0]
        go_y = self.gain * to_y - self.feel * observation.wind[1]
        turn = math.remainder(math.atan2(go_y, go_x) - yaw, math.tau)
        return math.hypot(go_x, go_y) * max(0.0, math.cos(turn)), 4.0 * turn
