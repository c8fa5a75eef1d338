"""Places of the names of zones: above them, or where they hide less of what moves."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot.figures.arena.goals import latest_goals
from sbot.figures.arena.obstacles import inside_obstacles
from sbot.figures.arena.view import drawn_radius
from sbot.figures.data import RunData
from sbot.scenario.model import Zone

Array = NDArray[np.float64]

_GAP, _POINT_GAP = 2.0, 5.0  # points between a zone, or a zone without radius, and its name
_DIAGONAL = math.sqrt(0.5)
_MOST_POINTS = 4000  # of all tracks that are looked at
_ROOM_OF_NUMBER = 6.0  # points around a robot, where its id may be
_FEW = 20  # robots, which have ids
# How bad it is that a name hides one of these.
_NAME, _ROBOT, _OBSTACLE, _START, _TRACK = 30.0, 10.0, 6.0, 4.0, 2.0


class View(NamedTuple):
    """What of an arena is seen, and how large."""

    low: tuple[float, float]  # m, lower left corner
    high: tuple[float, float]  # m, upper right corner
    scale: float  # points a metre

    def points(self, xy: Array) -> Array:
        """Return places (..., 2) (m) as points from the lower left corner."""
        placed: Array = (xy - self.low) * self.scale
        return placed


class Place(NamedTuple):
    """Where a name is written: ``shift`` from ``anchor`` to its side or corner."""

    anchor: tuple[float, float]  # m
    shift: tuple[float, float]  # points
    across: str = 'center'  # which side of the name that is: left, center or right
    up: str = 'bottom'  # bottom, center or top

    def box(self, view: View, width: float, height: float) -> Array:
        """Return xmin, ymin, xmax, ymax (points) of a name of this size."""
        x, y = (view.points(np.array(self.anchor)) + self.shift).tolist()
        x -= {'left': 0.0, 'center': 0.5, 'right': 1.0}[self.across] * width
        y -= {'bottom': 0.0, 'center': 0.5, 'top': 1.0}[self.up] * height
        return np.array([x, y, x + width, y + height])


def places_of(zone: Zone, view: View, width: float, height: float) -> list[Place]:
    """Return where a name can be written, the best first; none for a zone outside the view.

    ``width`` and ``height`` are those of the name (points).
    """
    (xmin, ymin), (xmax, ymax), scale = view
    (x, y), radius = zone.center, zone.radius or 0.0
    # The part of the zone at the side where the most of it is in view.
    anchor = min(max(x, xmin), xmax)
    if abs(x - anchor) > radius:
        return []
    half = math.sqrt(radius * radius - (x - anchor) * (x - anchor))
    low, high = y - half, y + half
    if low > ymax or high < ymin:
        return []
    gap = _POINT_GAP if zone.radius is None else _GAP
    middle = (anchor - xmin) * scale
    last = max((xmax - xmin) * scale - _GAP - 0.5 * width, _GAP + 0.5 * width)
    aside = max(_GAP + 0.5 * width, min(middle, last)) - middle
    size = (xmax - xmin) * scale, (ymax - ymin) * scale
    found = []
    if high + (gap + height) / scale <= ymax:
        found.append(Place((anchor, high), (aside, gap)))
    if low - (gap + height) / scale >= ymin:
        found.append(Place((anchor, low), (aside, -gap), up='top'))
    for place in (*_inside(zone, width / scale), *_around(zone, gap)):
        box = place.box(view, width, height)
        if (box[:2] >= _GAP).all() and (box[2:] <= np.array(size) - _GAP).all():
            found.append(place)
    return found or [Place((anchor, ymax), (aside, -_GAP), up='top')]


def _inside(zone: Zone, width: float) -> Iterator[Place]:
    """Yield places at the upper and lower edge within a zone, if the name (m) has room there."""
    (x, y), radius = zone.center, zone.radius or 0.0
    if width < 1.6 * radius:
        up = math.sqrt(radius * radius - 0.25 * width * width)
        yield Place((x, y + up), (0.0, -_GAP), up='top')
        yield Place((x, y - up), (0.0, _GAP))


def _around(zone: Zone, gap: float) -> Iterator[Place]:
    """Yield places at the corners and sides of a zone, outside."""
    (x, y), radius = zone.center, zone.radius or 0.0
    away, near = _DIAGONAL * radius, _DIAGONAL * gap
    for up, edge in ((1.0, 'bottom'), (-1.0, 'top')):
        for right, side in ((1.0, 'left'), (-1.0, 'right')):
            yield Place((x + right * away, y + up * away), (right * near, up * near), side, edge)
    for right, side in ((1.0, 'left'), (-1.0, 'right')):
        yield Place((x + right * radius, y), (right * gap, 0.0), side, 'center')


class Scene:
    """What names of zones should not hide: robots, goals, starts, tracks, obstacles, other names.

    Parameters
    ----------
    data : of the run
    view : of the arena
    shown : indexes of the stamps that pictures show; none: the end, and the tracks until then

    """

    def __init__(self, data: RunData, view: View, shown: Sequence[int] = ()) -> None:
        self._data, self._view = data, view
        radius = view.scale * drawn_radius(data, view.scale)
        reach = 1.5 * radius + _ROOM_OF_NUMBER * (1 < len(radius) <= _FEW)
        things = []
        for row in shown or (-1,):
            goals = latest_goals(data, int(data.stamps_ns[row]))
            things += [(data.poses[row, :, :2], reach, _ROBOT),
                       (np.array([(goal.x, goal.y) for goal in goals]).reshape(-1, 2),
                        1.35 * radius[[goal.robot for goal in goals]], _ROBOT),
                       (data.boxes[row, :, :2], np.full(data.boxes.shape[1], 8.0), _ROBOT),
                       (data.obstacles[row], view.scale * data.moving_radius, _OBSTACLE)]
        tracks = data.poses[:0, :, :2]
        if not shown:
            things.append((data.poses[0, :, :2], radius, _START))
            step = -(-data.poses.shape[0] * len(radius) // _MOST_POINTS)
            tracks = data.poses[::step, :, :2]
        self._tracks = view.points(tracks)
        self._centres = view.points(np.vstack([each[0] for each in things]))
        self._reach = np.concatenate([each[1] for each in things])
        self._weight = np.repeat([each[2] for each in things], [len(each[0]) for each in things])
        self._names: list[Array] = []

    def choose(self, places: list[Place], width: float, height: float) -> Place:
        """Return the first of the places that hide least, and keep it free of other names."""
        boxes = [place.box(self._view, width, height) for place in places]
        costs = [self._cost(box) for box in boxes]
        best = int(np.argmin(costs))
        self._names.append(boxes[best])
        return places[best]

    def _cost(self, box: Array) -> float:
        away = _distance(self._centres, box)
        cost = float(self._weight[away < self._reach].sum())
        within = _distance(self._tracks, box) < 1.0
        cost += _TRACK * float(within.any(axis=0).sum())
        cost += _NAME * sum(bool((box[:2] < other[2:]).all() and (other[:2] < box[2:]).all())
                            for other in self._names)
        grid = np.meshgrid(np.linspace(box[0], box[2], 5), np.linspace(box[1], box[3], 3))
        spots = np.column_stack([each.ravel() for each in grid]) / self._view.scale
        return cost + _OBSTACLE * float(
            inside_obstacles(self._data, spots + self._view.low).mean() > 0.0)


def _distance(points: Array, box: Array) -> Array:
    """Return how far points (..., 2) are from a box, 0 within it."""
    beyond = np.maximum(np.maximum(box[:2] - points, points - box[2:]), 0.0)
    distance: Array = np.hypot(beyond[..., 0], beyond[..., 1])
    return distance
