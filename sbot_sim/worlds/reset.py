"""Reset of worlds to tick 0."""

from __future__ import annotations

from sbot_common.elementary.copying import copy_numbers, copy_rows
from sbot_sim.sensors.odometry import draw_wheel_scale
from sbot_sim.worlds.batch import Batch, Phase
from wind_model.wake import advertised_millimetres


@Phase
def begin(first: int, end: int, a: int, z: int, batch: Batch) -> None:
    """Put worlds at rest where their robots stand, with the noise of their seeds, at tick 0."""
    setting, worlds = batch.setting, batch.worlds
    n = setting.robots
    for row in range(a, z):
        for c in range(3):
            worlds.command[row, c] = worlds.driven[row, c] = worlds.twist[row, c] = 0.0
            worlds.odometry[row, c] = worlds.odometry_twist[row, c] = 0.0
        for c in range(2):
            worlds.impulse_velocity[row, c] = 0.0
            worlds.wind[row, c] = worlds.free_wind[row, c] = 0.0
        worlds.blocker[row] = -1
        worlds.collided[row] = worlds.reverted[row] = False
    if len(setting.inertia.limited) > 0:
        worlds.momentum.twist[a:z] = 0.0
        worlds.momentum.asked[a:z] = 0.0
    worlds.rab_data[a:z] = 0
    copy_numbers(advertised_millimetres(setting.bodies.radius[a:z]), worlds.rab_data[a:z, 0])
    copy_rows(worlds.rab_data[a:z], worlds.rab_next[a:z])
    for k in range(first, end):
        rows = slice(k * n, (k + 1) * n)
        worlds.tick[k] = 0
        copy_rows(draw_wheel_scale(setting.noise_radius[rows], worlds.seed[k], setting.wheels),
                  worlds.wheel_scale[rows])
