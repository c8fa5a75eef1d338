"""Pushable boxes of an arena."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from numpy.typing import NDArray

from sbot.figures.arena.shapes import discs, outlines
from sbot.figures.data import RunData
from sbot.figures.palette import palette
from sbot.scenario.world import box_bodies

Array = NDArray[np.float64]


class Boxes:
    """Pushable boxes, rectangular and round."""

    def __init__(self, axes: Axes, data: RunData, poses: Array, **style: Any) -> None:  # noqa: ANN401
        bodies = box_bodies(data.scenario.world)
        self._flat = {k: (box.length, box.width, 0.0) for k, box in enumerate(bodies)
                      if box.is_rectangle}
        self._round = [k for k in range(len(bodies)) if k not in self._flat]
        width = np.array([2.0 * bodies[k].radius for k in self._round])
        style = {'facecolors': palette().box, 'edgecolors': palette().ink, 'linewidths': 0.6,
                 'zorder': 3.2, 'gid': 'boxes', **style}
        self.discs = discs(axes, poses[self._round, :2], width, **style)
        self.rectangles = PolyCollection(outlines(self._flat, poses), **style)
        axes.add_collection(self.discs)
        axes.add_collection(self.rectangles)

    def move(self, poses: Array) -> None:
        """Set the poses (B, 3)."""
        self.discs.set_offsets(poses[self._round, :2])
        self.rectangles.set_verts(outlines(self._flat, poses))


def draw_box_starts(axes: Axes, data: RunData) -> None:
    """Draw where pushable boxes started, dotted."""
    Boxes(axes, data, data.boxes[0], facecolors='none', edgecolors=palette().box, linestyles=':',
          linewidths=1.0, zorder=2, gid='starts of boxes')
