"""Everything of an arena that does not move: its edge, zones, obstacles, wind."""

from __future__ import annotations

import math
from collections.abc import Sequence

from matplotlib.axes import Axes

from sbot.figures.arena.obstacles import draw_obstacles
from sbot.figures.arena.ticks import set_ticks
from sbot.figures.arena.view import has_walls, view_of
from sbot.figures.arena.wind import draw_wind
from sbot.figures.data import RunData
from sbot.figures.palette import palette
from sbot.figures.zones import draw_zones


def draw_arena(axes: Axes, data: RunData, name_wind: bool = True,
               index: int | None = None, shown: Sequence[int] = (),
               width: float = math.inf) -> None:
    """Draw everything that does not move: as ``draw_world``, and the wind as ``draw_wind``."""
    draw_world(axes, data, shown)
    draw_wind(axes, data, name_wind, index, width)


def draw_world(axes: Axes, data: RunData, shown: Sequence[int] = ()) -> None:
    """Draw everything that does not move but the wind; zones as ``draw_zones`` does."""
    xmin, ymin, xmax, ymax = view_of(data)
    axes.set(xlim=(xmin, xmax), ylim=(ymin, ymax), aspect='equal')
    axes.tick_params(length=2)
    set_ticks(axes, xmax - xmin, ymax - ymin)
    for spine in axes.spines.values():  # walls are drawn; without them a faint frame
        spine.set(visible=not has_walls(data), color=palette().grid)
    draw_zones(axes, data, shown)
    draw_obstacles(axes, data)
