# SPDX-License-Identifier: Apache-2.0
"""Robot bodies: the s-bot and others, their shapes, and their arrays."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot_common.arrays import Flags, Floats
from sbot_common.compiled.jit import by_address, njit, njit_inner
from sbot_common.elementary import hypot, log, sincos
from sbot_common.errors import InputError, bad_value
from sbot_common.params import (
    Param,
    Spec,
    Where,
    in_words,
    refuse_unknown,
    specs_of,
    updated,
)
from sbot_sim.drives.registry import DRIVES, MOST_NUMBERS, NAMES, drive_of, own_specs
from sbot_sim.world.geometry import rectangle_corners

S_BOT_RADIUS = 0.058  # m
# The pose of a robot that is not in the world: in reserve, or deleted. What compares with it is
# false, so it touches nothing and nobody senses it.
NOWHERE = math.nan, math.nan, 0.0


def is_there(pose: Floats) -> Flags:
    """Return which robots at ``pose`` (…, N, 3) are in the world, (…, N)."""
    return ~np.isnan(pose[..., 0])


class Body(NamedTuple):
    """A robot on wheels, round or rectangular; x is forward, y to the left.

    The origin is the centre of a round one, and of a rectangle too unless it has an offset.

    The defaults are those of the s-bot, document 002 Table 1. The mass is not in the table, as the
    document takes it to be negligible; it is that of the real machine.
    """

    name: str
    radius: Annotated[float, Param(
        'm', 'Radius of the body that lasers and infrared see.', '002 Table 1', minimum=0.0,
        open_minimum=True)] = S_BOT_RADIUS
    collision_distance: Annotated[float, Param(
        'm', 'Distance around the body that stays free.', '002 Table 1', minimum=0.0)] = 0.03
    wheel_distance: Annotated[float, Param(
        'm', 'Distance between the two wheels.', '002 Table 1', minimum=0.0,
        open_minimum=True)] = 0.095
    wheel_radius: Annotated[float, Param(
        'm', 'Radius of the wheels.', '002 Table 1', minimum=0.0, open_minimum=True)] = 0.02
    max_wheel_speed: Annotated[float, Param(
        'rad/s', 'Largest speed of a wheel, forwards and backwards.', '002 Table 1',
        minimum=0.0)] = 4.0
    mass: Annotated[float, Param(
        'kg', 'Mass; only impulses and wind forces depend on it.', '000 section 4.1', minimum=0.0,
        open_minimum=True)] = 0.7
    drive: Annotated[str, Param(
        '', f'How the robot moves: {"; ".join(drive.text for drive in DRIVES)}.',
        '000 section 5.6', choices=NAMES)] = NAMES[0]
    length: Annotated[float, Param(
        'm', 'Length along x of a rectangular body; 0: it is round.', minimum=0.0,
        maximum=1e3)] = 0.0
    width: Annotated[float, Param(
        'm', 'Width along y of a rectangular body.', minimum=0.0, maximum=1e3)] = 0.0
    offset: Annotated[float, Param(
        'm', 'Distance from the origin (the middle of the driven axle) forward to the centre of a '
        'rectangular body; negative: backward.', minimum=-1e3, maximum=1e3)] = 0.0
    max_speed: Annotated[float, Param(
        'm/s', 'Largest speed of a command along each axis, cut before its wheels; 0: no limit.',
        minimum=0.0, maximum=1e6)] = 0.0
    max_angular_speed: Annotated[float, Param(
        'rad/s', 'Largest turn rate of a command, cut before its wheels; 0: no limit.',
        minimum=0.0, maximum=1e6)] = 0.0
    max_acceleration: Annotated[float, Param(
        'm/s^2', 'Largest acceleration of the drive along the ground; 0: no limit.', minimum=0.0,
        maximum=1e6)] = 0.0
    max_deceleration: Annotated[float, Param(
        'm/s^2', 'Largest deceleration; 0: as `max_acceleration`.', minimum=0.0,
        maximum=1e6)] = 0.0
    max_angular_acceleration: Annotated[float, Param(
        'rad/s^2', 'Largest angular acceleration and deceleration; 0: no limit.', minimum=0.0,
        maximum=1e6)] = 0.0
    command_delay: Annotated[float, Param(
        's', 'Time until a command reaches the motors, rounded to whole ticks.', minimum=0.0,
        maximum=10.0)] = 0.0
    # What ``registry.own_specs`` declares and is not at its default.
    of_drive: Mapping[str, float] = {}
    # What its robots have beside a body (``sbot.scenario.groups``): sensors, names of topics.
    own: Mapping[str, Any] = {}

    @property
    def safety_radius(self) -> float:
        """Radius of the collision circle (m): nothing may be nearer than this to the centre.

        For a rectangle, that of the circle around the rectangle that is kept free.
        """
        return self.circle_around(self.collision_distance)

    @property
    def top_speed(self) -> float:
        """Largest speed forward that a command reaches (m/s)."""
        return min(self.max_wheel_speed * self.wheel_radius, self.max_speed or math.inf)

    @property
    def is_rectangle(self) -> bool:
        """Whether the body is rectangular."""
        return self.length > 0.0

    @property
    def is_holonomic(self) -> bool:
        """Whether the drive also moves the robot sideways: commands may have a vy."""
        return drive_of(self.drive).sideways

    @property
    def inner_radius(self) -> float:
        """Radius of the largest circle within the collision shape (m)."""
        return self.inscribed_radius + self.collision_distance

    @property
    def inscribed_radius(self) -> float:
        """Radius of the largest circle within the body (m)."""
        return 0.5 * min(self.length, self.width) if self.is_rectangle else self.radius

    @property
    def equal_area_radius(self) -> float:
        """Radius of the disc with the area of the collision shape (m)."""
        if not self.is_rectangle:
            return self.safety_radius
        around = 2.0 * self.collision_distance
        return math.sqrt((self.length + around) * (self.width + around) / math.pi)

    @property
    def laser_radius(self) -> float:
        """Radius of the disc about the origin that lasers see (m).

        That of a rectangle is well inside it, so a beam hits the rectangle before.
        """
        if not self.is_rectangle:
            return self.radius
        return 0.25 * min(self.length - 2.0 * abs(self.offset), self.width)

    @property
    def outline(self) -> Floats | None:
        """Corners (P, 2) of the body (m), counter-clockwise; None if it is round."""
        return rectangle_corners((self.offset, 0.0, self.length, self.width, 0.0)) if (
            self.is_rectangle) else None

    @property
    def size_in_words(self) -> str:
        """What an error says of the collision shape."""
        if not self.is_rectangle:
            return f'collision radius {self.safety_radius:g} m'
        around = 2.0 * self.collision_distance
        return f'{self.length + around:g} m x {self.width + around:g} m'

    def circle_around(self, distance: float = 0.0) -> float:
        """Return the radius (m) of the circle about the origin that holds a body.

        The body may be larger by a ``distance`` (m) on all sides.
        """
        if not self.is_rectangle:
            return self.radius + distance
        return hypot(0.5 * self.length + abs(self.offset) + distance, 0.5 * self.width + distance)

    def in_words(self) -> dict[str, Any]:
        """Return the keys of a body by name, each as a file gives it."""
        given = {**in_words(self), **self.of_drive}
        return {**{spec.name: given.get(spec.name, spec.default) for spec in body_specs()},
                **self.own}

    def updated(self, given: Mapping[str, object], where: Where = str) -> Body:
        """Return a body with the given keys, as ``params.updated`` returns parameters.

        Raises
        ------
        InputError
            for an unknown key, with the nearest known one, or a bad value.

        """
        refuse_unknown(given, [spec.name for spec in body_specs()], where)
        own: dict[str, float] = {}
        for spec in own_specs():
            value = self.of_drive.get(spec.name, spec.default)
            if spec.name in given:
                value = spec.check(given[spec.name], where(spec.name))
            if isinstance(value, float) and value != spec.default:
                own[spec.name] = value
        common = {key: value for key, value in given.items() if key in Body._fields}
        return _shaped(updated(self, common, where)._replace(of_drive=own), common, where)


S_BOT = Body('s-bot')
# Document 001 gives the radius only. These wheels reach 30 rad/s * 0.1 m = 3 m/s, so that the
# fastest command of its controller, 2 m/s while turning at pi rad/s (2.79 m/s for the outer
# wheel), never saturates. The mass is a guess: that of a laboratory robot of this size.
ROBOT = Body('robot', radius=0.3, collision_distance=0.0, wheel_distance=0.5, wheel_radius=0.1,
             max_wheel_speed=30.0, mass=10.0)
# The two robots that document 000 runs on, from their data sheets, rounded.
E_PUCK2 = Body('e-puck2', radius=0.035, collision_distance=0.0, wheel_distance=0.053,
               wheel_radius=0.0205, max_wheel_speed=7.5, mass=0.13)
FOOT_BOT = Body('foot-bot', radius=0.085, collision_distance=0.0, wheel_distance=0.14,
                wheel_radius=0.029, max_wheel_speed=10.0, mass=1.8)

BODIES: dict[str, Body] = {body.name: body for body in (S_BOT, ROBOT, E_PUCK2, FOOT_BOT)}


def body_specs() -> tuple[Spec, ...]:
    """Return the declarations of a body's keys, in the order of a file."""
    common = specs_of(Body)
    after = [spec.name for spec in common].index('drive') + 1
    return common[:after] + own_specs() + common[after:]


