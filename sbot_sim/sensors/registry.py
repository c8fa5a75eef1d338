# SPDX-License-Identifier: Apache-2.0
"""Record of a sensor, and the registry of all of them.

Everything that goes through sensors goes through this list: scenario keys and their checks,
messages, recordings, controllers, histories, worlds, learning. An installed package adds a sensor
by an entry point of the group ``GROUP``, whose name is the sensor's and which leads to a
``Sensor``.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot_common.arrays import Floats, Integers
from sbot_common.compiled.jit import njit
from sbot_common.elementary import copy_numbers
from sbot_common.errors import InputError, bad_value
from sbot_common.params import Spec, specs_of
from sbot_common.random.numbers import WORDS, fill_normals, normals, uniforms
from sbot_common.topics import Topic
from sbot_common.user_code import entry_points_of, records_of
from sbot_sim.world.geometry import World
from sbot_sim.worlds.state import Phase, Setting, Worlds

# Record of a sensor: settings, draws, kernel or phases, message and observation.
#
# A new sensor is one file in ``sensors`` with a ``SENSOR`` (CONTRIBUTING.md).

Arrays = dict[str, NDArray[Any]]
Encode = Callable[[int, Any, int], bytes]  # stamp (ns), snapshot, robot
_Phases = Callable[[Setting], list[Phase]]


class Motion(NamedTuple):
    """Poses and motion of robots one tick ago; R rows."""

    pose: Floats  # (R, 3) x, y (m), yaw (rad), frame `map`
    twist: Floats  # (R, 3) m/s, m/s, rad/s in the robot's own frame


@njit
def _normals_of_worlds(seeds: NDArray[np.int64], purpose: int, robots: int,
                       ticks: NDArray[np.int64], count: int) -> Floats:
    """Return ``normals`` of M worlds, one after the other: (M * robots, count).

    ``seeds`` and ``ticks`` are those of each world (M,).
    """
    out, room = np.empty((len(seeds) * robots, count)), np.empty(count + WORDS)
    for k in range(len(seeds)):
        for j in range(robots):
            fill_normals(seeds[k], purpose, j, ticks[k], count, room)
            copy_numbers(room, out[k * robots + j])
    return out


class View(NamedTuple):
    """Read-only input of a kernel: M worlds of N robots at a tick; R = M N rows."""

    robots: int  # N
    seed: Integers  # (M,)
    tick: Integers  # (M,)
    dt: float  # s
    pose: Floats  # (R, 3) x, y (m), yaw (rad), frame `map`
    twist: Floats  # (R, 3) what the last tick did: m/s, m/s, rad/s in the robot's own frame
    collided: NDArray[np.bool_]  # (R,) intersected something in the last tick
    radius: Floats  # (R,) m, of the bodies
    world: World  # the same of all M

    def normals(self, purpose: int, count: int) -> Floats:
        """Return standard normal numbers (R, count) of this tick."""
        if len(self.seed) == 1:
            return normals(int(self.seed[0]), purpose, self.robots, int(self.tick[0]), count)
        return _normals_of_worlds(self.seed, purpose, self.robots, self.tick, count)

    def uniforms(self, purpose: int, count: int) -> Floats:
        """Return numbers (R, count) of this tick, uniform in [0, 1)."""
        ids = np.arange(self.robots)
        return np.vstack([uniforms(int(seed), purpose, ids, int(tick), count)
                          for seed, tick in zip(self.seed, self.tick, strict=True)])


def _unchanged(readings: Any, angle: float = 0.0) -> Any:  # noqa: ANN401
    return readings


def _none(_: Setting) -> list[Phase]:
    return []


def decoded_as(field: str) -> Callable[[bytes], tuple[int, Any]]:
    """Return the codec of a field that all controllers know (``sbot_common.wire.controller``)."""
    def decode(raw: bytes) -> tuple[int, Any]:
        from sbot_common.wire.controller import FIELDS  # ROS' definitions take a while
        return FIELDS[field][1](raw)
    return decode


class Kernel(NamedTuple):
    """Simulation of a sensor whose readings are rows of numbers."""

    columns: tuple[str, ...]  # of a reading, with units
    # Settings, view and memory to readings (R, columns). What is off draws nothing.
    read: Callable[[Any, View, Floats], Floats]
    # Settings, length of a tick (s) and frame id to a function that returns the message of a
    # stamp (ns) and a reading's numbers.
    encode: Callable[[Any, float, str], Callable[..., bytes]]
    value: Callable[..., Any]  # a reading's numbers to the observation, a tuple of as many floats
    # Readings (R, columns) to what is left of them after a message, bit for bit.
    sent: Callable[[Floats], Floats] = lambda readings: readings
    link: str = 'base_link'  # frame of the messages; any other is at the origin of base_link
    memory: int = 0  # numbers that are kept of each robot from tick to tick
    start: Callable[[Any, View], Floats] | None = None  # settings: memory (R, memory) at tick 0
    # Settings, motion before, view after a tick, memory: the memory after it; None: it stays.
    remember: Callable[[Any, Motion, View, Floats], Floats] | None = None


class Place(NamedTuple):
    """Settings that the messages of a sensor depend on, in addition to the snapshot."""

    num_robots: int
    dt: float  # s, of a tick
    radius: Floats  # (N,) m, of the bodies
    sensors: Any  # ``engine.parameters.SensorParameters``
    frame: Callable[[str, int], str]  # from a frame's name and a robot to its id
    covariances: Any = None  # ``OdometryCovariances``; None: zero
    variance_floor: float = 0.0  # least variance of odometry in messages


class Sensor(NamedTuple):
    """Record of a sensor: everything that the project needs to know of it."""

    name: str  # in `sense`, of a field of observations, runs and worlds, of a network's input
    text: str  # what a history keeps of it: shape and units
    topic: Topic
    decode: Callable[[bytes], tuple[int, Any]]  # a message to stamp (ns) and observation
    kernel: Kernel | None = None  # None: phases of the tick simulate it
    settings: Any = None  # a NamedTuple of Param fields at their defaults; None: nothing to set
    switch: str = ''  # the setting that switches it on; '': robots always have it
    # Place among the messages of a tick, and of its keys in the group `sensors`.
    order: tuple[int, int] = (50, 50)
    for_wakes: bool = False  # wakes use its settings, too
    # From what a history keeps, and an angle (rad): what it keeps where the whole scene is moved
    # and turned by that angle. None: it is of one place on Earth.
    turned: Callable[[Any, float], Any] | None = _unchanged
    # Without a kernel: its messages (None: none, or sent apart), a robot's observation out of a
    # snapshot and ``Lasers``, and what a history keeps: N rows, or a tuple of such.
    encoder: Callable[[Place], Encode | None] | None = None
    observe: Callable[[Any, Any, int], Any] = lambda snapshot, lasers, robot: None
    keep: Callable[[Any], Any] = lambda snapshot: None
    # Without a kernel: the arrays of ``Worlds`` with its rows, by the field of observations that
    # shows them; its phases while the robots drive, once they stand, and once the wind at them is
    # known; whether ``SensorParameters`` have it; and what observations show of the rows.
    arrays: Mapping[str, str] = {}
    driving: _Phases = _none
    seeing: _Phases = _none
    in_wind: _Phases = _none
    has: Callable[[Any], bool] = lambda sensors: True
    shown: Callable[[NDArray[Any]], NDArray[Any]] = _unchanged

    @property
    def specs(self) -> tuple[Spec, ...]:
        """The declarations of its settings."""
        kind: Any = type(self.settings)
        return () if self.settings is None else specs_of(kind)

    def is_on(self, group: Any) -> bool:  # noqa: ANN401 - ``SensorSettings`` of a scenario
        """Tell whether robots have the sensor."""
        return not self.switch or bool(getattr(getattr(group, self.name), self.switch))

    def observed(self, snapshot: Any, lasers: Any, robot: int) -> Any:  # noqa: ANN401
        """Return the reading for a robot's controller; see ``observe``."""
        if self.kernel is None:
            return self.observe(snapshot, lasers, robot)
        row = self.kernel.sent(snapshot.readings[self.name][robot:robot + 1])
        return self.kernel.value(*row[0].tolist())

    def views(self, worlds: Worlds) -> Arrays:
        """Return views of the readings by the field of observations."""
        return {field: self.shown(getattr(worlds, name)) for field, name in self.arrays.items()}

    def copied(self, worlds: Worlds, rows: slice) -> Arrays:
        """Return copies of rows of the arrays by name, as a snapshot keeps them."""
        return {name: getattr(worlds, name)[rows].copy() for name in self.arrays.values()}

    def kept(self, snapshot: Any) -> Any:  # noqa: ANN401
        """Return the reading for a history; see ``keep``."""
        return self.keep(snapshot) if self.kernel is None else snapshot.readings[self.name]

    def encoders(self, place: Place) -> Encode | None:
        """Return the encoders of its messages; None: it sends none, or elsewhere."""
        if self.kernel is None:
            return None if self.encoder is None else self.encoder(place)
        if self.name not in place.sensors.fitted:
            return None
        fills = [self.kernel.encode(place.sensors.fitted[self.name], place.dt,
                                    place.frame(self.kernel.link, i))
                 for i in range(place.num_robots)]
        return lambda stamp_ns, snapshot, robot: fills[robot](
            stamp_ns, *snapshot.readings[self.name][robot].tolist())


