# SPDX-License-Identifier: Apache-2.0
"""Registry of drives, and one compiled function for all: those below, those of modules beside it.

Wheels are numbered front left, front right, rear left, rear right (Taheri, Qiao, Ghaeminezhad,
Kinematic Model of a Four Mecanum Wheeled Mobile Robot, 2015).
"""

from __future__ import annotations

import math
from collections.abc import Container, Iterable
from functools import cache
from typing import Annotated, Any, NamedTuple

from sbot_common import topics
from sbot_common.compiled.jit import njit, njit_inline
from sbot_common.elementary import sincos
from sbot_common.errors import InputError
from sbot_common.params import Param, Spec, specs_of
from sbot_common.user_code import records_of
from sbot_sim.drives.record import Drive, Message, Wheelbase, Wheeled

# Differential drive: two wheels side by side, each with its own motor (document 002).

WHEEL_JOINTS = 'left_wheel_joint', 'right_wheel_joint'  # as in diff_drive_controller


def _wheel_speeds(bodies: Wheeled, i: int, message: Any) -> tuple[float, float, float]:  # noqa: ANN401
    """Return the command of a sensor_msgs/JointState: speeds of the two wheels (rad/s)."""
    speeds = dict(zip(message.name, message.velocity, strict=False))
    if not speeds.keys() >= {*WHEEL_JOINTS}:
        raise InputError(f'joint_commands of robot {i}: got velocities of '
                         f'{", ".join(speeds) or "no joint"}, expected those of '
                         f'{" and ".join(WHEEL_JOINTS)}')
    left, right = (float(bodies.wheel_radius[i] * speeds[name]) for name in WHEEL_JOINTS)
    return 0.5 * (left + right), 0.0, (right - left) / float(bodies.wheel_distance[i])


DIFFERENTIAL = Drive('wheels', 'two driven wheels', message=Message(
    topics.JOINT_COMMANDS, _wheel_speeds, beside=topics.JOINT_STATES))


# Impulse drive: an impulse along the heading carries the robot (document 000 section 5.6).

IMPULSE = Drive('impulse', 'an impulse along the heading, and wheels that turn it', carried=True)


# Ackermann steering: driven rear wheels and steered front wheels, like a car.

_STEEPEST = 1.5  # rad; of any car


class _AckermannKeys(NamedTuple):
    """Keys of a body with steered wheels."""

    wheelbase: Wheelbase = 0.0
    max_steering_angle: Annotated[float, Param(
        'rad', 'largest angle of the front wheels, to the left and right.', minimum=0.0,
        open_minimum=True, maximum=_STEEPEST)] = 0.6


def _curvature(angle: float, wheelbase: float) -> float:
    """Return the curvature (1/m) of the rear axle's path: tan(angle)/wheelbase.

    The kinematic bicycle model (S. M. LaValle, Planning Algorithms, 2006, section 13.1.2.1).
    """
    sine, cosine = sincos(angle)
    return sine / cosine / wheelbase


def _ackermann_numbers(wheel_distance: float, keys: _AckermannKeys) -> tuple[float, float]:
    """Return the greatest curvature (1/m), and the wheelbase (m)."""
    wheelbase = keys.wheelbase or wheel_distance
    return _curvature(keys.max_steering_angle, wheelbase), wheelbase


def _ackermann_drive(bodies: Wheeled, i: int, message: Any) -> tuple[float, float, float]:  # noqa: ANN401
    """Return the command of an ackermann_msgs/AckermannDriveStamped: speed and steering angle.

    The angle is that of the bicycle's front wheel, positive to the left. What the message says of
    acceleration, jerk and the speed of steering is left out.
    """
    speed, angle = message.drive.speed, message.drive.steering_angle
    angle = min(max(angle, -_STEEPEST), _STEEPEST)
    return speed, 0.0, speed * _curvature(angle, bodies.numbers[i, 1])