def _shaped(body: Body, given: Mapping[str, object], where: Where) -> Body:
    """Return a body, a rectangular one with the radius that follows from its size.

    Raises
    ------
    InputError
        where length, width, offset and radius do not go together.

    """
    for key, other in (('length', 'width'), ('width', 'length')):
        if getattr(body, key) == 0.0 and getattr(body, other) > 0.0:
            raise bad_value(where(key), 0.0, f'a number > 0 (m), since {other} is given')
    if not body.is_rectangle:
        return body
    if not abs(body.offset) < 0.5 * body.length:
        raise bad_value(where('offset'), body.offset, 'less than half the length, '
                        f'{0.5 * body.length:g} m, ahead or behind')
    radius = body.circle_around()
    if given.get('radius', radius) != radius:
        raise InputError(f'{where("radius")} cannot be combined with length and width; leave it '
                         f'out (the circle around the body has {radius:g} m)')
    return body._replace(radius=radius)


# Shapes of bodies as arrays: discs and rectangles, and how they give way to each other.


@by_address
class Shapes(NamedTuple):
    """Shapes of N bodies with the distance that they keep free, and their inverse masses."""

    half_size: Floats  # (N, 2) m, half length and half width of the body itself; 0: a disc
    offset: Floats  # (N, 3) centre (m) and yaw (rad) of the shape in the body's frame
    size: Floats  # (N, 3) half width, half height, radius (m)
    outer_radius: Floats  # (N,) m, of the circle around the shape
    inner_radius: Floats  # (N,) m, of the circle inside
    step_radius: Floats  # (N,) m, half of it is the longest step: see ``collision.separation``
    inverse_mass: Floats  # (N,) 1/kg; 0: nothing pushes it
    turn: (
        Floats  # (N,) how easily pushes turn it, 1/c^2 of ``collision.contacts``, 1/m^2; 0: never
    )

    @property
    def equal_discs(self) -> bool:
        """Whether all are discs that share overlaps equally, as swarms are."""
        return not (self.size[:, 0].any() or self.turn.any() or (self.inverse_mass != 1.0).any())

    def rectangle(self, i: int) -> tuple[float, float, float] | None:
        """Return length, width and offset (m) of a rectangular body; None if it is round."""
        length, width = (2.0 * self.half_size[i]).tolist()
        return (length, width, float(self.offset[i, 0])) if length > 0.0 else None


