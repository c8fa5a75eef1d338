"""Pushable boxes: bodies that nothing drives, which rest until something pushes them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot_common.angles import decoded_yaws
from sbot_common.elementary import hypot, log
from sbot_sim.world.bodies import Body, circle_around
from sbot_sim.world.geometry import World, with_solids

Array = NDArray[np.float64]


class Boxes(NamedTuple):
    """B boxes, rectangular and round ones."""

    bodies: tuple[Body, ...] = ()
    start: Array = np.zeros((0, 3))  # (B, 3) x, y (m), yaw (rad) at tick 0


def make_box(length: float, width: float, radius: float, mass: float) -> Body:
    """Return a box of length along x and width along y, or, if these are 0, a disc (m, kg)."""
    box = Body('box', radius, 0.0, mass=mass, length=length, width=width)
    return box._replace(radius=circle_around(box)) if box.is_rectangle else box


def characteristic_length(box: Body) -> float:
    """Return c (m) of ``collision.levers``: the greatest moment of friction over its force.

    With an even pressure on the floor that is the mean distance of the footprint's points from
    its centre.
    """
    if not box.is_rectangle:
        return 2.0 * box.radius / 3.0
    a, b = box.length, box.width
    diagonal = hypot(a, b)
    return (2.0 * diagonal + a * a / b * log((b + diagonal) / a)
            + b * b / a * log((a + diagonal) / b)) / 12.0


def as_sent(pose: Array) -> Array:
    """Return poses (B, 3) with the yaws that receivers of messages decode."""
    return np.column_stack([pose[:, :2], decoded_yaws(np.ascontiguousarray(pose[:, 2]))])


def world_with_boxes(world: World, bodies: Sequence[Body], pose: Array) -> World:
    """Return the world with boxes at ``pose`` (B, 3), as the last circles and rectangles."""
    rows = list(zip(bodies, pose.tolist(), strict=True))
    return with_solids(
        world, [(x, y, box.radius) for box, (x, y, _) in rows if not box.is_rectangle],
        [(x, y, box.length, box.width, yaw) for box, (x, y, yaw) in rows if box.is_rectangle])
