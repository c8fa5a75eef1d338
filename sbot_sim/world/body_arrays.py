"""Robot bodies as arrays: drive, mass and shape of each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot_common.compiled.jit import by_address
from sbot_sim.drives.registry import MOST_NUMBERS, NAMES, drive_of
from sbot_sim.world.bodies import Body
from sbot_sim.world.shapes import Shapes, make_shapes


class Drives(NamedTuple):
    """What moves N robots, as arrays (N,) in the units of ``Body``."""

    wheel_distance: NDArray[np.float64]
    wheel_radius: NDArray[np.float64]
    max_wheel_speed: NDArray[np.float64]
    mass: NDArray[np.float64]
    drive: NDArray[np.int8]  # place in ``DRIVES``
    numbers: NDArray[np.float64]  # (N, MOST_NUMBERS) of the drive, as ``Drive.numbers`` has them


@by_address
class BodyArrays(NamedTuple):
    """N bodies as arrays (N,), in the units of ``Body``: drive, mass and shape of each."""

    radius: NDArray[np.float64]  # as infrared sees it
    laser_radius: NDArray[np.float64]  # of the disc that lasers see; a rectangle hides its own
    wheel_distance: NDArray[np.float64]
    wheel_radius: NDArray[np.float64]
    max_wheel_speed: NDArray[np.float64]
    mass: NDArray[np.float64]
    drive: NDArray[np.int8]
    numbers: NDArray[np.float64]
    shape: Shapes

    @property
    def safety_radius(self) -> NDArray[np.float64]:
        """How far from the centre of its shape each body may touch something (m); (N,)."""
        return self.shape.outer_radius


def select_bodies(bodies: BodyArrays,
                  which: slice | NDArray[np.bool_] | NDArray[np.intp]) -> BodyArrays:
    """Return the arrays of some of the bodies: a mask (N,), row numbers, or a slice of rows."""
    columns = {name: getattr(bodies, name)[which] for name in BodyArrays._fields[:-1]}
    return BodyArrays(**columns, shape=Shapes(*(column[which] for column in bodies.shape)))


def bodies_of_worlds(each: Sequence[BodyArrays]) -> BodyArrays:
    """Return the arrays of the bodies of several worlds, one world after the other."""
    columns = {name: np.concatenate([getattr(bodies, name) for bodies in each])
               for name in BodyArrays._fields[:-1]}
    return BodyArrays(**columns, shape=Shapes(*(
        np.concatenate(rows) for rows in zip(*(bodies.shape for bodies in each), strict=True))))


def body_arrays(robots: Sequence[Body], boxes: Sequence[Body] = ()) -> BodyArrays:
    """Return the arrays of robots, and then of pushable boxes (``world.boxes``)."""
    bodies = [*robots, *boxes]
    of_kind = {id(body): _row(body) for body in bodies}  # a swarm has few kinds
    rows = np.array([of_kind[id(body)] for body in bodies], np.float64).reshape(
        -1, 7 + MOST_NUMBERS)
    columns: dict[str, NDArray[Any]] = {
        name: rows[:, k].copy() for k, name in enumerate(BodyArrays._fields[:6])}
    return BodyArrays(**columns, drive=rows[:, 6].astype(np.int8), numbers=rows[:, 7:].copy(),
                      shape=make_shapes(robots, boxes))


def _row(body: Body) -> list[float]:
    """Return the numbers of a body in the order of ``BodyArrays``."""
    seen = body.radius
    if body.is_rectangle:  # well inside of the rectangle, which a beam therefore hits before
        seen = 0.25 * min(body.length - 2.0 * abs(body.offset), body.width)
    return [body.radius, seen, body.wheel_distance, body.wheel_radius, body.max_wheel_speed,
            body.mass, NAMES.index(body.drive), *_numbers_of(body)]


def _numbers_of(body: Body) -> list[float]:
    """Return what the compiled functions of a body's drive need to know, and zeros."""
    drive = drive_of(body.drive)
    keys = drive.keys._replace(**{key: value for key, value in body.of_drive.items()
                                  if key in drive.keys._fields})
    numbers = drive.numbers(body.wheel_distance, keys)
    return [*numbers, *[0.0] * (MOST_NUMBERS - len(numbers))]
