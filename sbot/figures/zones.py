"""Zones of a scenario in pictures: named places on the floor, such as a nest or a lamp."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patheffects import withStroke

from sbot.figures.palette import palette
from sbot.scenario.fields import COLOURS
from sbot.scenario.model import Zone

_FILL = 0.22  # opacity
_POINT = 42.0  # of a zone without radius: size as scatter takes it


def zone_colour(zone: Zone) -> str:
    """Return the colour of a zone as #rrggbb, on light and dark grounds."""
    return COLOURS.get(zone.color, zone.color)


def draw_zones(axes: Axes, zones: tuple[Zone, ...]) -> None:
    """Draw zones as discs beneath everything that moves, their names at their upper edges.

    A name is written below its zone where it would otherwise leave the picture.
    """
    ymin, ymax = axes.get_ylim()
    for zone in zones:
        colour, (x, y), radius = zone_colour(zone), zone.center, zone.radius or 0.0
        if zone.radius is None:
            axes.scatter([x], [y], s=_POINT, marker='D', color=colour, linewidths=0.0,
                         zorder=0.8, gid='zones')
        else:
            angle = np.linspace(0.0, 2.0 * np.pi, 97)
            outline = x + radius * np.cos(angle), y + radius * np.sin(angle)
            axes.fill(*outline, facecolor=colour, alpha=_FILL, zorder=0.7, gid='zones')
            axes.plot(*outline, color=colour, linewidth=1.0, zorder=0.8, gid='zones')
        above = y + radius < ymax - 0.06 * (ymax - ymin)
        axes.annotate(zone.name, (x, y + radius if above else y - radius),
                      xytext=(0.0, (2.0 if zone.radius else 5.0) * (1 if above else -1)),
                      textcoords='offset points', ha='center', va='bottom' if above else 'top',
                      fontsize='small', color=palette().ink, zorder=8.7, parse_math=False,
                      annotation_clip=True,
                      path_effects=[withStroke(linewidth=1.5, foreground=palette().ground)])
