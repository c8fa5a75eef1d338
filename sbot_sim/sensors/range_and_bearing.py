# SPDX-License-Identifier: Apache-2.0
"""Range and bearing: neighbours, distances and bearings (document 000 section 5.5)."""

from __future__ import annotations

import math
from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot_common.angles import wrap_angle
from sbot_common.arrays import Floats
from sbot_common.compiled.jit import njit, njit_inner
from sbot_common.elementary import atan2, copy_numbers, sincos_of
from sbot_common.observation import BROADCAST_BYTES, Neighbours
from sbot_common.params import Param
from sbot_common.spatial import cell_index, grid_around_points
from sbot_common.topics import RANGE_AND_BEARING
from sbot_sim.sensors.registry import Encode, Place, Sensor, decoded_as
from sbot_sim.world.scene import Scene, blocked
from sbot_sim.worlds.state import Batch, Phase, scene_of

Heard = tuple[NDArray[np.int64], NDArray[np.int64], Floats, Floats]


class HeardRows(NamedTuple):
    """Whom robots hear, in rows of one length; the first ``number`` of N - 1 columns are used."""

    number: NDArray[np.int64]  # (K, N)
    robot: NDArray[np.int64]  # (K, N, N - 1) in increasing order; -1: nobody
    range: NDArray[np.float32]  # (K, N, N - 1) m
    bearing: NDArray[np.float32]  # (K, N, N - 1) rad from the heading
    data: NDArray[np.uint8]  # (K, N, N - 1, 10) what they broadcast

    @classmethod
    def padded(cls, starts: NDArray[np.int64], robots: NDArray[np.int64], ranges: Floats,
               bearings: Floats, data: NDArray[np.uint8]) -> HeardRows:
        """Return the results of ``neighbours`` of K worlds as rows of one length.

        Parameters
        ----------
        starts : (K, N + 1)
        robots, ranges, bearings : (K, P); P at least the last of ``starts``
        data : (K * N, 10) what robots broadcast

        """
        count, n = starts.shape[0], starts.shape[1] - 1
        width = max(0, n - 1)
        heard = cls(np.diff(starts, axis=1), np.full((count, n, width), -1),
                    np.zeros((count, n, width), np.float32),
                    np.zeros((count, n, width), np.float32),
                    np.zeros((count, n, width, data.shape[1]), np.uint8))
        _pad(starts, robots, ranges, bearings, data, *heard[1:])
        return heard


class RangeAndBearing(NamedTuple):
    """Who hears whom."""

    range_and_bearing: Annotated[bool, Param(
        '', 'Robots broadcast ten bytes and hear their neighbours.', '000 section 5.1')] = False
    rab_range: Annotated[float, Param(
        'm', 'Largest distance between centres at which robots hear each other.',
        '000 section 5.5', 0.0)] = 3.0
    rab_blocked_by_walls: Annotated[bool, Param(
        '', 'Walls and obstacles block broadcasts; robots do not.', '000 section 5.5')] = True


DATA_BYTES = BROADCAST_BYTES
_POINT = np.dtype([*((name, '<f4') for name in ('x', 'y', 'z', 'range', 'bearing')),
                   ('data', 'u1', DATA_BYTES)])


_LEAST_CELL = 1e-9  # m


