"""Geometry of Stage's models: poses, and blocks scaled to a model's size."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot.scenario.stage.entities import Entity
from sbot.scenario.stage.notes import Notes
from sbot_common.elementary import hypot_of, sincos
from sbot_common.errors import InputError, bad_value

Array = NDArray[np.float64]
Units = tuple[float, float]  # m and rad that a length and an angle of 1 have

DEFAULT_SIZE = (0.4, 0.4)  # m
MOST_POINTS = 1000  # of a block


class Frame(NamedTuple):
    """A pose in the plane, in the frame of a parent or of the world."""

    x: float = 0.0  # m
    y: float = 0.0  # m
    yaw: float = 0.0  # rad

    def then(self, other: Frame) -> Frame:
        """Return a pose given in this frame in the frame that this one is given in."""
        s, c = sincos(self.yaw)
        return Frame(self.x + c * other.x - s * other.y, self.y + s * other.x + c * other.y,
                     self.yaw + other.yaw)

    def points(self, points: Array) -> Array:
        """Return points (M, 2) given in this frame."""
        s, c = sincos(self.yaw)
        x, y = points[:, 0], points[:, 1]
        return np.column_stack([self.x + c * x - s * y, self.y + s * x + c * y])


def frame_of(entity: Entity, name: str, units: Units, notes: Notes) -> Frame:
    """Return a property ``pose`` or ``origin``: [x y z heading], with less of it at the end."""
    given = entity.properties.get(name)
    if given is None:
        return Frame()
    x, y, *more = given.numbers(2, 4)
    angle = more[1] if len(more) == 2 else 0.0
    if len(more) == 1 and name == 'pose':
        notes.add(given.place, 'pose has three numbers, read as x, y and heading as in Stage 2')
        angle = more[0]
    return Frame(units[0] * x, units[0] * y, units[1] * angle)


def size_of(entity: Entity, units: Units) -> tuple[float, float]:
    """Return a model's size along x and y (m)."""
    given = entity.properties.get('size')
    if given is None:
        return DEFAULT_SIZE
    x, y = (units[0] * number for number in given.numbers(2, 3)[:2])
    if x < 0.0 or y < 0.0:
        raise bad_value(given.where, ' '.join(given.values), 'numbers >= 0')
    return x, y


def block_outlines(entity: Entity) -> list[Array]:
    """Return the corners (M, 2) of each block of a model as written, scaled by nothing yet."""
    return [_corners(child) for child in entity.children if child.kind == 'block']


def _corners(block: Entity) -> Array:
    count = block.number('points', 0.0)
    where = f'{block.place_of("points")}: points'
    if not 1 <= count <= MOST_POINTS or count != int(count):
        raise bad_value(where, block.text('points'), f'a whole number from 1 to {MOST_POINTS}')
    corners = []
    for k in range(int(count)):
        point = block.properties.get(f'point[{k}]')
        if point is None:
            raise InputError(f"{where}: 'point[{k}]' is missing; give {int(count)} points")
        corners.append(point.numbers(2))
    return np.array(corners)


def fitted(outlines: list[Array], size: tuple[float, float]) -> list[Array]:
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


def is_round(outlines: list[Array], size: tuple[float, float]) -> bool:
    """Tell whether fitted blocks are nearly a disc: one of eight corners or more, 5 % exact."""
    if len(outlines) != 1 or len(outlines[0]) < 8 or not math.isclose(*size, rel_tol=0.05):
        return False
    reach = np.empty(len(outlines[0]))
    hypot_of(*map(np.ascontiguousarray, outlines[0].T), reach)
    reach /= 0.25 * (size[0] + size[1])
    return bool((abs(reach - 1.0) <= 0.05).all())
