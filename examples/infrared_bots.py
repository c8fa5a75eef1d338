"""Two controllers for s-bots, which sense only the fifteen infrared readings.

A scenario names them `infrared_bots:Wander` and `infrared_bots:Aggregate` (see
config/scenarios/sbot_box.yaml and sbot_aggregation.yaml). Times are in ticks of 0.1 s.
"""

import math

from sbot_sim.sensors.infrared import SENSOR_ANGLES


class Wander:
    """Drives on and turns away from whatever is near."""

    def __init__(self, speed=0.06, turn_rate=1.5):
        self.speed = speed  # m/s
        self.turn_rate = turn_rate  # rad/s

    def step(self, observation, rng):
        """Return (m/s, rad/s)."""
        readings = [float(reading) for reading in observation.infrared]
        ahead = sum(r * math.cos(a) for r, a in zip(readings, SENSOR_ANGLES, strict=True))
        left = sum(r * math.sin(a) for r, a in zip(readings, SENSOR_ANGLES, strict=True))
        if ahead > 0.0:
            return 0.2 * self.speed, -self.turn_rate if left > 0.0 else self.turn_rate
        return self.speed, self.turn_rate * (rng.random() - 0.5)


class Aggregate(Wander):
    """Keeps off walls, goes up to other robots and stays with them for a while.

    A robot in sight fills at most three neighbouring beams, a wall more.
    """

    def __init__(self, speed=0.06, turn_rate=1.5, near=18.0, leave=0.01):
        super().__init__(speed, turn_rate)
        self.near = near  # reading from which on a robot is company
        self.leave = leave  # chance in a tick to leave company of one; of n: this power n

    def step(self, observation, rng):
        """Return (m/s, rad/s)."""
        readings = [float(reading) for reading in observation.infrared]
        groups = neighbouring_hits(readings)
        robots = [max(group, key=readings.__getitem__) for group in groups if len(group) <= 3]
        company = sum(readings[i] >= self.near for i in robots)
        if company:
            stays = rng.random() >= self.leave ** company
            return (0.0, 0.0) if stays else (-self.speed, 0.0)
        if robots and len(robots) == len(groups):
            angle = SENSOR_ANGLES[max(robots, key=readings.__getitem__)]
            angle = math.atan2(math.sin(angle), math.cos(angle))
            return self.speed * max(0.0, math.cos(angle)), self.turn_rate * angle
        return super().step(observation, rng)


def neighbouring_hits(readings):
    """Return lists of the indexes of sensors side by side, on the ring, that see something."""
    n = len(readings)
    start = next((i for i in range(n) if readings[i] <= 0.0), None)
    if start is None:
        return [list(range(n))]
    groups = []
    for i in range(start, start + n):
        if readings[i % n] > 0.0:
            if readings[(i - 1) % n] <= 0.0:
                groups.append([])
            groups[-1].append(i % n)
    return groups
