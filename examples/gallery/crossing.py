"""Crossing: omnidirectional robots pass each other on the right, by the poses that they know."""

import math

import numpy as np


class KeepRight:
    """Goes straight to its goal; whoever is near pushes it back and to its own right."""

    def __init__(self, speed=0.8, reach=1.6, push=1.2, swirl=0.9):
        self.speed = speed  # m/s
        self.reach = reach  # m, between centres
        self.push, self.swirl = push, swirl  # m/s, at contact

    def step(self, observation, rng):
        """Return (forward m/s, left m/s, rad/s)."""
        me = observation.robot_id
        x, y, yaw = observation.poses[me]
        to_x, to_y = observation.goal[0] - x, observation.goal[1] - y
        distance = math.hypot(to_x, to_y)
        speed = min(self.speed, distance)
        go_x, go_y = (speed * to_x / distance, speed * to_y / distance) if distance else (0, 0)
        away = observation.poses[me, :2] - observation.poses[:, :2]
        gap = np.hypot(away[:, 0], away[:, 1])
        near = (gap < self.reach) & (gap > 0.0)
        if near.any() and distance > 0.5:
            away, gap = away[near] / gap[near, None], gap[near]
            strength = (self.reach - gap) / (self.reach - 0.6)
            ahead = np.clip(0.3 - away @ (to_x / distance, to_y / distance), 0.0, 1.3)
            push, swirl = strength * self.push, strength * self.swirl * ahead
            go_x += float((push * away[:, 0] - swirl * away[:, 1]).sum())
            go_y += float((push * away[:, 1] + swirl * away[:, 0]).sum())
        fast = max(1.0, math.hypot(go_x, go_y) / self.speed)
        go_x, go_y = go_x / fast, go_y / fast
        return (go_x * math.cos(yaw) + go_y * math.sin(yaw),
                go_y * math.cos(yaw) - go_x * math.sin(yaw), 0.0)
