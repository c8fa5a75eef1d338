"""Ticks of an arena: the same steps on both axes."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator, MultipleLocator

_TICK = 0.6  # inches between ticks at least


def set_ticks(axes: Axes, width: float, height: float) -> None:
    """Set ticks of the same steps on both axes of a view (m), unless one side is too short."""
    figure = axes.get_figure(root=True)
    inches = axes.get_position().width * figure.get_figwidth() if figure is not None else 0.0
    count = int(np.clip(inches / _TICK, 3, 9))
    step = _step(max(width, height), count)
    for axis, side in ((axes.xaxis, width), (axes.yaxis, height)):
        axis.set_major_locator(MultipleLocator(step if side >= step else _step(side, 2)))


def _step(side: float, count: int) -> float:
    """Return the least of 1, 2 and 5 of a power of ten that divides a side into so few."""
    steps = MaxNLocator(nbins=count, steps=[1, 2, 5, 10]).tick_values(0.0, side)
    return float(steps[1] - steps[0])
