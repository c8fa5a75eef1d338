# SPDX-License-Identifier: Apache-2.0
"""Robots in an arena: shapes with headings, numbers, contacts, the legend of headings."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib import rcParams
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.colors import to_hex, to_rgb
from matplotlib.offsetbox import AnnotationBbox, HPacker, TextArea
from matplotlib.patheffects import withStroke
from matplotlib.text import Annotation

from sbot.figures.arena import (
    ABOVE,
    COMPASS,
    discs,
    heading_colours,
    lines,
    outlines,
    outlines_of,
    points_a_metre,
    robot_colours,
    widths_of_discs,
)
from sbot.figures.data import RunData
from sbot.figures.look import LETTERS, LIGHT, palette
from sbot.scenario.assemble import robot_bodies
from sbot_common.arrays import Floats

# Numbers of robots beside them.

MOST_NUMBERED = 20
MOST_NUMBERED_SMALL = 12  # in films and moments
_FRAMES = 12  # of a film, in which the ids must have room
_INSIDE = 1.7, 2.1  # diameter of a robot in which its id of one digit or two fits, by letters
_DARK = 0.55  # brightness of a colour, below which an id in it is white
_CORNERS = ((1, 1), (-1, 1), (1, -1), (-1, -1))  # of a robot, where its id may be


def _inside_robots(data: RunData, scale: float, most: int = MOST_NUMBERED) -> bool:
    """Tell whether ids are written in robots, as all are round and large enough.

    ``scale`` is a metre's length (pt); of more than ``most`` robots there are no ids.
    """
    count = len(data.radius)
    if not 1 < count <= most or outlines_of(robot_bodies(data.scenario)):
        return False
    return 2.0 * scale * float(data.drawn_radius(scale).min()) >= _INSIDE[count > 10] * LETTERS


def _sides(data: RunData, index: int, scale: float) -> list[tuple[int, int]]:
    """Return the corner of each robot that has the most room for its id at a stamp."""
    places, radii = _bodies(data, data.poses[index], scale)
    # By robots, goals, boxes, and the ids that are written.
    goals = [[goal.x, goal.y] for goal in data.goals_at(int(data.stamps_ns[index]))]
    taken = [*places.tolist(), *goals, *data.boxes[index, :, :2].tolist()]
    corners = places[:, None] + 2.0 * radii[:, None, None] * np.array(_CORNERS)  # (N, 4, 2)
    # Both ends of an id, and the corner.
    near = math.sqrt(0.5) * radii[:, None, None] * np.array(_CORNERS)
    spots = [corners, *(places[:, None] + near + reach / scale * np.array(_CORNERS)
                        for reach in (0.2 * LETTERS, LETTERS))]
    # Nor is there room beyond the edge of the view, where title and axes are.
    xmin, ymin, xmax, ymax = data.view
    solid = np.any([data.in_obstacles(spot.reshape(-1, 2)).reshape(-1, len(_CORNERS))
                    | ((spot < (xmin, ymin)) | (spot > (xmax, ymax))).any(axis=2)
                    for spot in spots], axis=0)
    found = []
    for i, radius in enumerate(radii.tolist()):
        others = np.array([place for k, place in enumerate(taken) if k != i])
        room = np.hypot(*np.moveaxis(corners[i][:, None] - others, 2, 0)).min(axis=1)
        room[solid[i]] = 0.0
        # The usual corner, unless another one has clearly more room.
        best = int(np.argmax(np.minimum(room, 4.0 * radius)))
        found.append(_CORNERS[best])
        taken.append(corners[i, best].tolist())
    return found


def _bodies(data: RunData, poses: Floats, scale: float) -> tuple[Floats, Floats]:
    """Return the centres (N, 2) and radii (N,) (m) of the robots as they are drawn."""
    places, radii = poses[:, :2].copy(), data.drawn_radius(scale)
    for i, shape in outlines_of(robot_bodies(data.scenario)).items():
        [corners] = outlines({i: shape}, poses)
        places[i], radii[i] = corners.mean(axis=0), 0.5 * float(np.hypot(*np.ptp(corners, axis=0)))
    return places, radii


def numbers_fit(data: RunData, index: int, scale: float) -> bool:
    """Tell whether no id hides a robot or another id; ``scale`` is a metre's length (pt).

    Ids in their robots hide nothing.
    """
    if len(data.radius) == 1 or _inside_robots(data, scale):
        return True
    return _clear(data, index, scale, _sides(data, index, scale))


def _clear(data: RunData, index: int, scale: float, sides: list[tuple[int, int]]) -> bool:
    """Tell whether no id at these sides of the robots hides a robot or another id."""
    places, radii = _bodies(data, data.poses[index], scale)
    half = 0.5 * LETTERS / scale  # m, of the height of an id
    ids = places + (radii * math.sqrt(0.5) + half)[:, None] * np.array(sides)
    to_robots = np.hypot(*np.moveaxis(ids[:, None] - places, 2, 0)) - radii - 0.5 * half
    to_ids = np.hypot(*np.moveaxis(ids[:, None] - ids, 2, 0)) - 1.5 * half
    apart = ~np.eye(len(ids), dtype=bool)
    return bool((to_robots[apart] > 0.0).all() and (to_ids[apart] > 0.0).all())


class Numbers:
    """Ids of a few robots, in them or beside them.

    Parameters
    ----------
    axes : where they are written
    data : of the run
    by : what a robot's colour says, as ``Look.colour``
    index : of the only stamp that is shown. None: of a film, in which an id is always at the same
        side of its robot; of more than eight robots that come close to each other there are none
    most : robots that have ids

    """

    def __init__(self, axes: Axes, data: RunData, by: str = '', index: int | None = None,
                 most: int = MOST_NUMBERED_SMALL) -> None:
        count, scale = len(data.radius), points_a_metre(axes, data)
        self._data, self._scale = data, scale
        self._side: list[tuple[int, int]] = [(0, 0)] * count
        self.texts: list[Annotation] = []
        inside = _inside_robots(data, scale, most)
        some = range(0, len(data.stamps_ns), max(1, len(data.stamps_ns) // _FRAMES))
        if not 1 < count <= most or (
                index is None and not inside and data.many
                and not all(numbers_fit(data, each, scale) for each in some)):
            return
        if not inside:
            self._side = (_film_sides(data, some, scale) if index is None
                          else _sides(data, index, scale))
        for i, ((right, up), colour) in enumerate(zip(self._side, robot_colours(data, by),
                                                      strict=True)):
            # White or black, whichever is seen better in the robot. A heading's colour changes:
            # with a rim, as beside a robot.
            dark = float(np.dot(to_rgb(colour), (0.3, 0.6, 0.1))) < _DARK
            style = ({'color': 'white' if dark else LIGHT.ink, 'fontweight': 'bold'}
                     if inside and by != 'heading' else {
                         'color': palette().ink, 'path_effects': [
                             withStroke(linewidth=1.5, foreground=palette().ground)]})
            self.texts.append(axes.annotate(
                str(i), (0.0, 0.0), xytext=(right, up), textcoords='offset points', zorder=9,
                ha=('center', 'left', 'right')[right],
                va=('center_baseline', 'bottom', 'top')[up], **style))
        self.move(data.poses[index or 0])

    def move(self, poses: Floats) -> None:
        """Set the poses (N, 3)."""
        if self.texts:
            places, radii = _bodies(self._data, poses, self._scale)
            corners = places + math.sqrt(0.5) * radii[:, None] * np.array(self._side)
            for text, (x, y) in zip(self.texts, corners.tolist(), strict=True):
                text.xy = (x, y)


def _film_sides(data: RunData, shown: Sequence[int], scale: float) -> list[tuple[int, int]]:
    """Return the side of each robot for its id: the usual one, or where it mostly has most room.

    The second only if ids then hide something in fewer of the frames.
    """
    frames = [_sides(data, index, scale) for index in shown]
    roomy = [max(_CORNERS, key=sides.count) for sides in zip(*frames, strict=True)]
    return max([_CORNERS[0]] * len(roomy), roomy,
               key=lambda sides: sum(_clear(data, index, scale, sides) for index in shown))


def _heading_lines(poses: Floats, radius: Floats, shapes: dict[int, Floats],
                  inner: float = 0.0) -> Floats:
    """Return a line (N, 2, 2) from the centre of each robot (N, 3) to beyond its rim.

    It begins at ``inner`` of the radius. Of what is not round it goes from the middle to the
    front, as it is no longer to be seen else.
    """
    ahead = np.column_stack([np.cos(poses[:, 2]), np.sin(poses[:, 2])])
    start, end = inner * radius, 1.5 * radius
    for i, corners in shapes.items():
        start[i], end[i] = corners[:, 0].mean(), corners[:, 0].max()
    return np.stack([poses[:, :2] + reach[:, None] * ahead for reach in (start, end)], axis=1)


class Robots:
    """Robots as discs and outlines with their headings, robot 0 on top."""

    def __init__(self, axes: Axes, data: RunData, poses: Floats, by: str = '',
                 most_numbered: int = 0) -> None:
        scale = points_a_metre(axes, data)
        self._by_heading = by == 'heading'
        self._radius = data.drawn_radius(scale)
        # A number within a robot is not crossed by the line of its heading.
        self._inner = float(_inside_robots(data, scale, most_numbered))
        self._shapes = outlines_of(robot_bodies(data.scenario))
        many = data.many
        colours = robot_colours(data, by)[::-1]
        edge: dict[str, Any] = {
            'edgecolors': palette().ground if many else palette().ink,
            'linewidths': 0.3 if many else 0.6, 'zorder': 7}
        width = widths_of_discs(axes, data, self._shapes)[::-1]
        self.bodies = discs(axes, poses[::-1, :2], width, facecolors=colours, **edge)
        self.headings = lines(self._lines(poses), colors=palette().ink,
                              linewidths=0.5 if many else 1.0, zorder=8)
        self.boxes = PolyCollection(
            outlines(self._shapes, poses),
            facecolors=[colours[-1 - i] for i in sorted(self._shapes, reverse=True)],
            # With a halo, to be told from obstacles and tracks of their colours.
            path_effects=[withStroke(linewidth=2.0, foreground=palette().ground)], **edge)
        axes.add_collection(self.bodies)
        axes.add_collection(self.boxes)
        axes.add_collection(self.headings)
        self._colour(poses)

    def _lines(self, poses: Floats) -> Floats:
        return _heading_lines(poses, self._radius, self._shapes, self._inner)[::-1]

    def _colour(self, poses: Floats) -> None:
        if self._by_heading:
            colours = heading_colours(poses[:, 2])
            self.bodies.set_facecolor(colours[::-1])
            self.boxes.set_facecolor(colours[sorted(self._shapes, reverse=True)])

    def move(self, poses: Floats) -> None:
        """Set the poses (N, 3)."""
        self._colour(poses)
        self.bodies.set_offsets(poses[::-1, :2])
        self.boxes.set_verts(outlines(self._shapes, poses))
        self.headings.set_segments(list(self._lines(poses)))


# Legend of the colours of headings: an arrow in the colour of each.

def draw_heading_legend(axes: Axes, below: float = 0.0) -> None:
    """Draw arrows in the colours of their headings at the right, if nothing is there yet.

    They are above the axes, or with ``below`` (pt) their middle is as far below the axes.
    """
    if not below and any(text.get_gid() == ABOVE for text in axes.texts):
        return
    colours = heading_colours(np.arange(len(COMPASS)) * math.tau / len(COMPASS))
    size: dict[Any, Any] = {'size': 'medium'}
    texts: list[Artist] = [TextArea('heading', textprops=size), *(
        TextArea(arrow, textprops={**size, 'color': to_hex(colour)})
        for arrow, colour in zip(COMPASS, colours, strict=True))]
    axes.add_artist(AnnotationBbox(
        HPacker(children=texts, pad=0.0, sep=2.0), (1.0, 0.0 if below else 1.0),
        xycoords='axes fraction', xybox=(0.0, -below or 0.6 * rcParams['axes.titlepad']),
        boxcoords='offset points', box_alignment=(1.0, 0.5 if below else 0.0), frameon=False,
        pad=0.0))
