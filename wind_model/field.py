"""Load the wind field that parameters name."""

from __future__ import annotations

from wind_model.grid import Lattice, make_lattice
from wind_model.parameters import WindParameters
from wind_model.rotors_text import read_grid


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
