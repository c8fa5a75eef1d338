"""A crowd at a door: social forces, as in D. Helbing, I. Farkas, T. Vicsek, Nature 407 (2000)."""

import math

import numpy as np


class Pedestrian:
    """Walks to the door, and behind it on; neighbours push it away.

    It hears its neighbours by range and bearing. `door` is [x, ymin, ymax] (m).
    """

    def __init__(self, door=(16.0, 7.3, 8.7), speed=1.3, reach=0.9, push=1.0):
        self.door = door
        self.speed = speed  # m/s
        self.reach = reach  # m, between centres
        self.push = push  # m/s, at contact

    def step(self, observation, rng):
        """Return (forward m/s, left m/s, rad/s)."""
        x, y, yaw = observation.poses[observation.robot_id]
        wall, low, high = self.door
        if x < wall + 0.3:
            to_x, to_y = wall + 0.5 - x, min(max(y, low + 0.4), high - 0.4) - y
        else:
            to_x, to_y = observation.goal[0] - x, observation.goal[1] - y
        distance = math.hypot(to_x, to_y)
        pace = min(self.speed, distance) / max(distance, 1e-9)
        ahead = pace * (to_x * math.cos(yaw) + to_y * math.sin(yaw))
        left = pace * (to_y * math.cos(yaw) - to_x * math.sin(yaw))
        heard = observation.neighbours
        if len(heard.range):
            near = (self.reach - heard.range) / (self.reach - 0.5)
            strength = self.push * np.clip(near, 0.0, 1.5)
            ahead -= float((strength * np.cos(heard.bearing)).sum())
            left -= float((strength * np.sin(heard.bearing)).sum())
        ahead, left = ahead + 0.1 * rng.normal(), left + 0.1 * rng.normal()
        fast = max(1.0, math.hypot(ahead, left) / self.speed)
        return ahead / fast, left / fast, 0.0
