# SPDX-License-Identifier: Apache-2.0
"""Record of a drive: its name, its keys of a body, its limits, and the equations of its wheels.

A new drive is one module with a ``Drive`` called ``DRIVE`` (CONTRIBUTING.md).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from sbot_common.arrays import Floats
from sbot_common.observation import Twist
from sbot_common.params import Param
from sbot_common.topics import Topic

Wheelbase = Annotated[float, Param(
    'm', 'distance from the front to the rear wheels; 0: equal to `wheel_distance`.', minimum=0.0)]


class Wheeled(Protocol):
    """Bodies of N robots with the data that drives need: arrays (N,)."""

    @property
    def wheel_distance(self) -> Floats:
        """Distance between a pair of wheels (m)."""

    @property
    def wheel_radius(self) -> Floats:
        """Radius of the wheels (m)."""

    @property
    def max_wheel_speed(self) -> Floats:
        """Largest speed of a wheel (rad/s)."""

    @property
    def drive(self) -> NDArray[np.int8]:
        """Place in ``DRIVES``."""

    @property
    def numbers(self) -> Floats:
        """The numbers of each robot's drive (N, MOST_NUMBERS), as ``Drive.numbers`` has them."""


class _NoKeys(NamedTuple):
    """The keys of a body that a drive has for itself: none."""


class Message(NamedTuple):
    """Message that commands a robot of a drive, beside `cmd_vel`."""

    topic: Topic
    # Bodies, a robot and the message to (vx, vy, omega): m/s, m/s, rad/s.
    twist: Callable[[Wheeled, int, Any], tuple[float, float, float]]
    beside: Topic | None = None  # it is heard where this is published; None: always

    def read(self, raw: bytes, bodies: Wheeled, i: int) -> Twist:
        """Return the command that the bytes of a message are for robot ``i``.

        Raises
        ------
        DamagedMessage
            if they are none.

        """
        from sbot_common.wire.cdr import decode  # ROS' definitions take a while
        return Twist(*self.twist(bodies, i, decode(raw, self.topic.type)))


class Drive(NamedTuple):
    """Record of a drive: everything that the project needs to know of it.

    ``limited(bodies, i, vx, vy, omega)`` returns the (vx, vy, omega) that robot ``i`` drives.
    ``wheel(bodies, i, k)`` returns the seven numbers a, b, c, p, q, r, lever of its wheel ``k``:
    the rim runs at ``a*vx + b*vy + c*omega``, and an error e (m/s) of the rim's measured speed is
    one of ``(p*e, q*e, r*e/lever)`` of the measured twist: the pseudo-inverse of these equations.
    Both are compiled with ``njit_inline``.
    """

    name: str  # as a body gives it
    text: str  # what moves the robot: part of a sentence
    keys: NamedTuple = _NoKeys()  # a NamedTuple of Param fields at their defaults
    # From the wheel distance (m) and the keys: what the compiled functions need to know.
    numbers: Callable[[float, Any], tuple[float, ...]] = lambda wheel_distance, keys: ()
    limited: Any = None  # None: two wheels each for itself, others together by one factor
    wheels: int = 2  # that odometry counts
    wheel: Any = None  # None: two wheels side by side
    sideways: bool = False  # it obeys vy
    steered: bool = False  # it turns by its steering: on the same curve omega grows as vx does
    carried: bool = False  # an impulse carries the robot, while the wheels only turn it
    message: Message | None = None  # what commands it over ROS, too
