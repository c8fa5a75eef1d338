# SPDX-License-Identifier: Apache-2.0
"""Registry of drives: the modules beside this one, and one compiled function for all of them."""

from __future__ import annotations

from collections.abc import Container, Iterable
from functools import cache
from typing import Any

from sbot_common.compiled.jit import njit_inline
from sbot_common.params import Spec, specs_of
from sbot_common.topics import resolve
from sbot_common.user_code import records_of
from sbot_sim.drives.record import Drive, Message, Wheeled
from sbot_sim.drives.shipped import DIFFERENTIAL as TWO_WHEELS

# Two wheels have number 0, then come the others by name.
DRIVES: tuple[Drive, ...] = tuple(sorted(
    records_of(__package__, 'DRIVE'),
    key=lambda drive: (drive is not TWO_WHEELS, drive.name)))
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
        each.beside is None or resolve(each.beside, i, len(bodies.drive)) in published)}


def users_of(key: str) -> list[str]:
    """Return the names of the drives that have a key; none: every body has it, or no body."""
    return [drive.name for drive in DRIVES if key in drive.keys._fields]


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
