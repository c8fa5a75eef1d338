"""Observations of a batch of worlds, as arrays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot_sim.sensors.range_and_bearing import HeardRows, padded
from sbot_sim.sensors.registry import sensors
from sbot_sim.worlds.senses.registry import simulated
from sbot_sim.worlds.state import Setting, Worlds
from sbot_sim.worlds.tick import Tick

Floats = NDArray[np.float64]
Scans = NDArray[np.float32]


class _Fields(NamedTuple):
    tick: NDArray[np.int64]  # (K,)
    pose: Floats  # (K, N, 3) x, y (m), yaw (rad), as messages carry it
    collided: NDArray[np.bool_]  # (K, N) intersected something in the last tick
    scan: Scans | None  # (K, N, beams) m
    infrared: Scans | None  # (K, N, 15) readings
    odometry: Floats | None  # (K, N, 3) frame `odom`
    odometry_twist: Floats | None  # (K, N, 3) m/s, m/s, rad/s in the robot's frame
    twist: Floats | None  # (K, N, 3) m/s, m/s, rad/s in the robot's frame
    wind: Floats | None  # (K, N, 2) m/s, effective wind now moving the robot
    neighbours: HeardRows | None
    obstacles: Floats | None  # (K, M, 2) m, centres of those on a path
    boxes: Floats | None  # (K, B, 3) x, y (m), yaw (rad) of pushable boxes
    others: Mapping[str, Floats] = {}  # of other sensors, by name


class Observations(_Fields):
    """K worlds of N robots at one tick; for a single ``World`` all without the first axis.

    A field is None where the robots do not sense it, or it was not asked for. Frame `map` unless
    said. Every other sensor has a field of its name: (K, N, columns).
    """

    __slots__ = ()

    def __getattr__(self, name: str) -> Floats | None:
        if name.startswith('_') or name not in sensors():
            raise AttributeError(name)
        return self.others.get(name)


class Observer:
    """Copies of observations; their places are looked up once, not at every step.

    Parameters
    ----------
    setting, worlds : of K worlds of N robots
    senses : what is sensed
    tick : has the sensors and obstacles that are not in ``worlds``
    only : K is 1, and its observations come without the first axis

    """

    def __init__(self, setting: Setting, worlds: Worlds, senses: frozenset[str],
                 tick: Tick, only: bool = False) -> None:
        count, n = len(worlds.tick), setting.robots
        arrays: dict[str, NDArray[Any]] = {'pose': worlds.sent_pose, 'collided': worlds.collided}
        others = tick.fitted.readings
        for each in simulated():
            arrays |= each.observed(worlds) if each.name in senses else {}
        views = {name: array.reshape(count, n, *array.shape[1:])
                 for name, array in {**arrays, **others}.items()}
        self._views: list[NDArray[Any] | None] = [
            views[name][0] if only and name in views else views.get(name)
            for name in Observations._fields[1:-4]]
        self._others = {name: views[name][0] if only else views[name] for name in others}
        self._worlds, self._count, self._n, self._only = worlds, count, n, only
        self._moving = tick.moving
        self._hears = 'neighbours' in senses

    def __call__(self) -> Observations:
        """Return what is sensed now."""
        tick = self._worlds.tick
        return Observations._make([
            tick[0] if self._only else tick.copy(),
            *[None if view is None else view.copy() for view in self._views],
            self._heard_rows() if self._hears else None, *self._obstacles(),
            {name: view.copy() for name, view in self._others.items()}])

    def _obstacles(self) -> list[Floats | None]:
        if self._moving is None:
            return [None, None]
        found = self._moving.positions(), self._moving.boxes_as_sent()
        return [None if rows is None else rows[0] if self._only else rows for rows in found]

    def _heard_rows(self) -> HeardRows:
        worlds = self._worlds
        heard = padded(worlds.heard_starts, worlds.heard_robot, worlds.heard_range,
                       worlds.heard_bearing, worlds.rab_data)
        return HeardRows(*(array[0] for array in heard)) if self._only else heard
