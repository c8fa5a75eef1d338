"""Goals of robots: rings, and crosses in those where no robot is."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patheffects import withStroke
from numpy.typing import NDArray

from sbot.figures.arena.colours import MOST_NAMED, robot_colours
from sbot.figures.arena.shapes import discs
from sbot.figures.arena.view import drawn_radius, points_a_metre
from sbot.figures.data import Goal, RunData
from sbot.figures.palette import palette
from sbot.scenario.controllers import goal_tolerances

Array = NDArray[np.float64]

_RING = 1.35  # times as wide as its robot is the ring of a goal at least
_WIDE = 1.4  # times as wide as the ring is a tolerance that has its own circle


def latest_goals(data: RunData, stamp_ns: int) -> list[Goal]:
    """Return each robot's goal at a time."""
    latest = {goal.robot: goal for goal in data.goals if goal.stamp_ns <= stamp_ns}
    return [latest[robot] for robot in sorted(latest)]


def covered_goals(data: RunData, stamp_ns: int, scale: float) -> NDArray[np.bool_]:
    """Tell at which of the latest goals a robot is, so near that it touches the ring; (G,).

    ``scale`` is a metre's length (pt).
    """
    goals = latest_goals(data, stamp_ns)
    xy = np.array([(goal.x, goal.y) for goal in goals]).reshape(-1, 1, 2)
    robots = data.poses[np.searchsorted(data.stamps_ns, stamp_ns, side='right') - 1, :, :2]
    covered: NDArray[np.bool_] = (np.hypot(*np.moveaxis(xy - robots, 2, 0))
                                  < (1.0 + _RING) * drawn_radius(data, scale)).any(axis=1)
    return covered


def wide_tolerances(data: RunData, goals: list[Goal], scale: float) -> Array:
    """Return x, y, radius (K, 3) (m) of tolerances that are much wider than the rings of goals.

    ``scale`` is a metre's length (pt).
    """
    tolerances, rings = goal_tolerances(data.scenario), _RING * drawn_radius(data, scale)
    rows = {(goal.x, goal.y, tolerances[goal.robot]) for goal in goals
            if tolerances[goal.robot] > _WIDE * rings[goal.robot]}
    return np.array(sorted(rows)).reshape(-1, 3)


def _draw_tolerances(axes: Axes, data: RunData, goals: list[Goal]) -> None:
    wide = wide_tolerances(data, goals, points_a_metre(axes, data))
    if len(wide):
        axes.add_collection(discs(axes, wide[:, :2], 2.0 * wide[:, 2], facecolors='none',
                                  edgecolors=palette().goal, linewidths=0.6, alpha=0.6,
                                  zorder=3.4, gid='tolerances'))


def draw_goals(axes: Axes, data: RunData, stamp_ns: int, small: bool = False,
               by: str = '') -> None:
    """Draw the goals of a time as red rings; of a few robots, filled with their colours.

    Of many with a colour each, ``by='robot'``, the rings and crosses have these colours.

    A thin circle is the tolerance of a goal, if that is much wider than the ring.
    A ring is wider than its robot, which is drawn over it. The cross in it is left out while a
    robot is there, as it would hide the robot.
    """
    goals = latest_goals(data, stamp_ns)
    if not goals:
        return
    _draw_tolerances(axes, data, goals)
    xy = np.array([(goal.x, goal.y) for goal in goals])
    few = len(data.radius) <= MOST_NAMED
    size = (30.0 if small else 70.0) if few else 22.0  # square points
    # Thin enough to tell a cross in a ring from a blot.
    line = (0.9 if small else 1.2) if few else 0.7
    xy, own, shared, counts = np.unique(xy, axis=0, return_index=True, return_inverse=True,
                                        return_counts=True)
    axes.apply_aspect()  # the axes are as small as the arena makes them
    scale = points_a_metre(axes, data)
    wide = _RING * 2.0 * scale * drawn_radius(data, scale)
    rings = np.full(len(xy), size)
    np.maximum.at(rings, shared.ravel(), [wide[goal.robot] ** 2 for goal in goals])
    free = ~covered_goals(data, stamp_ns, scale)[own]
    edges = [palette().goal] * len(xy)
    if few or by == 'robot':  # a goal of several robots has no colour
        colours = robot_colours(data, by)
        single = counts == 1
        if not few:
            line = 1.2
            edges = [colours[goals[k].robot] if alone else edge
                     for k, alone, edge in zip(own, single, edges, strict=True)]
        axes.scatter(xy[single, 0], xy[single, 1], s=rings[single], marker='o', linewidths=0.0,
                     zorder=3.1, alpha=0.5,  # below boxes and tracks
                     facecolors=[colours[goals[k].robot] for k in own[single]])
    over = 8.5 if counts.max() > 1 else 6.5  # a crowd would hide the ring of its goal
    # With a rim, as red on other colours is hard to see.
    rim = [withStroke(linewidth=line + 0.7, foreground=palette().ground)]
    axes.scatter(xy[:, 0], xy[:, 1], s=rings, marker='o', facecolors='none',
                 edgecolors=edges, linewidths=line, zorder=over, path_effects=rim)
    axes.scatter(xy[free, 0], xy[free, 1], s=0.6 * size, marker='+',
                 color=[edges[k] for k in np.flatnonzero(free)], linewidths=line, zorder=8.5,
                 path_effects=rim)
