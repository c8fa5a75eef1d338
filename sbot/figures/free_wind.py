"""Undisturbed wind at the robots of a recording, from the messages of the wind."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot.scenario.assemble import make_turbulence, robot_bodies
from sbot.scenario.model import Scenario
from sbot_sim.dynamics.free_wind import free_wind
from wind_model.grid import Lattice
from wind_model.turbulence import gusts_at

Array = NDArray[np.float64]


class Air(NamedTuple):
    """Messages of the wind at T stamps."""

    outside: Array  # (T, 3) m/s, wind outside the grid
    gust: Array  # (T, 3) m/s
    force: Array  # (T, 3) N


def free_winds(scenario: Scenario, field: Lattice | None, poses: Array, air: Air) -> Array:
    """Return the wind (T, N, 2) (m/s) that each robot would feel if it were alone.

    With what forces give it in a tick, as in ``observation.wind``.

    Parameters
    ----------
    scenario : of the recording
    field : the grid, or None
    poses : (T, N, 3) x, y (m), yaw (rad)
    air : the wind's messages

    """
    ticks, n = poses.shape[:2]
    free = np.zeros((ticks, n, 2))
    changes = np.flatnonzero((np.diff(air.outside, axis=0) != 0).any(axis=1)) + 1
    for begin, end in zip([0, *changes], [*changes, ticks], strict=True):
        wind = free_wind(field, np.ascontiguousarray(air.outside[begin]),
                         poses[begin:end].reshape(-1, 3), scenario.wind.flow.height)
        free[begin:end] = wind.reshape(end - begin, n, 2)
    mass = np.array([body.mass for body in robot_bodies(scenario)])
    dt = scenario.rate.dt
    free += air.gust[:, np.newaxis, :2]
    free += air.force[:, np.newaxis, :2] * dt / mass[:, np.newaxis]
    waves = make_turbulence(scenario)
    if waves is not None:
        for k in range(ticks):
            x, y, _ = (air.outside[k] * (k * dt)).tolist()
            free[k] += gusts_at(waves, np.ascontiguousarray(poses[k]), x, y, k * dt)
    return free