@njit
def _ackermann_twist(v: float, omega: float, max_curvature: float, half_track: float,
                     rim_speed: float) -> tuple[float, float]:
    """Return the (v, omega) that steered wheels allow (single-track model).

    The origin of the robot is the middle of its rear axle. The curvature omega/v is clamped to
    what the steering allows, then the speed to what the outer rear wheel reaches on that curve.
    Such a robot does not turn on the spot: v = 0 is (0, 0), whatever omega is. Backwards (v < 0),
    too, omega is the turn rate of the robot: the wheels are steered the other way.

    Parameters
    ----------
    v : forward speed (m/s)
    omega : turn rate (rad/s), positive to the left
    max_curvature : tan(greatest steering angle)/wheelbase (1/m)
    half_track : half the distance between the rear wheels (m)
    rim_speed : greatest speed of a wheel's rim (m/s)

    """
    if v == 0.0:
        return 0.0, 0.0
    asked = omega / v
    curvature = min(max(asked, -max_curvature), max_curvature)
    longest = 1.0 + abs(curvature) * half_track  # way of the outer wheel / way of the origin
    if abs(v) * longest > rim_speed:
        v = math.copysign(rim_speed / longest, v)
        return v, v * curvature
    return v, omega if curvature == asked else v * curvature


@njit_inline
def _steered_twist(bodies: Wheeled, i: int, vx: float, _: float,
             omega: float) -> tuple[float, float, float]:
    v, turn = _ackermann_twist(vx, omega, bodies.numbers[i, 0], 0.5 * bodies.wheel_distance[i],
                               bodies.max_wheel_speed[i] * bodies.wheel_radius[i])
    return v, 0.0, turn


ACKERMANN = Drive(
    'ackermann',
    'driven rear wheels and steered front wheels',
    _AckermannKeys(),
    _ackermann_numbers,
    _steered_twist,
    steered=True,
    message=Message(topics.DRIVE, _ackermann_drive),
)


# Signs of the speed to the left, and of the turn rate times reach, in the speed of each wheel.
_LATERAL = (-1.0, 1.0, 1.0, -1.0)
_TURN = (-1.0, 1.0, -1.0, 1.0)


class _OmnidirectionalKeys(NamedTuple):
    """Keys of an omnidirectional body."""

    wheelbase: Wheelbase = 0.0


def _reach(wheel_distance: float, keys: _OmnidirectionalKeys) -> tuple[float]:
    """Return the reach: half the track plus half the wheelbase (m)."""
    return 0.5 * (wheel_distance + (keys.wheelbase or wheel_distance)),


@njit_inline
def _mecanum_wheel(bodies: Wheeled, i: int,
           k: int) -> tuple[float, float, float, float, float, float, float]:
    reach = bodies.numbers[i, 0]
    return (1.0, _LATERAL[k], _TURN[k] * reach,
            0.25, 0.25 * _LATERAL[k], 0.25 * _TURN[k], reach)


OMNIDIRECTIONAL = Drive('omnidirectional', 'four Mecanum wheels', _OmnidirectionalKeys(), _reach,
                        wheels=4, wheel=_mecanum_wheel, sideways=True)

DRIVE = (DIFFERENTIAL, IMPULSE, ACKERMANN, OMNIDIRECTIONAL)

# Two wheels have number 0, then come the others by name.
DRIVES: tuple[Drive, ...] = tuple(sorted(
    records_of(__package__, 'DRIVE'),
    key=lambda drive: (drive is not DIFFERENTIAL, drive.name)))
NAMES = tuple(drive.name for drive in DRIVES)
MOST_NUMBERS = max(1, *(len(drive.numbers(1.0, drive.keys)) for drive in DRIVES))
WHEELS = tuple(drive.wheels for drive in DRIVES)
STEERED = tuple(drive.steered for drive in DRIVES)
SIDEWAYS = tuple(drive.sideways for drive in DRIVES)
# How many of the wheels have equations of their own; 0: two wheels side by side.
COUNTED = tuple(0 if drive.wheel is None else drive.wheels for drive in DRIVES)


def drive_of(name: str) -> Drive:
    """Return the drive of a name."""
    return DRIVES[NAMES.index(name)]


