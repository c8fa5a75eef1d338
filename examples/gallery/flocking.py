"""Boids: robots that hear their neighbours turn into a flock (C. Reynolds, SIGGRAPH 1987)."""

import math

import numpy as np

import sbot

MESSAGE = sbot.Broadcast(heading='float32')  # rad, by the compass of the sender's IMU


class Boid:
    """Drives as its neighbours do, turns away from near ones, and turns away from walls.

    It knows the range, bearing and broadcast heading of its neighbours, its heading and its laser.
    """

    def __init__(self, speed=0.8, spacing=1.4, align=1.5, cohere=0.4, avoid=1.5):
        self.speed = speed  # m/s
        self.spacing = spacing  # m, between centres: below it neighbours repel; robots still touch
        self.align, self.cohere, self.avoid = align, cohere, avoid  # weights

    def step(self, observation, rng):
        """Return the speeds, and the heading for the neighbours."""
        heading = observation.imu.yaw
        heard = observation.neighbours
        x, y = 1.0, 0.0  # where to go, in the robot's own frame: straight on
        if observation.tick and len(heard.range):
            turned = MESSAGE.unpack(heard).heading - heading
            x += self.align * float(np.cos(turned).mean())
            y += self.align * float(np.sin(turned).mean())
            # Farther away than the spacing attracts, nearer repels, more so the nearer it is.
            pull = self.cohere * np.clip(heard.range - self.spacing, -1.0, 1.0)
            pull[heard.range < self.spacing] *= 5.0
            x += float((pull * np.cos(heard.bearing)).mean())
            y += float((pull * np.sin(heard.bearing)).mean())
        scan = observation.scan
        angles = scan.angle_min + scan.angle_increment * np.arange(len(scan.ranges))
        near = self.avoid * np.clip(1.0 - np.minimum(scan.ranges, 9.0) / 2.5, 0.0, 1.0)
        x -= float((near * np.cos(angles)).sum())
        y -= float((near * np.sin(angles)).sum())
        turn = math.atan2(y, x)
        return (self.speed * max(0.4, math.cos(turn)), max(-2.0, min(2.0, 2.0 * turn)),
                MESSAGE.pack(heading=heading))
