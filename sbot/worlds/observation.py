"""What the robots of a batch of worlds sense, as arrays."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot_common.compiled.jit import njit
from sbot_sim.worlds.state import Setting, Worlds
from sbot_sim.worlds.tick import Tick

Floats = NDArray[np.float64]
Scans = NDArray[np.float32]


class Heard(NamedTuple):
    """Whom robots hear by range and bearing; the first ``number`` of N - 1 columns are used."""

    number: NDArray[np.int64]  # (K, N)
    robot: NDArray[np.int64]  # (K, N, N - 1) in increasing order; -1: nobody
    range: Scans  # (K, N, N - 1) m
    bearing: Scans  # (K, N, N - 1) rad from the heading
    data: NDArray[np.uint8]  # (K, N, N - 1, 10) what they broadcast


class Observations(NamedTuple):
    """K worlds of N robots at one tick; for a single ``World`` all without the first axis.

    A field is None where the robots do not sense it, or it was not asked for. Frame `map` unless
    said.
    """

    tick: NDArray[np.int64]  # (K,)
    pose: Floats  # (K, N, 3) x, y (m), yaw (rad), as messages carry it
    collided: NDArray[np.bool_]  # (K, N) intersected something in the last tick
    scan: Scans | None  # (K, N, beams) m
    infrared: Scans | None  # (K, N, 15) readings
    odometry: Floats | None  # (K, N, 3) frame `odom`
    odometry_twist: Floats | None  # (K, N, 3) m/s, m/s, rad/s in the robot's frame
    twist: Floats | None  # (K, N, 3) m/s, m/s, rad/s in the robot's frame
    wind: Floats | None  # (K, N, 2) m/s, effective wind now moving the robot
    imu: Floats | None  # (K, N, 4) yaw (rad), rad/s, m/s^2 forwards and to the left
    gnss: Floats | None  # (K, N, 3) latitude (deg), longitude (deg), altitude (m)
    neighbours: Heard | None
    obstacles: Floats | None  # (K, M, 2) m, centres of those on a path
    boxes: Floats | None  # (K, B, 3) x, y (m), yaw (rad) of pushable boxes


class Observer:
    """Copies of what robots sense; where it stands is looked up once, not at every step.

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
        for name, readings in (('imu', tick.positioning.imu), ('gnss', tick.positioning.gnss)):
            arrays |= {} if readings is None else {name: readings}
        for sense, fields in (
                ('scan', {'scan': worlds.ranges}), ('twist', {'twist': worlds.twist}),
                ('infrared', {'infrared': worlds.infrared}),
                ('odometry', {'odometry': worlds.odometry,
                              'odometry_twist': worlds.odometry_twist}),
                ('wind', {'wind': worlds.felt_wind})):
            arrays |= fields if sense in senses else {}
        views = {name: array.reshape(count, n, *array.shape[1:])
                 for name, array in arrays.items()}
        if 'infrared' in views:
            views['infrared'] = views['infrared'][..., 1]
        self._views: list[NDArray[Any] | None] = [
            views[name][0] if only and name in views else views.get(name)
            for name in Observations._fields[1:-3]]
        self._worlds, self._count, self._n, self._only = worlds, count, n, only
        self._shaped = tick.shaped
        self._hears = 'neighbours' in senses

    def __call__(self) -> Observations:
        """Return what is sensed now."""
        tick = self._worlds.tick
        return Observations._make([
            tick[0] if self._only else tick.copy(),
            *[None if view is None else view.copy() for view in self._views],
            self._heard() if self._hears else None, *self._moving()])

    def _moving(self) -> list[Floats | None]:
        if self._shaped is None:
            return [None, None]
        found = self._shaped.obstacles(), self._shaped.boxes_as_sent()
        return [None if rows is None else rows[0] if self._only else rows for rows in found]

    def _heard(self) -> Heard:
        count, n, worlds, width = self._count, self._n, self._worlds, max(0, self._n - 1)
        heard = Heard(np.diff(worlds.heard_starts, axis=1), np.full((count, n, width), -1),
                      np.zeros((count, n, width), np.float32),
                      np.zeros((count, n, width), np.float32),
                      np.zeros((count, n, width, worlds.rab_data.shape[1]), np.uint8))
        _pad(worlds.heard_starts, worlds.heard_robot, worlds.heard_range, worlds.heard_bearing,
             worlds.rab_data, heard.robot, heard.range, heard.bearing, heard.data)
        return Heard(*(array[0] for array in heard)) if self._only else heard


@njit
def _pad(starts: NDArray[np.int64], robots: NDArray[np.int64], ranges: Floats, bearings: Floats,
         data: NDArray[np.uint8], out_robot: NDArray[np.int64], out_range: Scans,
         out_bearing: Scans, out_data: NDArray[np.uint8]) -> None:
    """Copy compressed rows to rows of one length."""
    count, n = out_robot.shape[0], out_robot.shape[1]
    for k in range(count):
        for i in range(n):
            for m in range(starts[k, i + 1] - starts[k, i]):
                at = starts[k, i] + m
                out_robot[k, i, m] = robots[k, at]
                out_range[k, i, m] = np.float32(ranges[k, at])
                out_bearing[k, i, m] = np.float32(bearings[k, at])
                out_data[k, i, m] = data[k * n + robots[k, at]]
