# SPDX-License-Identifier: Apache-2.0
"""Obstacles that move, pushable boxes and the wind of an arena."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.collections import EllipseCollection, PolyCollection

from sbot.figures.arena import (
    COMPASS,
    above_axes,
    discs,
    outlines,
    outlines_of,
    points_a_metre,
    wrapped_parts,
)
from sbot.figures.data import ARROWS, RunData
from sbot.figures.look import palette
from sbot_common.arrays import Floats
from sbot_common.clock import NANOSECONDS
from wind_model.parameters import STILL


def draw_moving(axes: Axes, data: RunData, index: int) -> EllipseCollection:
    """Draw the obstacles that move where they are at one of the stamps."""
    moving = discs(axes, data.obstacles[index], 2.0 * data.moving_radius,
                   facecolors=palette().moving, edgecolors=palette().obstacle, linewidths=0.8,
                   zorder=3, gid='moving')
    axes.add_collection(moving)
    return moving


# Pushable boxes of an arena.

class Boxes:
    """Pushable boxes."""

    def __init__(self, axes: Axes, data: RunData, poses: Floats, **style: Any) -> None:  # noqa: ANN401
        bodies = data.scenario.world.box_bodies()
        self._shapes = outlines_of(bodies)
        self._round = [k for k in range(len(bodies)) if k not in self._shapes]
        width = np.array([2.0 * bodies[k].radius for k in self._round])
        style = {'facecolors': palette().box, 'edgecolors': palette().ink, 'linewidths': 0.6,
                 'zorder': 3.2, 'gid': 'boxes', **style}
        self.discs = discs(axes, poses[self._round, :2], width, **style)
        self.shapes = PolyCollection(outlines(self._shapes, poses), **style)
        axes.add_collection(self.discs)
        axes.add_collection(self.shapes)

    def move(self, poses: Floats) -> None:
        """Set the poses (B, 3)."""
        self.discs.set_offsets(poses[self._round, :2])
        self.shapes.set_verts(outlines(self._shapes, poses))


# Undisturbed wind of an arena: arrows on a grid, and a label.

_FEWEST = 8  # arrows along the longer side
_APART = 16.0  # pt between arrows at least: in a small panel there are fewer
_FAINT = 0.5  # opacity of blue arrows beside trails, which are thin and faint, too
_THIN = 0.55  # pt, width of an arrow's shaft at least


def reference_arrow(axes: Axes, data: RunData, moments: bool) -> tuple[float, float, Floats]:
    """Return a speed (m/s) of two digits, how long (pt) its arrow is, and where it points.

    Zeros without arrows. ``moments``: of a picture whose arrows contain the gust. In a field of
    many directions it points to the right.
    """
    total = (data.air.velocity + data.air.gust)[:, :2]
    index = int(np.hypot(*total.T).argmax()) if moments else None
    way = data.outside if index is None else total[index]
    if data.field is not None:
        way = np.array([1.0, 0.0])
    arrows = _arrows_in(axes, data, index)
    if not len(arrows):
        return 0.0, 0.0, way
    longest = float(np.hypot(*arrows[:, 2:].T).max()) * points_a_metre(axes, data)
    strongest = float(np.hypot(*data.wind_at(arrows[:, :2], index).T).max())
    speed = float(f'{strongest:.2g}')
    return speed, speed / strongest * longest, way


def wind_colours(data: RunData) -> tuple[str, str]:
    """Return the colours of the wind's arrows and of its label."""
    if data.many:  # whose tracks are as blue as the wind of a few
        return palette().wind_of_many, palette().wind_text_of_many
    return palette().wind, palette().wind_text


def label_in(axes: Axes, data: RunData, index: int | None = None) -> str:
    """Return the label of the wind that ``draw_wind`` draws in these axes."""
    return _label(data, _arrows_in(axes, data, index), index)