def _shape(body: Body) -> tuple[float, ...]:
    """Return half_size, offset along x, size, outer_radius and inner_radius of a body."""
    if not body.is_rectangle:
        radius = body.safety_radius
        return 0.0, 0.0, 0.0, 0.0, 0.0, radius, radius, body.inner_radius
    a, b = 0.5 * body.length, 0.5 * body.width
    width, height = a + body.collision_distance, b + body.collision_distance
    return a, b, body.offset, width, height, 0.0, hypot(width, height), body.inner_radius


def _make_shapes(robots: Sequence[Body], boxes: Sequence[Body] = ()) -> Shapes:
    """Return the shapes of robots, and then of pushable boxes.

    Among robots alone two share an overlap equally; where there are boxes, all share by inverse
    masses, and pushes turn the boxes.
    """
    n, bodies = len(robots), [*robots, *boxes]
    rows = _table(_shape, bodies, 8)
    offset, turn, inverse_mass = np.zeros((len(rows), 3)), np.zeros(len(rows)), np.ones(len(rows))
    offset[:, 0], inner = rows[:, 2], rows[:, 7].copy()
    step = inner
    if boxes:
        turn[n:] = [1.0 / (_characteristic_length(box) * _characteristic_length(box))
                    for box in boxes]
        inverse_mass = np.array([1.0 / body.mass for body in bodies])
        # A box must not be pushed farther in a step than its own limit: see ``tunnelling``.
        step = np.minimum(inner, inner[n:].min())
    return Shapes(rows[:, :2].copy(), offset, rows[:, 3:6].copy(), rows[:, 6].copy(), inner, step,
                  inverse_mass, turn)


