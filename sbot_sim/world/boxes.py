"""Pushable boxes: bodies without a drive, which rest until something pushes them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sbot_common.angles import decoded_yaws
from sbot_sim.world.bodies import Body, circle_around
from sbot_sim.world.body_arrays import BodyArrays
from sbot_sim.world.geometry import World, with_solids

Array = NDArray[np.float64]


def make_box(length: float, width: float, radius: float, mass: float) -> Body:
    """Return a box of length along x and width along y, or, if these are 0, a disc (m, kg)."""
    box = Body('box', radius, 0.0, mass=mass, length=length, width=width)
    return box._replace(radius=circle_around(box)) if box.is_rectangle else box


def as_sent(pose: Array) -> Array:
    """Return poses (B, 3) with the yaws that receivers of messages decode."""
    return np.column_stack([pose[:, :2], decoded_yaws(np.ascontiguousarray(pose[:, 2]))])


def world_with_boxes(world: World, boxes: BodyArrays, pose: Array) -> World:
    """Return the world with boxes at ``pose`` (B, 3), as the last circles and rectangles."""
    flat, half = boxes.shape.half_size[:, 0] > 0.0, boxes.shape.half_size
    return with_solids(world, np.column_stack([pose[~flat, :2], boxes.radius[~flat]]),
                       np.column_stack([pose[flat, :2], 2.0 * half[flat], pose[flat, 2]]))
