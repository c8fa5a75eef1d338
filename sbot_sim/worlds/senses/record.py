"""Record of a sensor that compiled phases simulate: its phases and its arrays of readings.

A sensor whose ``SENSOR`` has a kernel needs none: ``fitted_sensors`` runs the kernel in Python.
These are here because their loops are compiled, and threads share the robots of a world.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from numpy.typing import NDArray

from sbot_sim.worlds.batch import Phase
from sbot_sim.worlds.parameters import SensorParameters
from sbot_sim.worlds.state import Setting, Worlds

Array = NDArray[Any]
Arrays = dict[str, Array]
_Phases = Callable[[Setting], list[Phase]]


def _always(_: SensorParameters) -> bool:
    return True


def _none(_: Setting) -> list[Phase]:
    return []


def _all(rows: Array) -> Array:
    return rows


class Simulated(NamedTuple):
    """Record of a sensor that phases of the tick simulate."""

    name: str  # of its ``SENSOR``
    arrays: Mapping[str, str]  # field of observations to the array of ``Worlds`` with its rows
    has: Callable[[SensorParameters], bool] = _always  # whether the robots have it
    # Phases while the robots drive, once they stand, and once the wind at them is known.
    driving: _Phases = _none
    seeing: _Phases = _none
    in_wind: _Phases = _none
    shown: Callable[[Array], Array] = _all  # a view of the rows: what observations show of them

    def observed(self, worlds: Worlds) -> Arrays:
        """Return views of the readings by the field of observations."""
        return {field: self.shown(getattr(worlds, name)) for field, name in self.arrays.items()}

    def copied(self, worlds: Worlds) -> Arrays:
        """Return copies of the arrays by name, as a snapshot keeps them."""
        return {name: getattr(worlds, name).copy() for name in self.arrays.values()}