def _characteristic_length(box: Body) -> float:
    """Return c (m) of ``collision.contacts``: the greatest moment of friction over its force.

    With an even pressure on the floor that is the mean distance of the footprint's points from
    its centre.
    """
    if not box.is_rectangle:
        return 2.0 * box.radius / 3.0
    a, b = box.length, box.width
    diagonal = hypot(a, b)
    return (2.0 * diagonal + a * a / b * log((b + diagonal) / a)
            + b * b / a * log((a + diagonal) / b)) / 12.0


@njit_inner
def share_equally(shapes: Shapes) -> bool:
    """Return ``Shapes.equal_discs``, in compiled functions."""
    for i in range(len(shapes.size)):
        if shapes.size[i, 0] != 0.0 or shapes.turn[i] != 0.0 or shapes.inverse_mass[i] != 1.0:
            return False
    return True


@njit_inner
def shapes_of(shapes: Shapes, a: int, z: int) -> Shapes:
    """Return the shapes of the bodies a … z-1."""
    return Shapes(shapes.half_size[a:z], shapes.offset[a:z], shapes.size[a:z],
                  shapes.outer_radius[a:z], shapes.inner_radius[a:z], shapes.step_radius[a:z],
                  shapes.inverse_mass[a:z], shapes.turn[a:z])


@njit_inner
def _centre_of(pose: Floats, offset: Floats) -> tuple[float, float, float]:
    """Return x, y (m), yaw (rad) of the shape of a body at ``pose`` (3,)."""
    ox, oy = offset[0], offset[1]
    if ox == 0.0 and oy == 0.0:
        return pose[0], pose[1], pose[2] + offset[2]
    s, c = sincos(pose[2])
    return pose[0] + (c * ox - s * oy), pose[1] + (s * ox + c * oy), pose[2] + offset[2]


@njit_inner
def body_of(x: float, y: float, angle: float, offset: Floats) -> tuple[float, float]:
    """Return where the body is (m) whose shape has its centre at (x, y); angle is the body's."""
    ox, oy = offset[0], offset[1]
    if ox == 0.0 and oy == 0.0:
        return x, y
    s, c = sincos(angle)
    return x - (c * ox - s * oy), y - (s * ox + c * oy)


@njit
def centres(shapes: Shapes, pose: Floats) -> Floats:
    """Return the shapes' poses (N, 3) for those of the bodies (N, 3)."""
    out = np.empty_like(pose)
    for i in range(len(pose)):
        out[i, 0], out[i, 1], out[i, 2] = _centre_of(pose[i], shapes.offset[i])
    return out


