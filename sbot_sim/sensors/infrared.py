# SPDX-License-Identifier: Apache-2.0
"""The s-bot's fifteen infrared proximity sensors (document 002 section 3).

Beams start at the robot's centre and pass through the sensors on its rim; distances count from the
rim, and a table turns them into readings.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot_common.arrays import Floats
from sbot_common.compiled.jit import TOGETHER, borrowed, stack_indexes
from sbot_common.observation import INFRARED_SENSORS
from sbot_common.params import Param
from sbot_common.topics import INFRARED as TOPIC
from sbot_sim.collision.detection import FEW
from sbot_sim.sensors.infrared_kernel import (
    OTHERS,
    ROWS,
    InfraredView,
    Near,
    Readout,
    find_rows,
    sense_near,
)
from sbot_sim.sensors.infrared_table import TABLE_RANGE, load_table
from sbot_sim.sensors.rays import Fan
from sbot_sim.sensors.registry import Encode, Place, Sensor, decoded_as
from sbot_sim.worlds.state import Batch, Phase, Setting, all_in_view, discs_by_place, scene_of

SENSORS = INFRARED_SENSORS
# Document 002, figure 5b, from the direction the robot faces, counter-clockwise.
SENSOR_DEGREES = (34, 56, 79, 101, 120, 140, 160, 180, 200, 220, 240, 259, 281, 304, 326)
SENSOR_ANGLES = tuple(math.radians(degrees) for degrees in SENSOR_DEGREES)


@cache
def ring() -> Fan:
    """Return the table of the fifteen beams."""
    return Fan.uneven(SENSOR_ANGLES)


class InfraredSettings(NamedTuple):
    """The infrared sensors as a scenario describes them."""

    infrared: Annotated[bool, Param(
        '', 'Whether robots have infrared sensors.', '002 section 3')] = False
    infrared_table: Annotated[str, Param(
        '', 'Table from distances to readings: exponential, polynomial, as_printed, or a file of '
        '151 readings (0 to 15 cm, 1 mm apart).', '002 section 3.1')] = 'exponential'
    infrared_noise: Annotated[float, Param(
        '', 'Largest noise as a fraction of the reading; uniform.', '002 Table 1',
        0.0, 1.0)] = 0.15
    infrared_sees_robots: Annotated[bool, Param(
        '', 'Whether infrared sees the other robots.', '002 section 3')] = True
    infrared_range: Annotated[float, Param(
        'm', 'Range, from the rim of the body.', '002 section 3.1', 0.0, TABLE_RANGE,
        open_minimum=True)] = TABLE_RANGE

    def parameters(self) -> InfraredParameters | None:
        """Return the parameters of infrared with its table; None without infrared.

        Raises
        ------
        InputError
            for a bad table.

        """
        table = load_table(self.infrared_table)
        if not self.infrared:
            return None
        return InfraredParameters(table, self.infrared_noise, self.infrared_sees_robots,
                                  self.infrared_range)


class InfraredParameters(NamedTuple):
    """The infrared sensors as simulated."""

    table: Floats  # (151,) reading at 0, 1 … 150 mm
    noise: float  # greatest, as a fraction of the reading
    sees_robots: bool
    range: float  # m, from the rim


def infrared_reach(radius: Floats, parameters: InfraredParameters) -> float:
    """Return how far from a robot's centre infrared sees (m): the reach that a scene needs."""
    return float(radius.max(initial=0.0)) + parameters.range


def _infrared_points(sensed: NDArray[np.float32], radius: float) -> NDArray[np.float32]:
    """Return one robot's sensors as points (15, 5) x y z range reading, in its `base_link`.

    Parameters
    ----------
    sensed : (15, 2) a robot's distances (m) and readings
    radius : m, of its body; x, y, z (m) is where the sensor is on the rim

    """
    points = np.zeros((SENSORS, 5), np.float32)
    points[:, :2] = radius * ring().directions[:, :SENSORS].T
    points[:, 3:] = sensed
    return points

_POINT = np.dtype([(name, '<f4') for name in ('x', 'y', 'z', 'range', 'reading')])


def _keep(snapshot: Any) -> NDArray[np.float32]:  # noqa: ANN401
    readings: NDArray[np.float32] = snapshot.infrared[:, :, -1]
    return readings


def _encoder(place: Place) -> Encode | None:
    from sbot_common.wire.controller import encode_points
    if place.sensors.infrared is None:
        return None
    frames = [place.frame('base_link', i) for i in range(place.num_robots)]
    return lambda stamp_ns, snapshot, robot: encode_points(
        stamp_ns, frames[robot], _infrared_points(
            snapshot.infrared[robot], place.radius[robot]).view(_POINT).reshape(1, -1),
        dense=False)


@Phase.shared_apart
def _read_infrared(first: int, end: int, a: int, z: int, batch: Batch) -> None:
    """Read the infrared sensors; of many robots once they are sorted."""
    setting, worlds = batch.setting, batch.worlds
    n, s, radius = setting.robots, setting.sensing, setting.bodies.radius
    by_place, ends = s.infrared_sees_robots and n > FEW, np.empty(2, np.int32)
    discs = all_in_view(worlds, radius, first * n, 0 if by_place else end * n, ends)
    scene = scene_of(setting.infrared_scenes, setting.layout[first])
    readout = Readout(borrowed(s.infrared_table), borrowed(setting.infrared_noise),
                      borrowed(worlds.seed), borrowed(worlds.tick), n)
    near = Near(stack_indexes(ROWS), stack_indexes(ROWS), stack_indexes(ROWS), stack_indexes(ROWS),
                stack_indexes(ROWS), stack_indexes(OTHERS), stack_indexes(OTHERS))
    near.begin[0] = count = 0
    out = borrowed(worlds.infrared)
    for k in range(first, end):
        low, high = max(a, k * n), min(z, (k + 1) * n)
        if k > first and setting.layout[k] != setting.layout[k - 1]:
            scene = scene_of(setting.infrared_scenes, setting.layout[k])
        ends[0], ends[1] = (k * n, (k + 1) * n) if s.infrared_sees_robots else (0, 0)
        if by_place:
            discs = discs_by_place(worlds, k, n)
            low, high = low - k * n, high - k * n
        view = InfraredView(borrowed(scene), borrowed(discs), borrowed(worlds.pose),
                            borrowed(radius), borrowed(s.infrared_fan), s.infrared_range)
        last = k == end - 1 or setting.layout[k + 1] != setting.layout[k]
        while True:
            some = min(high, low + TOGETHER - count)
            count = find_rows(low, some, k, view, near, count, out)
            low = some
            if n > FEW or count == TOGETHER or (last and low >= high):
                sense_near(count, view, readout, near, out)
                count = 0
            if low >= high:
                break
    ends[0] = 0  # keeps it alive until here


def _seeing(setting: Setting) -> list[Phase]:
    return [_read_infrared] if setting.sensing.infrared_fan.beams else []


SENSOR = Sensor('infrared', '(N, 15) readings', TOPIC, decoded_as('infrared'),
                settings=InfraredSettings(), switch='infrared', order=(60, 15), encoder=_encoder,
                observe=lambda snapshot, scan, robot: snapshot.infrared[robot, :, -1], keep=_keep,
                arrays={'infrared': 'infrared'}, seeing=_seeing,
                has=lambda sensors: sensors.infrared is not None,
                shown=lambda rows: rows[..., 1])  # distances are for messages
