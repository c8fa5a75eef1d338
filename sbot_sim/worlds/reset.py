"""Reset of worlds to tick 0."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sbot_common.compiled.jit import njit
from sbot_sim.sensors.odometry import draw_wheel_scale
from sbot_sim.worlds.batch import Batch
from wind_model.wake import advertised_millimetres

Floats = NDArray[np.float64]


@njit
def reset_worlds(chosen: NDArray[np.int64], start: Floats, seeds: NDArray[np.int64],
                 batch: Batch) -> None:
    """Put worlds at rest at their start poses; sensors are to be read afterwards.

    Parameters
    ----------
    chosen : which worlds
    start : (K, N, 3) poses at tick 0: x, y (m), yaw (rad)
    seeds : (K,) of the sensors' noise
    batch : all worlds

    """
    setting, worlds = batch.setting, batch.worlds
    n = setting.robots
    for k in chosen:
        a, z = k * n, (k + 1) * n
        worlds.tick[k], worlds.seed[k] = 0, seeds[k]
        worlds.pose[a:z] = start[k]
        for rows in (worlds.command, worlds.impulse_velocity, worlds.wind, worlds.free_wind,
                     worlds.driven, worlds.odometry_twist, worlds.twist, worlds.odometry):
            rows[a:z] = 0.0
        if len(setting.inertia.limited):
            worlds.momentum.twist[a:z] = 0.0
            worlds.momentum.asked[a:z] = 0.0
        worlds.rab_data[a:z] = 0
        worlds.rab_data[a:z, 0] = advertised_millimetres(setting.bodies.radius[a:z])
        worlds.rab_next[a:z] = worlds.rab_data[a:z]
        worlds.blocker[a:z] = -1
        worlds.collided[a:z] = False
        worlds.reverted[a:z] = False
        worlds.wheel_scale[a:z] = draw_wheel_scale(setting.noise_radius[a:z], seeds[k],
                                                   setting.wheels)
