"""Undisturbed wind at the robots of a recording, from the messages of the wind."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot.scenario.assemble import make_turbulence, robot_bodies
from sbot.scenario.model import Scenario
from sbot_sim.dynamics.free_wind import free_wind
from wind_model.grid import Lattice
from wind_model.gust import gust_window
from wind_model.source import Wind, WindSource
from wind_model.turbulence import gusts_at

Array = NDArray[np.float64]
Stamps = NDArray[np.int64]


class RecordedWind(NamedTuple):
    """Wind of a run at T stamps, e.g. from messages: also where parameters changed in the run."""

    stamps: Stamps  # (T,) ns, rising
    velocity: Array  # (T, 3) m/s, outside the grid
    gust: Array  # (T, 3) m/s
    force: Array  # (T, 3) N
    field: Lattice | None

    def row(self, stamp_ns: int) -> int:
        """Return the row of a stamp (ns), or of the last before it."""
        return max(0, int(np.searchsorted(self.stamps, stamp_ns, side='right')) - 1)

    def at(self, stamp_ns: int) -> Wind:
        """Return the wind of one of the stamps (ns), or the last before it, as ``WindSource``."""
        k = self.row(stamp_ns)
        return Wind(self.velocity[k], self.force[k], self.field, self.gust[k])


def wind_of(source: WindSource, stamps: Stamps) -> RecordedWind:
    """Return what a source gives at the stamps (T,) (ns)."""
    start, end = gust_window(source.parameters)
    blows = ((start <= stamps) & (stamps < end))[:, np.newaxis]
    calm, gusty = source.at(start - 1), source.at(start)
    velocity, gust, force = (np.where(blows, during, otherwise) for during, otherwise in (
        (gusty.velocity, calm.velocity), (gusty.gust, calm.gust), (gusty.force, calm.force)))
    return RecordedWind(stamps, velocity, gust, force, source.field)


def free_winds(scenario: Scenario, source: Callable[[int], Wind], stamps: Stamps,
               poses: Array) -> Array:
    """Return the wind (T, N, 2) (m/s) that each robot would feel if it were alone.

    With what forces give it in a tick, as in ``observation.wind``.

    Parameters
    ----------
    scenario : of the recording
    source : the wind of a stamp (ns), ``WindSource.at`` or that of a recording
    stamps : (T,) ns, of ticks 0, 1, ...
    poses : (T, N, 3) x, y (m), yaw (rad)

    """
    free = np.empty((*poses.shape[:2], 2))
    mass = np.array([body.mass for body in robot_bodies(scenario)])[:, np.newaxis]
    waves, dt = make_turbulence(scenario), scenario.rate.dt
    for k, stamp in enumerate(stamps.tolist()):
        wind, pose = source(stamp), np.ascontiguousarray(poses[k])
        free[k] = free_wind(wind.field, np.ascontiguousarray(wind.velocity), pose,
                            scenario.wind.flow.height)
        free[k] += wind.gust[:2] + wind.force[:2] * dt / mass
        if waves is not None:
            x, y, _ = (wind.velocity * (k * dt)).tolist()
            free[k] += gusts_at(waves, pose, x, y, k * dt)
    return free
