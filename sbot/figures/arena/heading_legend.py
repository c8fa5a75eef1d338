"""Legend of the colours of headings: an arrow in the colour of each."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from matplotlib import rcParams
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.offsetbox import AnnotationBbox, HPacker, TextArea

from sbot.figures.arena.colours import heading_colours
from sbot.figures.arena.view import ABOVE
from sbot.figures.wind_label import COMPASS


def draw_heading_legend(axes: Axes, below: float = 0.0) -> None:
    """Draw arrows in the colours of their headings at the right, if nothing is there yet.

    They are above the axes, or with ``below`` (pt) their middle is as far below the axes.
    """
    if not below and any(text.get_gid() == ABOVE for text in axes.texts):
        return
    colours = heading_colours(np.arange(len(COMPASS)) * math.tau / len(COMPASS))
    size: dict[Any, Any] = {'size': 'medium'}
    texts: list[Artist] = [TextArea('heading', textprops=size), *(
        TextArea(arrow, textprops={**size, 'color': to_hex(colour)})
        for arrow, colour in zip(COMPASS, colours, strict=True))]
    axes.add_artist(AnnotationBbox(
        HPacker(children=texts, pad=0.0, sep=2.0), (1.0, 0.0 if below else 1.0),
        xycoords='axes fraction', xybox=(0.0, -below or 0.6 * rcParams['axes.titlepad']),
        boxcoords='offset points', box_alignment=(1.0, 0.5 if below else 0.0), frameon=False,
        pad=0.0))
