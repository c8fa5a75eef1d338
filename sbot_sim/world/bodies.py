"""Robot bodies: the s-bot of document 002 Table 1, document 001's robot, two of ARGoS."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, NamedTuple

from sbot_common.elementary import hypot
from sbot_common.params import (
    Param,
    Spec,
    Value,
    Where,
    in_words,
    refuse_unknown,
    specs_of,
    updated,
)
from sbot_sim.drives.registry import DRIVES, NAMES, drive_of, own_specs

S_BOT_RADIUS = 0.058  # m


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

    @property
    def safety_radius(self) -> float:
        """Radius of the collision circle (m): nothing may be nearer than this to the centre.

        For a rectangle, that of the circle around the rectangle that is kept free.
        """
        if self.is_rectangle:
            return circle_around(self, self.collision_distance)
        return self.radius + self.collision_distance

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
        if self.is_rectangle:
            return 0.5 * min(self.length, self.width) + self.collision_distance
        return self.safety_radius


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


def circle_around(body: Body, distance: float = 0.0) -> float:
    """Return the radius (m) of the circle about the origin that holds a rectangular body.

    The rectangle may be larger by a ``distance`` (m) on all sides.
    """
    return hypot(0.5 * body.length + abs(body.offset) + distance, 0.5 * body.width + distance)


def body_specs() -> tuple[Spec, ...]:
    """Return the declarations of a body's keys, in the order of a file."""
    common = specs_of(Body)
    after = [spec.name for spec in common].index('drive') + 1
    return common[:after] + own_specs() + common[after:]


def body_in_words(body: Body) -> dict[str, Value]:
    """Return the keys of a body by name, each as a file gives it."""
    given = {**in_words(body), **body.of_drive}
    return {spec.name: given.get(spec.name, spec.default) for spec in body_specs()}


def updated_body(body: Body, given: Mapping[str, object], where: Where = str) -> Body:
    """Return a body with the given keys, as ``params.updated`` returns parameters.

    Raises
    ------
    InputError
        for an unknown key, with the nearest known one, or a bad value.

    """
    refuse_unknown(given, [spec.name for spec in body_specs()], where)
    own: dict[str, float] = {}
    for spec in own_specs():
        value = body.of_drive.get(spec.name, spec.default)
        if spec.name in given:
            value = spec.check(given[spec.name], where(spec.name))
        if isinstance(value, float) and value != spec.default:
            own[spec.name] = value
    common = {key: value for key, value in given.items() if key in Body._fields}
    return updated(body, common, where)._replace(of_drive=own)
