"""Markers of zones for rviz (`/markers`): named places on the floor, as flat discs with names."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from sbot_common.wire.markers import CUBE, CYLINDER, TEXT, Colour, Template, marker

_HEIGHT = 0.01  # m: below everything that stands on the floor
_OPACITY = 0.3  # of a disc
_POINT = 0.15  # m, the side of a zone without radius
_LETTERS = 0.3  # m, the height of names
_TEXT_COLOUR: Colour = (0.1, 0.1, 0.1, 1.0)


class ZoneSign(NamedTuple):
    """A named place on the floor, which has no effect."""

    name: str
    center: tuple[float, float]  # m
    radius: float | None  # m; None: a point
    colour: tuple[float, float, float]  # red, green, blue from 0 to 1


def zone_markers(stamp_ns: int, zones: tuple[ZoneSign, ...]) -> bytes:
    """Return the visualization_msgs/MarkerArray (CDR) of zones and their names, in frame `map`.

    As with obstacles, send it again for late subscribers.
    """
    template = _template(zones).copy()
    template.set_stamp(stamp_ns)
    return template.to_bytes()


@lru_cache(maxsize=4)
def _template(zones: tuple[ZoneSign, ...]) -> Template:
    markers = []
    for k, zone in enumerate(zones):
        if zone.radius is None:
            kind, side, colour = CUBE, _POINT, (*zone.colour, 1.0)
        else:
            kind, side, colour = CYLINDER, 2.0 * zone.radius, (*zone.colour, _OPACITY)
        markers += [
            marker('zones', k, kind, (side, side, _HEIGHT), colour, z=0.5 * _HEIGHT),
            marker('zone names', k, TEXT, (0.0, 0.0, _LETTERS), _TEXT_COLOUR, z=_LETTERS,
                   text=zone.name)]
    template = Template(markers)
    template.set_positions(0, np.repeat(np.array([zone.center for zone in zones]), 2, axis=0))
    return template
