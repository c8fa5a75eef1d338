"""Numbers of robots beside them."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patheffects import withStroke
from numpy.typing import NDArray

from sbot.figures.arena.colours import MOST_NAMED
from sbot.figures.arena.goals import latest_goals
from sbot.figures.arena.shapes import outline, rectangles_of
from sbot.figures.arena.view import drawn_radius, points_a_metre
from sbot.figures.data import RunData
from sbot.figures.palette import LETTERS, palette

Array = NDArray[np.float64]

_MOST_NUMBERED = 20
MOST_NUMBERED_SMALL = 12  # in films and moments
_FRAMES = 12  # of a film, in which the ids must have room
_CORNERS = ((1, 1), (-1, 1), (1, -1), (-1, -1))  # of a robot, where its id may be


def number_robots(axes: Axes, data: RunData, index: int = -1, small: bool = False) -> None:
    """Write each robot's id beside it at a stamp, away from the others, unless they are many."""
    if not 1 < len(data.radius) <= (MOST_NUMBERED_SMALL if small else _MOST_NUMBERED):
        return
    for i, number in enumerate(_numbers(data, index)):
        (x, y), (right, up) = number.corner, number.side
        axes.annotate(str(i), (x, y), xytext=(right, up), textcoords='offset points', zorder=9,
                      color=palette().ink, ha='left' if right > 0 else 'right',
                      va='bottom' if up > 0 else 'top', path_effects=_rim())


class _Number(NamedTuple):
    """Where a robot's id is written."""

    corner: tuple[float, float]  # m, of the robot, from where the id begins
    side: tuple[int, int]  # of the robot: 1 or -1 to the right, and up


def _numbers(data: RunData, index: int) -> list[_Number]:
    """Return where ids are written at a stamp: each at the corner that has the most room."""
    places, radii = _bodies(data, index)
    # By robots, goals, and the ids that are written.
    goals = [[goal.x, goal.y] for goal in latest_goals(data, int(data.stamps_ns[index]))]
    taken = places.tolist() + goals
    found = []
    for i, ((x, y), radius) in enumerate(zip(places.tolist(), radii.tolist(), strict=True)):
        others = np.array([place for k, place in enumerate(taken) if k != i])

        def room(side: tuple[int, int], x: float = x, y: float = y, others: Array = others,
                 away: float = 2.0 * radius) -> float:
            offset = others - (x + away * side[0], y + away * side[1])
            return float(np.hypot(*offset.T).min())
        # The usual corner, unless another one has clearly more room.
        right, up = max(_CORNERS, key=lambda side: min(room(side), 4.0 * radius))
        shift = radius * math.sqrt(0.5)
        found.append(_Number((x + right * shift, y + up * shift), (right, up)))
        taken.append([x + 2.0 * radius * right, y + 2.0 * radius * up])
    return found


def _bodies(data: RunData, index: int) -> tuple[Array, Array]:
    """Return the centres (N, 2) and radii (N,) (m) of the robots as they are drawn."""
    poses = data.poses[index]
    places, radii = poses[:, :2].copy(), drawn_radius(data)
    for i, rectangle in rectangles_of(data).items():
        corners = outline(poses[i], rectangle)
        places[i], radii[i] = corners.mean(axis=0), 0.5 * float(np.hypot(*np.ptp(corners, axis=0)))
    return places, radii


def numbers_fit(data: RunData, index: int, scale: float) -> bool:
    """Tell whether no id hides a robot or another id; ``scale`` is a metre's length (pt).

    The robots of a few have colours of their own, and are numbered anyway.
    """
    if len(data.radius) <= MOST_NAMED:
        return True
    places, radii = _bodies(data, index)
    half = 0.5 * LETTERS / scale  # m, of the height of an id
    ids = np.array([np.add(each.corner, np.multiply(each.side, half))
                    for each in _numbers(data, index)])
    to_robots = np.hypot(*np.moveaxis(ids[:, None] - places, 2, 0)) - radii - 0.5 * half
    to_ids = np.hypot(*np.moveaxis(ids[:, None] - ids, 2, 0)) - 1.5 * half
    apart = ~np.eye(len(ids), dtype=bool)
    return bool((to_robots[apart] > 0.0).all() and (to_ids[apart] > 0.0).all())


def _rim() -> list[withStroke]:
    return [withStroke(linewidth=1.5, foreground=palette().ground)]


class Numbers:
    """Ids of a few robots, always at the same corner of each, so that none jumps in a film.

    Of more than eight robots that come close to each other there are none.
    """

    def __init__(self, axes: Axes, data: RunData) -> None:
        count = len(data.radius)
        some = range(0, len(data.stamps_ns), max(1, len(data.stamps_ns) // _FRAMES))
        shown = 1 < count <= MOST_NUMBERED_SMALL and all(
            numbers_fit(data, index, points_a_metre(axes)) for index in some)
        self._shift = drawn_radius(data) * math.sqrt(0.5)
        self.texts = [axes.annotate(
            str(i), (0.0, 0.0), xytext=(1.0, 1.0), textcoords='offset points', zorder=9,
            color=palette().ink, va='bottom', path_effects=_rim(), gid='number')
            for i in range(count if shown else 0)]

    def move(self, poses: Array) -> None:
        """Set the poses (N, 3)."""
        for text, (x, y, _), shift in zip(self.texts, poses.tolist(), self._shift.tolist(),
                                          strict=False):
            text.xy = (x + shift, y + shift)
