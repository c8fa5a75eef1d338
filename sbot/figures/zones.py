"""Zones of a scenario in pictures: named places on the floor, such as a nest or a lamp."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import EllipseCollection
from matplotlib.font_manager import FontProperties
from matplotlib.patheffects import withStroke
from matplotlib.textpath import text_to_path

from sbot.figures.arena.view import points_a_metre
from sbot.figures.arena.zone_names import Scene, View, places_of
from sbot.figures.data import RunData
from sbot.figures.palette import palette
from sbot.scenario.assemble import zone_colour
from sbot.scenario.model import Zone

_FILL = 0.22  # opacity
_POINT = 42.0  # of a zone without radius: size as scatter takes it
MOST_NAMES = 300  # names of more zones would cover each other, and take minutes
NAME = 'name of a zone'  # mark of its text
_LINE = 1.3  # height of a name, in sizes of its letters


def draw_zones(axes: Axes, data: RunData, shown: Sequence[int] = ()) -> None:
    """Draw zones as discs beneath everything that moves, and their names above it, with a halo.

    A name is at the upper edge of its zone, or where it hides less: robots, goals, tracks,
    obstacles and other names. ``shown``: indexes of the stamps that pictures side by side show;
    none: the tracks and their end. Only the first ``MOST_NAMES`` have names.
    """
    zones = data.scenario.world.zones
    # All at once: an artist for each zone takes minutes for thousands.
    _draw_discs(axes, [zone for zone in zones if zone.radius is not None])
    points = [zone for zone in zones if zone.radius is None]
    if points:
        x, y = zip(*(zone.center for zone in points), strict=True)
        axes.scatter(x, y, s=_POINT, marker='D', color=[zone_colour(zone) for zone in points],
                     linewidths=0.0, zorder=0.8, gid='zones')
    if zones:
        _write_names(axes, data, shown)


def _write_names(axes: Axes, data: RunData, shown: Sequence[int]) -> None:
    axes.apply_aspect()  # else the size of the view is not known
    (xmin, xmax), (ymin, ymax) = axes.get_xlim(), axes.get_ylim()
    view = View((xmin, ymin), (xmax, ymax), points_a_metre(axes, data))
    scene = Scene(data, view, shown)
    font = FontProperties(size='medium')
    height = _LINE * font.get_size_in_points()
    rim = [withStroke(linewidth=2.0, foreground=palette().ground)]
    for zone in data.scenario.world.zones[:MOST_NAMES]:
        width = text_to_path.get_text_width_height_descent(zone.name, font, False)[0]
        places = places_of(zone, view, width, height)
        if places:
            place = scene.choose(places, width, height)
            axes.annotate(zone.name, place.anchor, xytext=place.shift, ha=place.across,
                          va=place.up, textcoords='offset points', fontproperties=font,
                          color=palette().ink, zorder=8.7, parse_math=False,
                          annotation_clip=False, path_effects=rim, gid=NAME)


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
