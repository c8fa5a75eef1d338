"""Colours of robots: one each, or one for all; those of headings."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from matplotlib.colors import hsv_to_rgb, to_hex
from numpy.typing import NDArray

from sbot.figures.data import RunData
from sbot.figures.palette import DARK, palette
from sbot.scenario.controllers import has_leader

Array = NDArray[np.float64]

LEADER = '#e69f00'

MOST_NAMED = 8  # above this robots have one colour and no line of their own


def robot_colours(data: RunData, by: str = '') -> list[str]:
    """Return each robot's colour; a leader's is the same in every picture.

    More than ``MOST_NAMED`` robots have one colour together, and with ``by='robot'`` one each.
    """
    count, dark = len(data.radius), palette() is DARK
    if count <= MOST_NAMED:
        return [LEADER, *palette().followers[:count - 1]]
    if by == 'robot':
        # Steps of the golden ratio keep the hues of robots with near ids apart.
        hue = np.arange(count) * (math.sqrt(1.25) - 0.5) % 1.0
        shade = (0.86 if dark else 0.55) + (0.14 if dark else 0.3) * (np.arange(count) % 3) / 2
        return [to_hex(colour) for colour in hsv_to_rgb(
            np.column_stack([hue, np.full(count, 0.55 if dark else 0.75), shade]))]
    many = palette().many
    return [LEADER if has_leader(data.scenario) else many] + [many] * (count - 1)


def heading_colours(yaw: Array) -> Any:  # noqa: ANN401 - matplotlib takes arrays
    """Return a colour for each heading (N,) (rad), which goes round with it; (N, 3) RGB."""
    hue = np.mod(yaw / math.tau + 0.6, 1.0)
    saturation, value = (0.55, 1.0) if palette() is DARK else (0.75, 0.8)
    shade = np.column_stack([hue, np.full(len(hue), saturation), np.full(len(hue), value)])
    return hsv_to_rgb(shade)
