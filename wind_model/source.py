"""Wind source of a run: parameters, grid, and the wind at a time."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sbot_common.arrays import Floats
from wind_model.grid import Lattice, make_lattice
from wind_model.gust import gust_force, gust_velocity, is_gust, mean_force, mean_velocity
from wind_model.parameters import WindParameters
from wind_model.rotors_text import read_grid

# Load the wind field that parameters name.

def load_field(parameters: WindParameters) -> Lattice | None:
    """Return the custom field, or None if ``use_custom_static_wind_field`` is false.

    Raises
    ------
    InputError
        if the file cannot be read or is malformed.

    """
    if not parameters.use_custom_static_wind_field:
        return None
    path = parameters.custom_wind_field_path
    return make_lattice(read_grid(path), path)


_CALM = np.zeros(3)


class Wind(NamedTuple):
    """The wind of one time, as in `/wind/velocity`, `/wind/force`, `/wind/field`, `/wind/gust`."""

    velocity: Floats  # (3,) m/s outside the grid
    force: Floats  # (3,) N on every robot
    field: Lattice | None = None
    gust: Floats = _CALM  # (3,) m/s, added to the wind inside and outside the grid


def still_air() -> Wind:
    """Return no wind and no force."""
    return Wind(np.zeros(3), np.zeros(3))


class WindSource(NamedTuple):
    """Where the wind of a run comes from."""

    parameters: WindParameters
    field: Lattice | None

    def at(self, stamp_ns: int) -> Wind:
        """Return the wind of a stamp (ns)."""
        p = self.parameters
        calm = Wind(mean_velocity(p), mean_force(p), self.field)
        if not is_gust(p, stamp_ns):
            return calm
        return calm._replace(force=calm.force + gust_force(p), gust=gust_velocity(p))


def load_source(parameters: WindParameters) -> WindSource:
    """Return the source that parameters describe, the grid's file read."""
    return WindSource(parameters, load_field(parameters))
