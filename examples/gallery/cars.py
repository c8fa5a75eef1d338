"""Cars on a track: follow the gap, on nothing but the laser (V. Sezer, M. Gokasan, 2012)."""

import math

import numpy as np


class FollowTheGap:
    """Steers where its way is free for longest, and slows down for what is ahead."""

    def __init__(self, speed=2.0, width=0.4, acceleration=2.0):
        self.speed = speed  # m/s
        self.width = width  # m, kept free to each side
        self.acceleration = acceleration  # m/s^2, that it counts on to stop

    def step(self, observation, rng):
        """Return (m/s, rad/s)."""
        scan = observation.scan
        ranges = np.minimum(scan.ranges, scan.range_max).astype(float)
        angles = scan.angle_min + scan.angle_increment * np.arange(len(ranges))
        # A reading hides all directions that would pass it closer than the width.
        hidden = np.arcsin(np.minimum(1.0, self.width / np.maximum(ranges, self.width)))
        behind = np.abs(angles[:, None] - angles) < hidden
        free = np.where(behind, ranges, scan.range_max).min(axis=1)
        best = int(np.argmax(free - 0.6 * np.abs(angles)))
        turn = angles[best]
        # Brakes for what is on its way straight ahead; the nose is 0.55 m before the laser.
        lane = np.abs(ranges * np.sin(angles)) < 0.3
        room = float((ranges * np.cos(angles))[lane].min(initial=scan.range_max)) - 0.9
        speed = min(self.speed * (1.0 - 0.4 * min(1.0, abs(turn))),
                    math.sqrt(2.0 * self.acceleration * max(room, 0.0)))
        return max(speed, 0.2), max(0.2, speed) * 1.5 * turn
