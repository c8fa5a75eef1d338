"""Omnidirectional drive: four Mecanum wheels.

Wheels are numbered front left, front right, rear left, rear right (Taheri, Qiao, Ghaeminezhad,
Kinematic Model of a Four Mecanum Wheeled Mobile Robot, 2015).
"""

from __future__ import annotations

from typing import NamedTuple

from sbot_common.compiled.jit import njit_inline
from sbot_sim.drives.record import Drive, Wheelbase, Wheeled

# Signs of the speed to the left, and of the turn rate times reach, in the speed of each wheel.
_LATERAL = (-1.0, 1.0, 1.0, -1.0)
_TURN = (-1.0, 1.0, -1.0, 1.0)


class Keys(NamedTuple):
    """Keys of an omnidirectional body."""

    wheelbase: Wheelbase = 0.0


def _numbers(wheel_distance: float, keys: Keys) -> tuple[float]:
    """Return the reach: half the track plus half the wheelbase (m)."""
    return 0.5 * (wheel_distance + (keys.wheelbase or wheel_distance)),


@njit_inline
def _wheel(bodies: Wheeled, i: int,
           k: int) -> tuple[float, float, float, float, float, float, float]:
    reach = bodies.numbers[i, 0]
    return (1.0, _LATERAL[k], _TURN[k] * reach,
            0.25, 0.25 * _LATERAL[k], 0.25 * _TURN[k], reach)


DRIVE = Drive('omnidirectional', 'four Mecanum wheels', Keys(), _numbers, wheels=4,
              wheel=_wheel, sideways=True)