def _arrows_in(axes: Axes, data: RunData, index: int | None) -> Floats:
    side = points_a_metre(axes, data) * float(
        np.ptp(data.world.bounds.reshape(2, 2), axis=0).max())
    return data.wind_arrows(index, int(np.clip(side / _APART, _FEWEST, ARROWS)))


def _label(data: RunData, arrows: Floats, index: int | None) -> str:
    """Return what a picture says about the wind; '' if there is none.

    Parameters
    ----------
    data : of the run
    arrows : of the wind that is shown
    index : of the stamp that is shown; None: all, so that a gust is named with its times

    """
    parts, strongest = [], 0.0
    row = -1 if index is None else data.air.row(int(data.stamps_ns[index]))
    if len(arrows):
        gust_in_it = np.zeros(2) if index is None else data.air.gust[row, :2]
        mean = data.wind_at(arrows[:, :2], index) - gust_in_it
        strongest = float(np.hypot(*mean.T).max())
    if strongest > 0.0:
        way = ' at most' if data.field is not None else _arrow(data.air.velocity[row])
        parts.append(f'wind{way} {strongest:.2g} m/s')
    if index is None:
        gust = _gust(*data.strongest_gust())
        parts += [gust + _times(data)] * bool(gust)
    else:
        gust = _gust(data.air.gust[row], data.extra_force[row])
        if 'm/s' in gust and parts:  # one unit for both
            parts[0] = parts[0].removesuffix(' m/s')
        parts = [' + '.join([*parts, *[gust] * bool(gust)])] if parts or gust else []
    waves = data.scenario.wind.turbulence
    if waves.turbulence != STILL:
        parts.append(f'turbulence {waves.turbulence_speed:.2g} m/s')
    return ', '.join(parts)


def _times(data: RunData) -> str:
    """Return when the gust blows, in the scenario's times; no end that the run does not reach."""
    begin, end = data.scenario.wind.flow.gust_window
    until = f' to {end / NANOSECONDS:.6g}' if end <= int(data.stamps_ns[-1]) else ''
    return f' from {begin / NANOSECONDS:.6g}{until} s'


def _gust(speed: Floats, force: Floats) -> str:
    """Return the text of a gust's speed (m/s) and force (N), each (3,); '' without."""
    strengths = ((speed, 'm/s'), (force, 'N'))
    texts = [f'gust{_arrow(vector)} {math.hypot(*vector[:2]):.2g} {unit}'
             for vector, unit in strengths if math.hypot(*vector[:2]) > 1e-9]
    return ' + '.join(texts)


def _arrow(vector: Floats) -> str:
    """Return a blank and the arrow nearest to the direction of a vector; '' without one."""
    x, y = vector[:2].tolist()
    eighths = round(math.atan2(y, x) * len(COMPASS) / math.tau)
    return f' {COMPASS[eighths % len(COMPASS)]}' if x or y else ''


def draw_wind(axes: Axes, data: RunData, named: bool = True, index: int | None = None,
              width: float = math.inf) -> list[Artist]:
    """Draw and return the undisturbed wind: the mean, or that of a stamp, of few robots fainter.

    ``named``: and how strong it is, in lines of at most ``width`` (pt).
    """
    scale = points_a_metre(axes, data)
    arrows = _arrows_in(axes, data, index)
    arrow, text = wind_colours(data)
    faint = index is not None and not data.many
    drawn: list[Artist] = []
    if len(arrows):
        longest = float(np.hypot(arrows[:, 2], arrows[:, 3]).max())
        drawn.append(axes.quiver(
            *arrows.T, angles='xy', scale_units='xy', scale=1.0, units='xy',
            width=max(0.06 * longest, _THIN / scale), headwidth=4, headlength=5,
            headaxislength=4.5, pivot='mid', zorder=1, color=arrow,
            alpha=_FAINT if faint else None))
    label = _label(data, arrows, index) if named else ''
    if label:
        drawn.append(above_axes(axes, wrapped_parts(label, width), 1.0, color=text))
    return drawn
