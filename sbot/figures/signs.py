# SPDX-License-Identifier: Apache-2.0
"""Legend of an arena's signs: starts, goals, moving obstacles; scale bar of a film."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.markers import MarkerStyle
from matplotlib.transforms import ScaledTranslation, Transform, blended_transform_factory

from sbot.figures.arena import (
    LINE,
    MOST_NAMED,
    columns_in,
    figure_of,
    grow,
    outlines_of,
    points_a_metre,
    strongest_gust,
)
from sbot.figures.data import RunData
from sbot.figures.ground import latest_goals, wide_tolerances
from sbot.figures.obstacles import reference_arrow, wind_colours
from sbot.figures.palette import palette
from sbot.figures.robots import contact_begins, contact_style
from sbot.scenario.assemble import robot_bodies

PADS = 0.3  # inches, of ticks and distances of labels: smaller letters do not make these smaller
_BELOW = 0.33  # inches from the arena to the middle of its legend, on the line of `x (m)`
_MOST_SIGNS = 3  # beside the label of the x axis; more are below it
_LEAST_BESIDE = 5.0  # inches; in a narrower picture all signs are below the label
_LEAST_FORCE = 1e-9  # N


def _goal_sign(size: float = 7.0) -> tuple[Line2D, Line2D]:
    """Return the sign of a goal for a legend: a ring (pt), and a cross in it."""
    style: dict[str, Any] = {'color': palette().goal, 'linestyle': 'none', 'markeredgewidth': 0.9}
    return (Line2D([], [], marker='o', markersize=size, markerfacecolor='none', **style),
            Line2D([], [], marker='+', markersize=0.6 * size, **style))


def draw_signs(axes: Axes, data: RunData, right: float, letters: float,
               dots: list[dict[str, Any]]) -> float:
    """Draw the legend of a picture of tracks, and the label of the x axis.

    It ends at ``right``, a share of the figure's width; ``letters``: their size, of the usual;
    ``dots``: their style, if it names them. Returns how far (inches) it is below the
    line of the label: 0 beside it, more where it has too many signs for that.
    """
    signs = [('start', _start_sign(data)), *_common_signs(axes, data)]
    if len(contact_begins(data)[0]):
        signs.append(('contact', _line(**contact_style())))
    signs += [(style['label'], Line2D([], [], **style)) for style in dots]
    axes.set_xlabel('x (m)')
    figure = figure_of(axes)
    columns = columns_in([name for name, _ in signs], 72.0 * right * figure.get_figwidth(), 1.8,
                         1.0)
    rows = -(-len(signs) // columns)
    beside = len(signs) <= _MOST_SIGNS and figure.get_figwidth() > _LEAST_BESIDE
    line = letters * LINE
    below = 0.0 if beside else line
    place = blended_transform_factory(figure.transFigure, axes.transAxes) + ScaledTranslation(
        0.0, -letters * _BELOW - (1.0 - letters) * PADS - below - 0.5 * (rows - 1) * line,
        figure.dpi_scale_trans)
    _legend(axes, signs, place, right, 0.0, columns)
    return below + (rows - 1) * line


def draw_signs_of_moments(axes: Axes, data: RunData, trail: float, right: float,
                          up: float, bottom: float) -> None:
    """Draw the legend of a picture of moments, with trails of so many seconds.

    ``axes`` of the lowest row, ``bottom`` (inches) above the lower edge. It ends at ``right``, a
    share of the figure's width. The middle of a single row is ``up`` (inches) above the lower
    edge; for more rows, or a long arrow, the picture grows.
    """
    line = Line2D([], [], color=palette().ink, alpha=0.45, linewidth=1.2)
    figure = figure_of(axes)
    signs = [(f'trail of {trail:.2g} s', line), *_common_signs(axes, data, moments=True)]
    columns = columns_in([name for name, _ in signs], 72.0 * right * figure.get_figwidth(), 1.8,
                         1.0)
    _, size, way = reference_arrow(axes, data, moments=True)
    more = max(LINE * (-(-len(signs) // columns) - 1),
               size / 72.0 * abs(math.sin(math.atan2(way[1], way[0]))) - 2.0 * up)
    grow(figure, more, figure.axes)
    place = blended_transform_factory(figure.transFigure, axes.transAxes) + ScaledTranslation(
        0.0, up - bottom - 0.5 * more, figure.dpi_scale_trans)
    _legend(figure, signs, place, right, 0.0, columns)


def _common_signs(axes: Axes, data: RunData, moments: bool = False) -> list[tuple[str, Any]]:
    """Return names and signs of goals, moving obstacles and wind, as far as they are drawn."""
    signs: list[tuple[str, Any]] = []
    goals = latest_goals(data, int(data.stamps_ns[-1]))
    if goals:
        signs.append(('goal', _goal_sign()))
        if len(wide_tolerances(data, goals, points_a_metre(axes, data))):
            signs.append(('tolerance', _line(
                marker='o', markersize=9.0, alpha=0.6, markerfacecolor='none',
                markeredgewidth=0.6, color=palette().goal)))
    if data.scenario.world.moving:
        signs.append(('moving obstacle', Line2D(
            [], [], linestyle='none' if moments else ':', linewidth=1.0, marker='o',
            color=palette().obstacle, markersize=5.0, markerfacecolor=palette().moving,
            markeredgewidth=0.8)))
    length, size, way = reference_arrow(axes, data, moments)
    speed, force = strongest_gust(data)
    if size:
        # Arrows of tracks do not contain the gust.
        mean = 'mean ' * bool(data.air.gust.any() and not moments)
        signs.append((f'{mean}wind {length:g} m/s', _arrow(way, wind_colours(data)[0], size)))
    if not moments and (speed.any() or np.hypot(*force[:2]) > _LEAST_FORCE):
        signs.append(('gust', _arrow(speed if speed.any() else force, palette().gust)))
    return signs


def _legend(owner: Axes | Figure, signs: list[tuple[str, Any]], place: Transform, right: float,
            up: float, columns: int) -> None:
    owner.legend([sign for _, sign in signs], [name for name, _ in signs], loc='center right',
                bbox_to_anchor=(right, up), bbox_transform=place, ncols=columns,
                frameon=False, fontsize='medium', borderpad=0.0, borderaxespad=0.0,
                handlelength=1.8, handletextpad=0.4, columnspacing=1.0)


def _line(**style: Any) -> Line2D:  # noqa: ANN401 - matplotlib's
    return Line2D([], [], linestyle='none', **style)


def _arrow(way: Any, colour: str, size: float = 11.0) -> Line2D:  # noqa: ANN401 - pair or array
    """Return an arrow of a length (pt) in the direction of a vector x, y."""
    turned = MarkerStyle(r'$\rightarrow$').rotated(rad=math.atan2(way[1], way[0]))
    return _line(marker=turned, markersize=size, markeredgewidth=0.0, color=colour)


def _start_sign(data: RunData) -> Line2D:
    many = len(data.radius) > MOST_NAMED
    shape = 's' if len(outlines_of(robot_bodies(data.scenario))) == len(data.radius) else 'o'
    return _line(marker=shape, markersize=3.5 if many else 5.0,
                 color=palette().start if many else palette().ink, markeredgewidth=0.8,
                 markerfacecolor=palette().start if many else palette().ground)
