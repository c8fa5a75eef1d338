"""Wind of an ARGoS experiment: the element `<air_resistance>` with the shape of the wakes."""

from __future__ import annotations

from typing import Any

from sbot.files.yaml_text import KeyPath
from sbot.scenario.argos.published import WAKE
from sbot.scenario.argos.xml import Element
from sbot_common.errors import InputError
from wind_model.gust import direction_of_angle

WIND = 'air_resistance'
# What the published README documents beside angle and magnitude (docs/errata.md W12).
_SHAPE = ('lateral_reach_radii', 'shadow_length_radii', 'upwind_gate_radii', 'gamma_boost')


def wind_of(root: Element, lines: dict[KeyPath, int], *, wake: bool) -> dict[str, Any]:
    """Return the wind of an experiment; its robots shelter each other, as document 000's do.

    Parameters
    ----------
    root : the experiment
    lines : gets the element's line
    wake : False if the user switches wakes off: then the published reading of them is left out

    Raises
    ------
    InputError
        naming file and line: two winds, angle or magnitude missing, a bad number.

    """
    found = root.everywhere(WIND)
    if not found:
        return {}
    if len(found) > 1:
        raise InputError(f'{found[1].where}: the wind is given twice, first on line '
                         f'{found[0].line}')
    element = found[0]
    lines['wind',] = element.line
    element.warn_unknown('angle_deg', 'magnitude', *_SHAPE)
    shape = {name: element.number(name, minimum=0.0) for name in _SHAPE
             if name in element.attributes}
    return {'wind_direction': list(direction_of_angle(element.number('angle_deg'))),
            'wind_speed_mean': 0.01 * element.number('magnitude', minimum=0.0), 'wake': True,
            **(WAKE if wake else {}), **shape}