LOG = logging.getLogger(__name__)
GROUP = 'sbot.sensors'
_FORMER = {'scans': 'scan', 'range_and_bearing': 'neighbours'}  # and what they are called now


@lru_cache(maxsize=1)
def sensors() -> Mapping[str, Sensor]:
    """Return all sensors by name, in the order of their messages."""
    found = records_of(__package__, 'SENSOR')
    names = {sensor.name for sensor in found}
    for point in entry_points_of(GROUP):
        if point.name in names:
            continue
        try:
            sensor = point.load()
            good = (isinstance(sensor, Sensor) and sensor.name == point.name
                    and all(isinstance(place, int) for place in sensor.order)
                    and sensor.specs is not None)  # made of its settings
        except (Exception, SystemExit) as error:  # another package may raise anything
            LOG.warning("sensor '%s' (%s) is left out: %s: %s", point.name, point.value,
                        type(error).__name__, error)
            continue
        if good:
            found.append(sensor)
            names.add(point.name)
        else:
            LOG.warning("sensor '%s' (%s) is left out: its entry point needs a Sensor of this "
                        "name",
                        point.name, point.value)
    return MappingProxyType({sensor.name: sensor for sensor in sorted(
        found, key=lambda sensor: (sensor.order[0], sensor.name))})


def simulated() -> list[Sensor]:
    """Return the sensors that phases of the tick simulate, in the order of their messages.

    Range and bearing is not among them: ``Tick.hearing`` finds who hears whom for wakes, too.
    """
    return [sensor for sensor in sensors().values() if sensor.arrays]


def codecs() -> dict[str, tuple[Topic, Callable[[bytes], tuple[int, Any]]]]:
    """Return the topic and decoder of each sensor, as ``wire.controller`` does.

    In the order in which the simulator sends them.
    """
    return {name: (sensor.topic, sensor.decode) for name, sensor in sensors().items()}


def check_name(where: str, name: object) -> None:
    """Raise InputError for a name that is not a sensor's; name the new name of a former one."""
    if isinstance(name, str) and name in sensors():
        return
    now = _FORMER.get(name) if isinstance(name, str) else None
    if now is not None:
        raise InputError(f"{where}: got {name!r}, expected '{now}', its new name")
    raise bad_value(where, name, f"any of {', '.join(sensors())}")