@njit_inner
def _doubled(pairs: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the rows of ``pairs`` followed by room for as many."""
    longer = np.empty((2 * pairs.shape[0], 2), np.int64)
    for p in range(pairs.shape[0]):
        longer[p, 0], longer[p, 1] = pairs[p, 0], pairs[p, 1]
    return longer


@njit_inner
def _pairs(pose: Floats, reach: float, walls: Scene) -> NDArray[np.int64]:
    """Return the pairs (i, j), i < j, that hear each other, shape (K, 2), i increasing."""
    count = pose.shape[0]
    grid = grid_around_points(pose, max(reach, _LEAST_CELL))
    nx, ny = grid.nx, grid.ny
    pairs = np.empty((4 * count, 2), np.int64)
    found = 0
    for i in range(count):
        x, y = pose[i, 0], pose[i, 1]
        column, row = (cell_index(x, grid.x0, grid.cell, nx),
                       cell_index(y, grid.y0, grid.cell, ny))
        for r in range(max(0, row - 1), min(ny, row + 2)):
            for k in range(r * nx + max(0, column - 1), r * nx + min(nx, column + 2)):
                for item in range(grid.starts[k], grid.starts[k + 1]):
                    j = grid.items[item]
                    if j <= i:
                        continue
                    dx, dy = pose[j, 0] - x, pose[j, 1] - y
                    if not math.sqrt(dx * dx + dy * dy) <= reach:
                        continue
                    if blocked(x, y, pose[j, 0], pose[j, 1], walls):
                        continue
                    if found == pairs.shape[0]:
                        pairs = _doubled(pairs)
                    pairs[found, 0], pairs[found, 1] = i, j
                    found += 1
    return pairs[:found]  # a view; the caller goes through it once


@njit_inner
def _rows(pose: Floats, pairs: NDArray[np.int64]) -> Heard:
    """Return the pairs as compressed rows, both ways round, each row in order of robot id."""
    count, found = pose.shape[0], pairs.shape[0]
    starts = np.zeros(count + 1, np.int64)
    for p in range(found):
        starts[pairs[p, 0] + 1] += 1
        starts[pairs[p, 1] + 1] += 1
    for i in range(count):
        starts[i + 1] += starts[i]
    # Transposing compressed rows orders them: go through the unordered rows by sender, and append
    # the sender to each of its receivers.
    unordered = np.empty(2 * found, np.int64)
    ends = starts[:-1].copy()
    for p in range(found):
        for side in range(2):
            receiver, sender = pairs[p, side], pairs[p, 1 - side]
            unordered[ends[receiver]] = sender
            ends[receiver] += 1
    indexes = np.empty(2 * found, np.int64)
    ranges = np.empty(2 * found)
    bearings = np.empty(2 * found)
    ends = starts[:-1].copy()
    for sender in range(count):
        for p in range(starts[sender], starts[sender + 1]):
            receiver = unordered[p]
            dx = pose[sender, 0] - pose[receiver, 0]
            dy = pose[sender, 1] - pose[receiver, 1]
            place = ends[receiver]
            indexes[place] = sender
            ranges[place] = math.sqrt(dx * dx + dy * dy)
            bearings[place] = wrap_angle(atan2(dy, dx) - pose[receiver, 2])
            ends[receiver] += 1
    return starts, indexes, ranges, bearings


def nobody_heard(count: int) -> Heard:
    """Return the result of ``neighbours`` for ``count`` robots that hear no other."""
    return np.zeros(count + 1, np.int64), np.zeros(0, np.int64), np.zeros(0), np.zeros(0)


@njit
def neighbours(pose: Floats, reach: float, walls: Scene) -> Heard:
    """Return whom each robot hears, in order of robot id.

    Parameters
    ----------
    pose : (N, 3) x, y (m), yaw (rad), frame `map`; of at least one robot
    reach : m, greatest distance between centres, included
    walls : walls and obstacles that stop a broadcast, from ``Scene.of_walls``

    Returns
    -------
    starts : (N + 1,); robot i hears ``indexes[starts[i]:starts[i + 1]]``
    indexes : (P,) robot ids
    ranges : (P,) m, centre to centre
    bearings : (P,) rad from the receiver's heading, in [-pi, pi)

    """
    return _rows(pose, _pairs(pose, reach, walls))


@njit
def _pad(starts: NDArray[np.int64], robots: NDArray[np.int64], ranges: Floats, bearings: Floats,
         data: NDArray[np.uint8], out_robot: NDArray[np.int64], out_range: NDArray[np.float32],
         out_bearing: NDArray[np.float32], out_data: NDArray[np.uint8]) -> None:
    """Copy compressed rows to rows of one length."""
    count, n = out_robot.shape[0], out_robot.shape[1]
    for k in range(count):
        for i in range(n):
            for m in range(starts[k, i + 1] - starts[k, i]):
                at = starts[k, i] + m
                out_robot[k, i, m] = robots[k, at]
                out_range[k, i, m] = np.float32(ranges[k, at])
                out_bearing[k, i, m] = np.float32(bearings[k, at])
                copy_numbers(data[k * n + robots[k, at]], out_data[k, i, m])


def _observe(snapshot: Any, _: Any, robot: int) -> Neighbours:  # noqa: ANN401
    starts, indexes, ranges, bearings = snapshot.heard
    row = slice(int(starts[robot]), int(starts[robot + 1]))
    return Neighbours(ranges[row].astype(np.float32), bearings[row].astype(np.float32),
                      snapshot.rab_data[indexes[row]])


def _encoder(place: Place) -> Encode | None:
    from sbot_common.wire.controller import encode_points
    if not place.sensors.range_and_bearing:
        return None
    frames = [place.frame('base_link', i) for i in range(place.num_robots)]

    def encode(stamp_ns: int, snapshot: Any, robot: int) -> bytes:  # noqa: ANN401
        starts, indexes, ranges, bearings = snapshot.heard
        row = slice(starts[robot], starts[robot + 1])
        points = np.zeros((1, row.stop - row.start), _POINT)
        sine, cosine = np.empty(points.size), np.empty(points.size)
        sincos_of(bearings[row], sine, cosine)
        points['x'], points['y'] = ranges[row] * cosine, ranges[row] * sine
        points['range'], points['bearing'] = ranges[row], bearings[row]
        points['data'] = snapshot.rab_data[indexes[row]]
        return encode_points(stamp_ns, frames[robot], points, dense=False)
    return encode


def _keep(snapshot: Any) -> HeardRows:  # noqa: ANN401
    starts, robots, ranges, bearings = (each[np.newaxis] for each in snapshot.heard)
    rows = HeardRows.padded(starts, robots, ranges, bearings, snapshot.rab_data)
    return HeardRows(*(each[0] for each in rows))


@Phase
def hear(first: int, end: int, a: int, z: int, batch: Batch) -> None:
    """Find the robots that each robot hears."""
    setting, worlds = batch.setting, batch.worlds
    n = setting.robots
    for k in range(first, end):
        starts, robots, ranges, bearings = neighbours(
            worlds.pose[k * n:(k + 1) * n], setting.sensing.rab_range,
            scene_of(setting.line_of_sight, setting.layout[k]))
        count = starts[n]
        copy_numbers(starts, worlds.heard_starts[k])
        copy_numbers(robots, worlds.heard_robot[k, :count])
        copy_numbers(ranges, worlds.heard_range[k, :count])
        copy_numbers(bearings, worlds.heard_bearing[k, :count])


SENSOR = Sensor('neighbours', 'a tuple of number (N,), robot, range (m), bearing (rad) '
                '(N, N - 1), data (N, N - 1, 10)', RANGE_AND_BEARING, decoded_as('neighbours'),
                settings=RangeAndBearing(), switch='range_and_bearing', order=(70, 16),
                for_wakes=True, encoder=_encoder, observe=_observe, keep=_keep)