@cache
def own_specs() -> tuple[Spec, ...]:
    """Return the declarations of keys that only some drives have, each with their names."""
    users: dict[Spec, list[str]] = {}
    for drive in DRIVES:
        for spec in specs_of(type(drive.keys)):
            users.setdefault(spec, []).append(f'`{drive.name}`')
    return tuple(spec._replace(text=f'With {" and ".join(names)}: {spec.text}')
                 for spec, names in users.items())


def messages_of(bodies: Wheeled, robots: Iterable[int],
                published: Container[str]) -> dict[int, Message]:
    """Return what else than `cmd_vel` commands these robots over ROS, by robot.

    ``published``: names of topics that a simulator of these bodies publishes.
    """
    messages = {i: DRIVES[bodies.drive[i]].message for i in robots}
    return {i: each for i, each in messages.items() if each is not None and (
        each.beside is None or each.beside.resolve(i, len(bodies.drive)) in published)}


@njit_inline
def _side_by_side(bodies: Wheeled, i: int,
                  k: int) -> tuple[float, float, float, float, float, float, float]:
    """Return the equations of the left and the right wheel, as ``Drive.wheel`` does."""
    sign, distance = 2.0 * k - 1.0, bodies.wheel_distance[i]
    return 1.0, 0.0, sign * 0.5 * distance, 0.5, 0.0, sign, distance


@njit_inline
def _each_for_itself(bodies: Wheeled, i: int, vx: float, vy: float,
                     omega: float) -> tuple[float, float, float]:
    """Return the command but for vy: two wheels saturate later, as their motors do."""
    return vx, 0.0, omega


def _together(wheel: Any, wheels: int) -> Any:  # noqa: ANN401 - compiled functions
    """Return a ``Drive.limited`` that slows down all wheels by one factor.

    Where the fastest would be too fast: the path stays what was asked for.
    """
    @njit_inline
    def limited(bodies: Wheeled, i: int, vx: float, vy: float,
                omega: float) -> tuple[float, float, float]:
        fastest, reached = 0.0, bodies.max_wheel_speed[i] * bodies.wheel_radius[i]
        for k in range(wheels):
            a, b, c, _, _, _, _ = wheel(bodies, i, k)
            fastest = max(fastest, abs(a * vx + b * vy + c * omega))
        if fastest > reached:
            factor = reached / fastest
            return vx * factor, vy * factor, omega * factor
        return vx, vy, omega
    return limited


def _limited_of(drive: Drive) -> Any:  # noqa: ANN401
    if drive.limited is not None:
        return drive.limited
    return _each_for_itself if drive.wheel is None else _together(drive.wheel, drive.wheels)


def _or_limited(number: int, own: Any, others: Any) -> Any:  # noqa: ANN401 - compiled functions
    @njit_inline
    def limited(bodies: Any, i: int, vx: float, vy: float,  # noqa: ANN401
                omega: float) -> tuple[float, float, float]:
        if bodies.drive[i] == number:
            return own(bodies, i, vx, vy, omega)  # type: ignore[no-any-return]
        return others(bodies, i, vx, vy, omega)  # type: ignore[no-any-return]
    return limited


def _or_wheel(number: int, own: Any, others: Any) -> Any:  # noqa: ANN401
    @njit_inline
    def wheel(bodies: Any, i: int, k: int) -> Any:  # noqa: ANN401
        if bodies.drive[i] == number:
            return own(bodies, i, k)
        return others(bodies, i, k)
    return wheel


def _chosen() -> tuple[Any, Any]:
    """Return ``Drive.limited`` and ``Drive.wheel`` of whatever drive robot ``i`` has.

    The numbers of the drives become constants of a chain of comparisons, which LLVM makes a table
    of; a table of functions could not be inlined.
    """
    limited, wheel = _each_for_itself, _side_by_side
    for number, drive in enumerate(DRIVES[1:], 1):
        limited = _or_limited(number, _limited_of(drive), limited)
        if drive.wheel is not None:
            wheel = _or_wheel(number, drive.wheel, wheel)
    return limited, wheel


limited_twist, wheel_equation = _chosen()
