"""Legend of an arena's signs: starts, goals, moving obstacles; scale bar of a film."""

from __future__ import annotations

import math
from typing import Any

from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.transforms import ScaledTranslation, blended_transform_factory

from sbot.figures.arena.colours import MOST_NAMED
from sbot.figures.arena.goals import latest_goals, wide_tolerances
from sbot.figures.arena.shapes import rectangles_of
from sbot.figures.arena.view import points_a_metre
from sbot.figures.arena.wind import free_wind_arrows, wind_colours
from sbot.figures.data import RunData
from sbot.figures.palette import palette

_BELOW = 0.33  # inches from the arena to the middle of its legend, on the line of `x (m)`
_MOST_SIGNS = 3  # beside a label of the x axis in its middle
_BAR = 0.2  # of the width of the view, how long a scale bar is at most
BAR_PLACE = 0.14  # inches from the axes down to the bar's line


def goal_sign(size: float = 7.0) -> tuple[Line2D, Line2D]:
    """Return the sign of a goal for a legend: a ring (pt), and a cross in it."""
    style: dict[str, Any] = {'color': palette().goal, 'linestyle': 'none', 'markeredgewidth': 0.9}
    return (Line2D([], [], marker='o', markersize=size, markerfacecolor='none', **style),
            Line2D([], [], marker='+', markersize=0.6 * size, **style))


def draw_signs(axes: Axes, data: RunData, right: float) -> None:
    """Draw the legend of starts, goals, moving obstacles and wind, and the label of the x axis.

    It ends at ``right``, a share of the figure's width.
    """
    signs: list[Any] = [_start_sign(data)]
    names = ['start']
    goals = latest_goals(data, int(data.stamps_ns[-1]))
    if goals:
        signs.append(goal_sign())
        names.append('goal')
        if len(wide_tolerances(data, goals, points_a_metre(axes, data))):
            signs.append(Line2D([], [], linestyle='none', marker='o', markersize=9.0, alpha=0.6,
                                markerfacecolor='none', markeredgewidth=0.6,
                                color=palette().goal))
            names.append('tolerance')
    if data.scenario.world.moving:
        signs.append(Line2D([], [], linestyle=':', linewidth=1.0, color=palette().obstacle,
                            marker='o', markersize=5.0, markerfacecolor=palette().moving,
                            markeredgewidth=0.8))
        names.append('moving obstacle')
    if len(free_wind_arrows(data)):
        signs.append(Line2D([], [], linestyle='none', marker=r'$\rightarrow$', markersize=11.0,
                            markeredgewidth=0.0, color=wind_colours(data)[0]))
        # Which does not contain the gust.
        names.append('mean wind' if data.air.gust.any() else 'wind')
    axes.set_xlabel('x (m)', loc='left' if len(signs) > _MOST_SIGNS else 'center')
    figure = axes.get_figure(root=True)
    assert figure is not None
    place = blended_transform_factory(figure.transFigure, axes.transAxes) + ScaledTranslation(
        0.0, -_BELOW, figure.dpi_scale_trans)
    axes.legend(signs, names, loc='center right', bbox_to_anchor=(right, 0.0),
                bbox_transform=place, ncols=len(signs), frameon=False, fontsize='medium',
                borderpad=0.0, borderaxespad=0.0, handlelength=1.8, handletextpad=0.4,
                columnspacing=1.0)


def _start_sign(data: RunData) -> Line2D:
    many = len(data.radius) > MOST_NAMED
    shape = 's' if len(rectangles_of(data)) == len(data.radius) else 'o'
    return Line2D([], [], linestyle='none', marker=shape, markersize=3.5 if many else 5.0,
                  color=palette().start if many else palette().ink, markeredgewidth=0.8,
                  markerfacecolor=palette().start if many else palette().ground)


def bar_length(width: float) -> float:
    """Return the length (m) of the scale bar of a view: 1, 2 or 5 of a power of ten."""
    power = 10.0 ** math.floor(math.log10(_BAR * width))
    return max(each * power for each in (1, 2, 5) if each * power <= _BAR * width)


def draw_scale_bar(axes: Axes, trail: float, windy: bool = False) -> None:
    """Draw a scale bar below the arena, away from robots; its length and that of trails (s).

    ``windy``: the line says that the arrows are the wind.
    """
    low, high = axes.get_xlim()
    length = bar_length(high - low)
    figure = axes.get_figure(root=True)
    assert figure is not None
    place = blended_transform_factory(axes.transData, axes.transAxes) + ScaledTranslation(
        0.0, -BAR_PLACE, figure.dpi_scale_trans)
    axes.plot((low, low + length), (0.0, 0.0), transform=place, linewidth=1.5, clip_on=False,
              solid_capstyle='butt', gid='scale bar', color=palette().ink)
    text = f'{length:g} m   trails of {trail:.2g} s{"   arrows: wind" * windy}'
    axes.annotate(text, (low + length, 0.0), xycoords=place,
                  xytext=(5.0, 0.0), textcoords='offset points', va='center_baseline', ha='left',
                  gid='scale', color=palette().ink)
