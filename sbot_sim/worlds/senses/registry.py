"""Registry of the sensors that compiled phases simulate: the modules beside this one."""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module
from pkgutil import iter_modules

from sbot_sim.sensors.registry import sensors
from sbot_sim.worlds.senses.record import Simulated

_NO_SENSORS = ('record', 'registry')


@lru_cache(maxsize=1)
def simulated() -> tuple[Simulated, ...]:
    """Return the records, in the order of the sensors' messages.

    Raises
    ------
    LookupError
        for a module that is not named like a sensor.

    """
    names = [module.name for module in iter_modules(import_module(__package__).__path__)
             if module.name not in _NO_SENSORS]
    unknown = sorted(set(names) - set(sensors()))
    if unknown:
        raise LookupError(f"{__package__}: {', '.join(unknown)}: no sensor has this name")
    return tuple(import_module(f'{__package__}.{name}').SIMULATED
                 for name in sensors() if name in names)
