"""Aggregation without computation: one bit in, two wheel speeds out.

M. Gauci, J. Chen, W. Li, T. J. Dodd, R. Gross, "Self-organized aggregation without computation",
International Journal of Robotics Research 33 (2014).
"""

import numpy as np

RADIUS, WHEEL_DISTANCE = 0.035, 0.053  # m, of an e-puck2


class OneBit:
    """Backs in a circle while no robot is straight ahead, and turns on the spot while one is."""

    def __init__(self, speed=0.128):
        self.speed = speed  # m/s, of the faster wheel

    def step(self, observation, rng):
        """Return (m/s, rad/s)."""
        heard = observation.neighbours
        aside = np.abs(heard.range * np.sin(heard.bearing))
        sees = bool(((aside < RADIUS) & (np.cos(heard.bearing) > 0.0)).any())
        left, right = (1.0, -1.0) if sees else (-0.7, -1.0)
        return (self.speed * (left + right) / 2,
                self.speed * (right - left) / WHEEL_DISTANCE)
