"""Wheel odometry of a block of worlds: the phase that counts the turns of the wheels."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sbot_common.compiled.jit import njit_inner
from sbot_common.elementary.arrays import copy_rows
from sbot_sim.dynamics.motion import drive
from sbot_sim.sensors.odometry import draw_slip, measure
from sbot_sim.worlds.batch import Batch, shared
from sbot_sim.worlds.motion import drives_of
from sbot_sim.worlds.senses.record import Simulated
from sbot_sim.worlds.state import Setting, Worlds

Floats = NDArray[np.float64]


@njit_inner
def _slips(first: int, end: int, a: int, z: int, setting: Setting, worlds: Worlds) -> Floats:
    """Return this tick's standard normal numbers (rows, wheels) of the wheels' slip."""
    n, slip = setting.robots, np.empty((z - a, setting.wheels))
    for k in range(first, end):
        low, high = max(a, k * n), min(z, (k + 1) * n)
        copy_rows(draw_slip(setting.noise_slip[low:high], worlds.seed[k], worlds.tick[k],
                            setting.wheels, low - k * n), slip[low - a:high - a])
    return slip


@shared
def measure_odometry(first: int, end: int, a: int, z: int, batch: Batch) -> None:
    """Measure odometry; before ``end_tick``, which counts the tick."""
    setting, worlds = batch.setting, batch.worlds
    drives = drives_of(setting.bodies, a, z)
    odometry, twist = measure(
        drives, worlds.odometry[a:z], worlds.wheel_scale[a:z],
        drive(drives, worlds.driven[a:z]),
        _slips(first, end, a, z, setting, worlds), setting.noise_slip[a:z], setting.dt)
    copy_rows(odometry, worlds.odometry[a:z])
    copy_rows(twist, worlds.odometry_twist[a:z])


SIMULATED = Simulated('odometry', {'odometry': 'odometry', 'odometry_twist': 'odometry_twist'},
                      driving=lambda _: [measure_odometry])
