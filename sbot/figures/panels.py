# SPDX-License-Identifier: Apache-2.0
"""Time plots: speed, distance to the leader, wind reduction."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from sbot.figures.arena import LEADER, MOST_NAMED, robot_colours
from sbot.figures.data import RunData
from sbot.figures.palette import palette
from sbot.scenario.controllers import has_leader
from sbot_common.arrays import Floats
from sbot_common.clock import NANOSECONDS
from wind_model.gust import forces_act, gust_window

_SPEED_WINDOW = 0.5  # s; a speed is the mean of this long
_MOST_POINTS = 1500  # of a line
_ROOM = 0.05  # above the highest value, of the height
_BAND = (10.0, 90.0)  # per cent of the robots
_EQUAL, _LONG = 0.01, 0.2  # of the range of values, and of the time: curves that hide others
_DASH = 4.0  # line widths


def _speeds(data: RunData) -> Floats:
    """Return how fast each robot is (T, N) (m/s): the mean of _SPEED_WINDOW around each stamp."""
    seconds = data.seconds
    steps = np.hypot(*np.moveaxis(np.diff(data.poses[:, :, :2], axis=0), -1, 0))
    way = np.vstack([np.zeros(steps.shape[1]), np.cumsum(steps, axis=0)])
    first = np.searchsorted(seconds, seconds - _SPEED_WINDOW / 2 - 1e-9)
    last = np.searchsorted(seconds, seconds + _SPEED_WINDOW / 2 + 1e-9, side='right') - 1
    elapsed = np.maximum(seconds[last] - seconds[first], 1e-9)
    result: Floats = (way[last] - way[first]) / elapsed[:, None]
    return result


def _leader_distances(data: RunData) -> Floats:
    """Return the distance (T, N) (m) of each robot from robot 0, centre to centre."""
    offset = data.poses[:, :, :2] - data.poses[:, :1, :2]
    distance: Floats = np.hypot(offset[:, :, 0], offset[:, :, 1])
    return distance


def _wind_reductions(data: RunData) -> Floats:
    """Return which share of the wind others keep off each robot (T, N); NaN: there is none."""
    free = np.hypot(data.free_wind[:, :, 0], data.free_wind[:, :, 1])
    felt = np.hypot(data.wind[:, :, 0], data.wind[:, :, 1])
    share = np.divide(felt, free, out=np.full(free.shape, np.nan), where=free > 0.0)
    reduction: Floats = 1.0 - share
    return reduction


def panels_of(data: RunData) -> list[tuple[str, Floats, bool]]:
    """Return (label, values (T, N), whether robot 0 has values) of each panel."""
    panels = [(f'speed (m/s),\nmean of {_SPEED_WINDOW:g} s', _speeds(data), True)]
    if has_leader(data.scenario):
        panels.append(('distance to\nleader (m)', _leader_distances(data), False))
    if data.scenario.wind.wakes.wake and data.free_wind.any():
        panels.append(('wind kept\noff (%)', 100.0 * _wind_reductions(data), True))
    return panels


def _gust_of(data: RunData) -> tuple[float, float] | None:
    """Return begin and end (s since the first stamp) of the gust, or None without one."""
    wind = data.scenario.wind.flow
    blows = wind.wind_gust_speed_mean > 0.0 or (forces_act(wind)
                                                and wind.wind_gust_force_mean > 0.0)
    begin, end = ((stamp - int(data.stamps_ns[0])) / NANOSECONDS for stamp in gust_window(wind))
    begin, end = max(begin, 0.0), min(end, float(data.seconds[-1]))
    return (begin, end) if blows and begin < end else None


def draw_panels(figure: Figure, axes: list[Axes], data: RunData) -> None:
    """Draw every panel of ``panels_of`` into its axes, which share their time axis."""
    count = len(data.radius)
    step = max(1, len(data.stamps_ns) // _MOST_POINTS)
    seconds = data.seconds[::step]
    for panel, (label, values, leader) in zip(axes, panels_of(data), strict=True):
        values = values[::step]
        if count <= MOST_NAMED:
            _draw_robots(panel, data, seconds, values, first=0 if leader else 1)
        elif not has_leader(data.scenario):
            first = 0 if leader else 1
            _draw_percentiles(panel, seconds, values[:, first:], f'{count} robots')
        else:
            _draw_percentiles(panel, seconds, values[:, 1:], f'{count - 1} others')
            if leader:
                panel.plot(seconds, values[:, 0], color=LEADER, linewidth=1.0,
                           label=_name(data, 0), zorder=4)
        panel.set_ylabel(label)
        low = min(0.0, float(np.nanmin(values, initial=0.0)))
        high = float(np.nanmax(values, initial=0.0))
        if '%' in label:
            high = max(1.05 * high, 10.0)
        if high > low:  # with room above, or a constant would lie on the edge
            panel.set_ylim(top=high + _ROOM * (high - low))
        panel.set_ylim(bottom=low)
        panel.margins(x=0)
        panel.grid(color=palette().grid, linewidth=0.4)
        for side in ('top', 'right'):
            panel.spines[side].set_visible(False)
        panel.tick_params(labelbottom=panel is axes[-1], length=2)
    gust = _gust_of(data)
    if gust is not None:
        for panel in axes:
            # Named once. How strong it is, the label of the wind says.
            panel.axvspan(*gust, color='#f0c040', alpha=0.25, linewidth=0, zorder=0,
                          label='gust' if panel is axes[0] else None)
    axes[-1].xaxis.set_major_locator(MaxNLocator(nbins=9, steps=[1, 2, 5, 10]))
    axes[-1].set_xlabel('time (s)')
    figure.align_ylabels(axes)


def _draw_robots(panel: Axes, data: RunData, seconds: Floats, values: Floats,
                 first: int) -> None:
    """Draw the values (T, N) of each robot from ``first`` on, robot 0 on top.

    Where it would hide others that are equal, a line is dashed, so that the others show in its
    gaps.
    """
    colours, hides = robot_colours(data), _hidden(values)
    for i in range(first, values.shape[1]):
        style: dict[str, Any] = {'color': colours[i], 'linewidth': 1.1, 'zorder': 3 - 0.1 * i}
        below, others = hides[:, i] > 0, int(hides[:, i].max(initial=0))
        seen = np.where(below, np.nan, values[:, i])
        panel.plot(seconds, seen, label=_name(data, i), **style)
        if others:
            # One after the other, each in the gaps of the others.
            dashes = i % (others + 1) * _DASH, (_DASH, others * _DASH)
            # With the points on both sides, else there are gaps.
            wide = below | np.roll(below, 1) | np.roll(below, -1)
            panel.plot(seconds, np.where(wide, values[:, i], np.nan), linestyle=dashes, **style)


def _hidden(values: Floats) -> NDArray[np.int64]:
    """Return how many lines of higher columns of (T, N) hides there, if it does for long."""
    step = _EQUAL * float(np.nanmax(values, initial=0.0) - np.nanmin(values, initial=0.0))
    count = np.zeros(values.shape, np.int64)
    for i in range(values.shape[1] - 1):
        with np.errstate(invalid='ignore'):
            near = np.abs(values[:, i + 1:] - values[:, i:i + 1]) <= step
        near &= near.mean(axis=0) > _LONG
        count[:, i] = near.sum(axis=1)
    return count


def _draw_percentiles(panel: Axes, seconds: Floats, values: Floats, name: str) -> None:
    """Draw a median, the band that holds most robots and the range that holds all."""
    known = np.isfinite(values).any(axis=1)
    seconds, values = seconds[known], values[known]
    low, median, high = np.nanpercentile(values, [_BAND[0], 50.0, _BAND[1]], axis=1)
    panel.fill_between(seconds, np.nanmin(values, axis=1), np.nanmax(values, axis=1),
                       color=palette().many, alpha=0.12, linewidth=0, label=f'all {name}')
    panel.fill_between(seconds, low, high, color=palette().many, alpha=0.30, linewidth=0,
                       label=f'{_BAND[0]:.0f}–{_BAND[1]:.0f} % of them')
    panel.plot(seconds, median, color=palette().many, linewidth=1.0, label='median', zorder=3)


def _name(data: RunData, robot: int) -> str:
    if robot == 0 and has_leader(data.scenario):
        return 'leader (0)'
    return f'robot {robot}' if robot == 0 else str(robot)  # short, as eight are on a line
