"""Registry of the sensors that compiled phases simulate: the modules beside this one."""

from __future__ import annotations

from functools import lru_cache

from sbot_common.user_code import records_of
from sbot_sim.sensors.registry import sensors
from sbot_sim.worlds.senses.record import Simulated


@lru_cache(maxsize=1)
def simulated() -> tuple[Simulated, ...]:
    """Return the records, in the order of the sensors' messages.

    Raises
    ------
    LookupError
        for a module that is not named like a sensor.

    """
    records: list[Simulated] = records_of(__package__, 'SIMULATED')
    found = {each.name: each for each in records}
    if unknown := sorted(found.keys() - sensors()):
        raise LookupError(f"{__package__}: {', '.join(unknown)}: no sensor has this name")
    return tuple(found[name] for name in sensors() if name in found)
