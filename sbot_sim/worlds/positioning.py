"""IMU and GNSS receivers in a batch, in Python: the worlds of one scenario together."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from sbot_common.random.numbers import normals_of_worlds
from sbot_common.random.purposes import GNSS, IMU
from sbot_sim.dynamics.motion import achieved_twists
from sbot_sim.sensors.positioning.gnss import receiver_readings
from sbot_sim.sensors.positioning.imu import accelerations, draw_biases, imu_readings
from sbot_sim.worlds.parameters import SensorParameters, SimulationParameters
from sbot_sim.worlds.state import Setting, Worlds

Floats = NDArray[np.float64]


class Positioning:
    """Phases of worlds whose robots have an IMU or a satellite receiver.

    Parameters
    ----------
    parameters : (K,) of each world
    setting, worlds : of the batch
    senses : what is sensed

    """

    def __init__(self, parameters: Sequence[SimulationParameters], setting: Setting,
                 worlds: Worlds, senses: Collection[str]) -> None:
        self._parameters, self._setting, self._worlds = parameters, setting, worlds
        rows = len(parameters) * setting.robots
        self.imu = np.zeros((rows, 4)) if 'imu' in senses else None  # as ``imu`` reads
        self.gnss = np.zeros((rows, 3)) if 'gnss' in senses else None  # as ``gnss`` reads
        self._acceleration, self._bias = np.zeros((rows, 2)), np.zeros((rows, 4))

    def reset(self, chosen: Iterable[int]) -> None:
        """Draw the biases of worlds; nothing has accelerated."""
        n = self._setting.robots
        for k in chosen:
            rows, imu = slice(k * n, (k + 1) * n), self._parameters[k].sensors.imu
            self._acceleration[rows] = 0.0
            if imu is not None:
                self._bias[rows] = draw_biases(imu, n, int(self._worlds.seed[k]))

    def update_twists(self, first: int, end: int) -> None:
        """Compute what moved the robots, and by which acceleration; after collisions."""
        worlds, dt = self._worlds, self._setting.dt
        rows = slice(first * self._setting.robots, end * self._setting.robots)
        twist = achieved_twists(worlds.previous[rows], worlds.pose[rows], dt)
        self._acceleration[rows] = accelerations(
            worlds.twist[rows], worlds.previous[rows, 2], twist, worlds.pose[rows, 2], dt)
        worlds.twist[rows] = twist

    def read(self, first: int, end: int) -> None:
        """Read the sensors: those of worlds of one scenario together."""
        k = first
        while k < end:
            after = k + 1
            while after < end and self._parameters[after] is self._parameters[k]:
                after += 1
            self._read(k, after, self._parameters[k].sensors)
            k = after

    def _read(self, first: int, end: int, sensors: SensorParameters) -> None:
        worlds, n = self._worlds, self._setting.robots
        rows, seeds, ticks = slice(first * n, end * n), worlds.seed[first:end], worlds.tick[
            first:end]
        if self.imu is not None and sensors.imu is not None:
            self.imu[rows] = imu_readings(
                sensors.imu, worlds.pose[rows, 2], worlds.twist[rows, 2],
                self._acceleration[rows], self._bias[rows],
                partial(normals_of_worlds, seeds, IMU, n, ticks, 4), self._setting.dt)
        if self.gnss is not None and sensors.gnss is not None:
            self.gnss[rows] = receiver_readings(
                sensors.gnss, worlds.pose[rows],
                partial(normals_of_worlds, seeds, GNSS, n, ticks, 3))
