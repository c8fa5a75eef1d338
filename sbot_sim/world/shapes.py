"""Shapes of bodies as arrays: discs and rectangles, and how they give way to each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot_common.compiled.jit import by_address, njit, njit_inner
from sbot_common.elementary import hypot, log, sincos
from sbot_sim.world.bodies import Body

Array = NDArray[np.float64]


@by_address
class Shapes(NamedTuple):
    """Shapes of N bodies with the distance that they keep free, and their inverse masses."""

    half_size: Array  # (N, 2) m, half length and half width of the body itself; 0: a disc
    offset: Array  # (N, 3) centre (m) and yaw (rad) of the shape in the body's frame
    size: Array  # (N, 3) half width, half height, radius (m)
    outer_radius: Array  # (N,) m, of the circle around the shape
    inner_radius: Array  # (N,) m, of the circle inside
    step_radius: Array  # (N,) m, half of it is the longest step: see ``collision.tunnelling``
    inverse_mass: Array  # (N,) 1/kg; 0: nothing pushes it
    turn: Array  # (N,) how easily pushes turn it, 1/c^2 of ``collision.levers``, 1/m^2; 0: never

    @property
    def equal_discs(self) -> bool:
        """Whether all are discs that share overlaps equally, as swarms are."""
        return not (self.size[:, 0].any() or self.turn.any() or (self.inverse_mass != 1.0).any())


def _shape(body: Body) -> tuple[float, ...]:
    """Return half_size, offset along x, size, outer_radius and inner_radius of a body."""
    if not body.is_rectangle:
        radius = body.safety_radius
        return 0.0, 0.0, 0.0, 0.0, 0.0, radius, radius, body.inner_radius
    a, b = 0.5 * body.length, 0.5 * body.width
    width, height = a + body.collision_distance, b + body.collision_distance
    return a, b, body.offset, width, height, 0.0, hypot(width, height), body.inner_radius


def make_shapes(robots: Sequence[Body], boxes: Sequence[Body] = ()) -> Shapes:
    """Return the shapes of robots, and then of pushable boxes.

    Among robots alone two share an overlap equally; where there are boxes, all share by inverse
    masses, and pushes turn the boxes.
    """
    n, bodies = len(robots), [*robots, *boxes]
    of_kind = {id(body): _shape(body) for body in bodies}  # a swarm has few kinds
    rows = np.array([of_kind[id(body)] for body in bodies], np.float64).reshape(-1, 8)
    offset, turn, inverse_mass = np.zeros((len(rows), 3)), np.zeros(len(rows)), np.ones(len(rows))
    offset[:, 0], inner = rows[:, 2], rows[:, 7].copy()
    step = inner
    if boxes:
        turn[n:] = [1.0 / (characteristic_length(box) * characteristic_length(box))
                    for box in boxes]
        inverse_mass = np.array([1.0 / body.mass for body in bodies])
        # A box must not be pushed farther in a step than its own limit: see ``tunnelling``.
        step = np.minimum(inner, inner[n:].min())
    return Shapes(rows[:, :2].copy(), offset, rows[:, 3:6].copy(), rows[:, 6].copy(), inner, step,
                  inverse_mass, turn)


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


def rectangle_of(shapes: Shapes, i: int) -> tuple[float, float, float] | None:
    """Return length, width and offset (m) of a rectangular body; None if it is round."""
    length, width = (2.0 * shapes.half_size[i]).tolist()
    return (length, width, float(shapes.offset[i, 0])) if length > 0.0 else None


@njit_inner
def share_equally(shapes: Shapes) -> bool:
    """Return ``Shapes.equal_discs``, in compiled functions."""
    for i in range(len(shapes.size)):
        if shapes.size[i, 0] != 0.0 or shapes.turn[i] != 0.0 or shapes.inverse_mass[i] != 1.0:
            return False
    return True


@njit_inner
def centre_of(pose: Array, offset: Array) -> tuple[float, float, float]:
    """Return x, y (m), yaw (rad) of the shape of a body at ``pose`` (3,)."""
    ox, oy = offset[0], offset[1]
    if ox == 0.0 and oy == 0.0:
        return pose[0], pose[1], pose[2] + offset[2]
    s, c = sincos(pose[2])
    return pose[0] + (c * ox - s * oy), pose[1] + (s * ox + c * oy), pose[2] + offset[2]


@njit_inner
def body_of(x: float, y: float, angle: float, offset: Array) -> tuple[float, float]:
    """Return where the body is (m) whose shape has its centre at (x, y); angle is the body's."""
    ox, oy = offset[0], offset[1]
    if ox == 0.0 and oy == 0.0:
        return x, y
    s, c = sincos(angle)
    return x - (c * ox - s * oy), y - (s * ox + c * oy)


@njit
def centres(shapes: Shapes, pose: Array) -> Array:
    """Return the shapes' poses (N, 3) for those of the bodies (N, 3)."""
    out = np.empty_like(pose)
    for i in range(len(pose)):
        out[i, 0], out[i, 1], out[i, 2] = centre_of(pose[i], shapes.offset[i])
    return out


@njit
def boxes_at(shapes: Shapes, centre: Array) -> Array:
    """Return the rounded boxes (N, 7) of ``collision.body_contacts`` at poses (N, 3)."""
    boxes = np.empty((len(centre), 7))
    for i in range(len(centre)):
        boxes[i, 2], boxes[i, 3] = 1.0, 0.0
        for k in range(3):
            boxes[i, 4 + k] = shapes.size[i, k]
        place(boxes, i, centre[i, 0], centre[i, 1], centre[i, 2])
    return boxes


@njit
def place(boxes: Array, i: int, x: float, y: float, yaw: float) -> None:
    """Put the rounded box ``i`` at a pose (m, m, rad)."""
    boxes[i, 0], boxes[i, 1] = x, y
    if boxes[i, 4] > 0.0:
        boxes[i, 3], boxes[i, 2] = sincos(yaw)
