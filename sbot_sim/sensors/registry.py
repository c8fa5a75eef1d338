"""Registry of sensors: records by name; other packages add theirs by an entry point.

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
from typing import Any

from sbot_common.errors import InputError, bad_value
from sbot_common.topics import Topic
from sbot_common.user_code import entry_points_of, records_of
from sbot_sim.sensors.record import Sensor

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
