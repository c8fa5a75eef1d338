"""Zones of a scenario in pictures: named places on the floor, such as a nest or a lamp."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import EllipseCollection
from matplotlib.font_manager import FontProperties
from matplotlib.patheffects import withStroke
from matplotlib.textpath import text_to_path

from sbot.figures.palette import palette
from sbot.scenario.fields import COLOURS
from sbot.scenario.model import Zone

_FILL = 0.22  # opacity
_POINT = 42.0  # of a zone without radius: size as scatter takes it
_LINE = 1.3  # height of a name, in sizes of its letters
_GAP, _POINT_GAP = 2.0, 5.0  # points between a zone, or a zone without radius, and its name


class _Place(NamedTuple):
    """Where a name is written."""

    anchor: tuple[float, float]  # m
    shift: tuple[float, float]  # points, from there to the middle of its upper or lower edge
    above: bool  # the anchor


def zone_colour(zone: Zone) -> str:
    """Return the colour of a zone as #rrggbb, on light and dark grounds."""
    return COLOURS.get(zone.color, zone.color)


def draw_zones(axes: Axes, zones: tuple[Zone, ...]) -> None:
    """Draw zones as discs beneath everything that moves, their names at their upper edges.

    A name is written below its zone, or within it, where it would otherwise leave the picture.
    """
    # All at once: an artist for each zone takes minutes for thousands.
    _draw_discs(axes, [zone for zone in zones if zone.radius is not None])
    points = [zone for zone in zones if zone.radius is None]
    if points:
        x, y = zip(*(zone.center for zone in points), strict=True)
        axes.scatter(x, y, s=_POINT, marker='D', color=[zone_colour(zone) for zone in points],
                     linewidths=0.0, zorder=0.8, gid='zones')
    axes.apply_aspect()  # else the size of the view is not known
    font = FontProperties(size='medium')
    rim = [withStroke(linewidth=1.5, foreground=palette().ground)]
    for zone in zones:
        width = text_to_path.get_text_width_height_descent(zone.name, font, False)[0]
        place = _place(axes, zone, width, _LINE * font.get_size_in_points())
        if place is not None:
            axes.annotate(zone.name, place.anchor, xytext=place.shift, ha='center',
                          va='bottom' if place.above else 'top', textcoords='offset points',
                          fontproperties=font, color=palette().ink, zorder=8.7,
                          parse_math=False, annotation_clip=False, path_effects=rim)


def _draw_discs(axes: Axes, zones: Sequence[Zone]) -> None:
    if not zones:
        return
    width = np.array([2.0 * (zone.radius or 0.0) for zone in zones])
    centres, colours = [zone.center for zone in zones], [zone_colour(zone) for zone in zones]
    for style in ({'facecolors': colours, 'linewidths': 0.0, 'alpha': _FILL, 'zorder': 0.7},
                  {'facecolors': 'none', 'edgecolors': colours, 'linewidths': 1.0,
                   'zorder': 0.8}):
        axes.add_collection(EllipseCollection(
            width, width, np.zeros(len(width)), units='xy', offsets=centres,
            offset_transform=axes.transData, gid='zones', **style))


def _place(axes: Axes, zone: Zone, width: float, height: float) -> _Place | None:
    """Return where the name of a zone is written; None if the zone is outside the view.

    ``width`` and ``height`` are those of the name (points).
    """
    (xmin, xmax), (ymin, ymax) = axes.get_xlim(), axes.get_ylim()
    (x, y), radius = zone.center, zone.radius or 0.0
    # The part of the zone at the side where the most of it is in view.
    anchor = min(max(x, xmin), xmax)
    if abs(x - anchor) > radius:
        return None
    half = math.sqrt(radius * radius - (x - anchor) * (x - anchor))
    low, high = y - half, y + half
    if low > ymax or high < ymin:
        return None
    figure = axes.get_figure(root=True)
    inches = axes.get_position().width * figure.get_figwidth() if figure is not None else 1.0
    scale = 72.0 * inches / (xmax - xmin)  # points a metre
    gap = _POINT_GAP if zone.radius is None else _GAP
    middle = (anchor - xmin) * scale
    last = max((xmax - xmin) * scale - _GAP - 0.5 * width, _GAP + 0.5 * width)
    aside = max(_GAP + 0.5 * width, min(middle, last)) - middle
    needed = (gap + height) / scale
    if high + needed <= ymax:
        return _Place((anchor, high), (aside, gap), above=True)
    if low - needed >= ymin:
        return _Place((anchor, low), (aside, -gap), above=False)
    return _Place((anchor, ymax), (aside, -_GAP), above=False)
