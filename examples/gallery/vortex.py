"""Vortex: robots ride a vortex in a ring and spend their own drive on their places alone."""

import math

import numpy as np


class Carousel:
    """Keeps its distance from the middle, and from the robots before and behind it on the ring.

    The wind carries it round. It knows the poses of all robots.
    """

    def __init__(self, center=(0.0, 0.0), radius=4.0, gain=0.5, speed=0.5):
        self.center, self.radius = center, radius  # m
        self.gain = gain  # 1/s
        self.speed = speed  # m/s

    def step(self, observation, rng):
        """Return (m/s, rad/s)."""
        x, y, yaw = observation.poses[observation.robot_id]
        round_x, round_y = x - self.center[0], y - self.center[1]
        distance, angle = math.hypot(round_x, round_y), math.atan2(round_y, round_x)
        others = np.delete(observation.poses, observation.robot_id, axis=0)
        angles = np.arctan2(others[:, 1] - self.center[1], others[:, 0] - self.center[0])
        before = np.mod(angles - angle, math.tau)  # how far ahead each of them is
        aside = (before.min() - (math.tau - before.max())) / 2  # towards the wider gap
        out, along = self.gain * (self.radius - distance), self.gain * distance * aside
        go_x = out * math.cos(angle) - along * math.sin(angle)
        go_y = out * math.sin(angle) + along * math.cos(angle)
        turn = math.remainder(math.atan2(go_y, go_x) - yaw, math.tau)
        # Whatever is behind it, it backs up to.
        back = abs(turn) > math.pi / 2
        turn = math.remainder(turn + math.pi, math.tau) if back else turn
        speed = min(self.speed, math.hypot(go_x, go_y)) * math.cos(turn)
        return -speed if back else speed, 3.0 * turn
