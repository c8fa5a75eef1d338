# SPDX-License-Identifier: Apache-2.0
"""Geometry and obstacles of a Stage world: rectangles, polygons and outlines of bitmaps."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from sbot.files.limits import limits, too_large
from sbot.scenario.maps import cells_of, opened_image
from sbot.scenario.stage_parse import Entity, Notes, Place, find_beside
from sbot_common.arrays import Floats
from sbot_common.elementary import hypot_of, sincos
from sbot_common.errors import bad_value
from sbot_sim.world.geometry import FREE, OCCUPIED, inside_polygon, outline_error

Units = tuple[float, float]  # m and rad that a length and an angle of 1 have


class Frame(NamedTuple):
    """A pose in the plane, in the frame of a parent or of the world."""

    x: float = 0.0  # m
    y: float = 0.0  # m
    yaw: float = 0.0  # rad

    @classmethod
    def of(cls, entity: Entity, name: str, units: Units, notes: Notes) -> Frame:
        """Return a property ``pose`` or ``origin``: [x y z heading], or the first of these."""
        given = entity.properties.get(name)
        if given is None:
            return cls()
        x, y, *more = given.numbers(2, 4)
        angle = more[1] if len(more) == 2 else 0.0
        if len(more) == 1 and name == 'pose':
            notes.add(given.place, 'pose has three numbers, read as x, y and heading as in '
                      'Stage 2')
            angle = more[0]
        return cls(units[0] * x, units[0] * y, units[1] * angle)

    def then(self, other: Frame) -> Frame:
        """Return a pose given in this frame in the frame that this one is given in."""
        s, c = sincos(self.yaw)
        return Frame(self.x + c * other.x - s * other.y, self.y + s * other.x + c * other.y,
                     self.yaw + other.yaw)

    def points(self, points: Floats) -> Floats:
        """Return points (M, 2) given in this frame."""
        s, c = sincos(self.yaw)
        x, y = points[:, 0], points[:, 1]
        return np.column_stack([self.x + c * x - s * y, self.y + s * x + c * y])


def fitted(outlines: list[Floats], size: tuple[float, float]) -> list[Floats]:
    """Return outlines scaled and moved so that together they fill a size about the origin.

    That is what Stage does with the blocks and with the bitmap of a model, each way by itself.
    """
    if not outlines:
        return []
    every = np.vstack(outlines)
    low, high = every.min(axis=0), every.max(axis=0)
    extent = np.maximum(high - low, np.finfo(np.float64).eps)
    scale = np.array(size) / extent
    return [(each - 0.5 * (low + high)) * scale for each in outlines]


def is_round(outlines: list[Floats], size: tuple[float, float]) -> bool:
    """Tell whether fitted blocks are nearly a disc: one of eight corners or more, 5 % exact."""
    if len(outlines) != 1 or len(outlines[0]) < 8 or not math.isclose(*size, rel_tol=0.05):
        return False
    reach = np.empty(len(outlines[0]))
    hypot_of(*map(np.ascontiguousarray, outlines[0].T), reach)
    reach /= 0.25 * (size[0] + size[1])
    return bool((abs(reach - 1.0) <= 0.05).all())


LIGHTEST = 127  # of pixels that are walls, in the first channel


def _dark(image: Image.Image) -> NDArray[Any]:
    """Return OCCUPIED for the dark pixels of an image, FREE for others."""
    if image.mode.startswith('I'):
        shades = np.asarray(image) // 256
    else:
        shades = np.asarray(image.convert('L' if image.mode in ('1', 'L', 'LA', 'F') else 'RGB'))
    first = shades if shades.ndim == 2 else shades[..., 0]
    return np.where(first <= LIGHTEST, OCCUPIED, FREE)


_FLAT = 0.05  # m, height up to which a model that nothing hits is a mark on the floor
# What is read of every model.
READ = ('pose', 'origin', 'size', 'bitmap', 'boundary', 'noblocks', 'obstacle_return',
        'ranger_return')


class _Obstacle(NamedTuple):
    """What stands in the world."""

    place: Place
    points: Floats  # (M, 2) m, corners of a simple outline, or both ends of each segment
    solid: bool  # an outline


def _height(model: Entity, units: Units) -> float:
    given = model.properties.get('size')
    return units[0] * float(given.numbers(2, 3)[2]) if given and len(given.values) > 2 else 1.0


def _rectangle(size: tuple[float, float]) -> Floats:
    """Return the corners (4, 2) of a rectangle about the origin."""
    x, y = 0.5 * size[0], 0.5 * size[1]
    return np.array([[-x, -y], [x, -y], [x, y], [-x, y]])


def _sides(corners: Floats) -> Floats:
    """Return both ends (2 M, 2) of each side of an outline that has a length."""
    return _with_length(np.hstack([corners, np.roll(corners, -1, axis=0)])).reshape(-1, 2)


def _with_length(lines: Floats) -> Floats:
    kept: Floats = lines[(lines[:, :2] != lines[:, 2:]).any(axis=1)]
    return kept


class Obstacles(list[_Obstacle]):
    """What stands in the world of a file; bitmaps are relative to its folder, each read once."""

    def __init__(self, folder: Path, units: Units, notes: Notes) -> None:
        super().__init__()
        self._folder, self._units, self._notes = folder, units, notes
        self._bitmaps: dict[Path, Floats] = {}
        self._segments = 0  # of all bitmaps so far

    def add(self, model: Entity, frame: Frame) -> None:
        """Add the obstacles of one model, without its children.

        Parameters
        ----------
        model : an entity of kind ``model``
        frame : its pose in the world

        Raises
        ------
        InputError
            for values and files that are wrong.

        """
        units, notes = self._units, self._notes
        notes.unknown(model, *READ)
        seen = model.number('ranger_return', 1.0) >= 0
        hit = model.number('obstacle_return', 1.0) != 0
        size = model.size(units[0])
        if not hit and (not seen or _height(model, units) <= _FLAT):
            return
        notes.add_if(
            (not hit, model.place_of('obstacle_return'),
             'obstacle_return 0 has no effect: what lasers see is solid here'),
            (hit and not seen, model.place_of('ranger_return'),
             'ranger_return < 0 has no effect: lasers see everything that is solid here'))
        shape = frame.then(Frame.of(model, 'origin', units, notes))
        outlines, lines = model.block_outlines(), []
        if 'bitmap' in model.properties:
            borders = self._borders(model.text('bitmap'), model.place_of('bitmap'))
            lines = [borders] if len(borders) else []
        elif not outlines and model.number('noblocks', 0.0) == 0:
            outlines = [_rectangle(size)]
        parts = fitted([*lines, *outlines], size)
        walls, blocks = parts[:len(lines)], parts[len(lines):]
        if model.number('boundary', 0.0) != 0 and not (outlines and not lines):
            walls.append(_sides(_rectangle(size)))
        self.extend(_Obstacle(model.place, shape.points(each), False) for each in walls)
        for corners in map(shape.points, blocks):
            solid = outline_error(corners) is None  # else its sides alone
            self.append(_Obstacle(model.place, corners if solid else _sides(corners), solid))

    def _borders(self, name: str, place: Place) -> Floats:
        """Return both ends (2 K, 2) in pixels of each border of a bitmap's dark pixels.

        y goes up. A pixel is dark where its first channel is at most ``LIGHTEST``, whatever its
        opacity is. Runs of borders in a line are one segment.

        Parameters
        ----------
        name : the path as it is written, relative to the world file's folder or absolute
        place : where the name stands

        Raises
        ------
        InputError
            naming the place, if there is no such file or it is no image within the limits, and for
            more segments in all than a scenario can have.

        """
        where = f'{place}: bitmap'
        path = find_beside(name, self._folder, place) if name else None
        if path is None:
            raise bad_value(where, name, f'an image file, relative to {self._folder} or absolute')
        if not path.is_file():
            raise bad_value(where, name, 'a regular file')
        path = path.resolve()
        if path not in self._bitmaps:
            with opened_image(path, where) as image:
                cells = cells_of(image, _dark, f'{where}: {path}', 'dark pixels')
            self._bitmaps[path] = cells.outlines.reshape(-1, 2)
        found = self._bitmaps[path]
        self._segments += len(found) // 2
        if 5 * self._segments > limits().text_values:
            raise too_large(where, 'numbers of the segments around dark pixels so far',
                            5 * self._segments, 'text_values')
        return found

    def world(self, robots: Floats) -> tuple[dict[str, Any], list[Place]]:
        """Return segments and polygons of a scenario's world, and the place of each polygon.

        In Stage only outlines stop robots and beams: what is around a robot's start (x, y of
        ``robots`` (N, 2), m) is a wall around it, and becomes segments.
        """
        segments: list[list[float]] = []
        polygons: list[dict[str, Any]] = []
        places: list[Place] = []
        for each in self:
            if each.solid and not inside_polygon(each.points, robots).any():
                polygons.append({'corners': each.points.tolist()})
                places.append(each.place)
            else:
                ends = _sides(each.points) if each.solid else each.points
                segments += _with_length(ends.reshape(-1, 4)).tolist()
        return {'segments': segments, 'polygons': polygons}, places

    def extent(self, robots: Floats, margin: float) -> list[float]:
        """Return xmin, ymin, xmax, ymax (m) of everything, with a margin (m) around it."""
        points = np.vstack([robots, *(each.points for each in self)])
        low, high = points.min(axis=0) - margin, points.max(axis=0) + margin
        return [*low.tolist(), *high.tolist()]