@njit
def boxes_at(shapes: Shapes, centre: Floats) -> Floats:
    """Return the rounded boxes (N, 7) of ``collision.contacts`` at poses (N, 3)."""
    boxes = np.empty((len(centre), 7))
    for i in range(len(centre)):
        boxes[i, 2], boxes[i, 3] = 1.0, 0.0
        for k in range(3):
            boxes[i, 4 + k] = shapes.size[i, k]
        place(boxes, i, centre[i, 0], centre[i, 1], centre[i, 2])
    return boxes


@njit
def place(boxes: Floats, i: int, x: float, y: float, yaw: float) -> None:
    """Put the rounded box ``i`` at a pose (m, m, rad)."""
    boxes[i, 0], boxes[i, 1] = x, y
    if boxes[i, 4] > 0.0:
        boxes[i, 3], boxes[i, 2] = sincos(yaw)


# Robot bodies as arrays: drive, mass and shape of each.

class _Drives(NamedTuple):
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

    def select(self, which: slice | NDArray[np.bool_] | NDArray[np.intp]) -> BodyArrays:
        """Return the arrays of some of the bodies: a mask (N,), row numbers, or a slice."""
        columns = {name: getattr(self, name)[which] for name in BodyArrays._fields[:-1]}
        return BodyArrays(**columns, shape=Shapes(*(column[which] for column in self.shape)))

    @classmethod
    def joined(cls, each: Sequence[BodyArrays]) -> BodyArrays:
        """Return the arrays of some bodies, and then of others: one world after the other."""
        if len(each) == 1:
            return each[0]
        columns = {name: _joined([getattr(bodies, name) for bodies in each])
                   for name in BodyArrays._fields[:-1]}
        return cls(**columns, shape=Shapes(*(
            _joined(rows) for rows in zip(*(bodies.shape for bodies in each), strict=True))))

    @classmethod
    def of(cls, robots: Sequence[Body], boxes: Sequence[Body] = ()) -> BodyArrays:
        """Return the arrays of robots, and then of pushable boxes (``world.moving``)."""
        bodies = [*robots, *boxes]
        rows = _table(_row, bodies, 7 + MOST_NUMBERS)
        columns: dict[str, NDArray[Any]] = {
            name: rows[:, k].copy() for k, name in enumerate(BodyArrays._fields[:6])}
        return cls(**columns, drive=rows[:, 6].astype(np.int8), numbers=rows[:, 7:].copy(),
                   shape=_make_shapes(robots, boxes))


def _joined(rows: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """Return arrays one after the other; zeros that nobody writes take no memory."""
    if any(each.any() for each in rows):
        return np.concatenate(rows)
    return np.zeros((sum(map(len, rows)), *rows[0].shape[1:]), rows[0].dtype)


@njit_inner
def drives_of(bodies: BodyArrays, a: int, z: int) -> _Drives:
    """Return what moves the robots of the rows a … z-1."""
    return _Drives(bodies.wheel_distance[a:z], bodies.wheel_radius[a:z],
                  bodies.max_wheel_speed[a:z], bodies.mass[a:z], bodies.drive[a:z],
                  bodies.numbers[a:z])


def _table(row_of: Callable[[Body], Sequence[float]], bodies: Sequence[Body],
           columns: int) -> Floats:
    """Return a row of numbers for each body; each kind is asked once, and a swarm has few."""
    rows = {key: row_of(body) for key, body in {id(body): body for body in bodies}.items()}
    return np.array([rows[id(body)] for body in bodies], np.float64).reshape(-1, columns)


def _row(body: Body) -> list[float]:
    """Return the numbers of a body in the order of ``BodyArrays``."""
    return [body.radius, body.laser_radius, body.wheel_distance, body.wheel_radius,
            body.max_wheel_speed, body.mass, NAMES.index(body.drive), *_numbers_of(body)]


def _numbers_of(body: Body) -> list[float]:
    """Return what the compiled functions of a body's drive need to know, and zeros."""
    drive = drive_of(body.drive)
    keys = drive.keys._replace(**{key: value for key, value in body.of_drive.items()
                                  if key in drive.keys._fields})
    numbers = drive.numbers(body.wheel_distance, keys)
    return [*numbers, *[0.0] * (MOST_NUMBERS - len(numbers))]
