# SPDX-License-Identifier: Apache-2.0
"""Handles of a Fast2D world: what a host holds of its robots, solids and sensors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import islice
from numbers import Real

import numpy as np

from sbot_common.errors import bad_value
from sbot_sim.fast2d.scene import FARTHEST, Object, Sensor

# Arguments of Fast2D's functions, checked: finite numbers, places, rays and their weights.

PREFIX = 'webots_fast2d_'  # of the functions' names
MOST_RAYS = 10_000  # of a sensor
_WEIGHTS_SUM = 1e-9  # how far from 1


def number(name: str, what: str, value: float) -> float:
    """Return a finite number."""
    try:
        single = isinstance(value, Real) or (
            not isinstance(value, str | bytes) and np.shape(value) == ())
        found = float(value) if single else math.nan
    except Exception:  # an int beyond doubles, or whatever a user's class raises
        found = math.nan
    if not math.isfinite(found):
        raise bad_value(f'{PREFIX}{name}: {what}', value, 'a finite number')
    return found


def coordinate(name: str, what: str, value: float) -> float:
    """Return a number of metres that doubles resolve well enough."""
    metres = number(name, what, value)
    if not abs(metres) <= FARTHEST:
        raise bad_value(f'{PREFIX}{name}: {what}', value, f'a number up to {FARTHEST:g} (m)')
    return metres


def ray_count(name: str, num_rays: int) -> int:
    """Return a sensor's number of rays, checked: before any list of so many numbers is read."""
    if isinstance(num_rays, bool) or not isinstance(num_rays, int | np.integer) or (
            not 1 <= num_rays <= MOST_RAYS):
        raise bad_value(f'{PREFIX}{name}: num_rays', num_rays,
                        f'a whole number from 1 to {MOST_RAYS}')
    return int(num_rays)


def checked_weights(name: str, num_rays: int, ray_weights: Sequence[float]) -> tuple[float, ...]:
    """Return the weights of the rays, checked."""
    count = ray_count(name, num_rays)
    try:
        given = list(islice(ray_weights, count + 1))
    except TypeError:
        raise bad_value(f'{PREFIX}{name}: ray_weights', ray_weights,
                        f'{count} numbers, one per ray') from None
    weights = tuple(number(name, 'ray_weights', weight) for weight in given)
    if len(weights) != count:
        raise bad_value(f'{PREFIX}{name}: ray_weights', weights, f'{count} numbers, one per ray')
    if min(weights) < 0.0 or abs(math.fsum(weights) - 1.0) > _WEIGHTS_SUM:
        raise bad_value(f'{PREFIX}{name}: ray_weights', weights, 'numbers >= 0 with the sum 1')
    return weights


ROBOT_MASS = 1.0  # kg, of a robot whose mass the host does not set (docs/errata.md F4)


class _Ref:
    __slots__ = ('_name',)

    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return f'<{self._name}>'


class ObjectRef(_Ref):
    """Handle of a robot or a solid."""

    __slots__ = ()


class RobotRef(ObjectRef):
    """Handle of a robot."""

    __slots__ = ()


class SolidRef(ObjectRef):
    """Handle of a solid: anything that does not move by itself."""

    __slots__ = ()


class SensorRef(_Ref):
    """Handle of an infra-red sensor."""

    __slots__ = ()


class Handles:
    """The objects and sensors of a world by their handles."""

    def __init__(self) -> None:
        self._objects: dict[ObjectRef, Object] = {}
        self._robots = 0  # of the objects
        self._sensors: dict[SensorRef, tuple[Object, Sensor]] = {}

    def new_robot(self) -> RobotRef:
        """Return the handle of a new robot."""
        name = f'robot {self._robots}'
        self._robots += 1
        reference = RobotRef(name)
        self._objects[reference] = Object(name, True, ROBOT_MASS)
        return reference

    def new_solid(self) -> SolidRef:
        """Return the handle of a new solid."""
        name = f'solid {len(self._objects) - self._robots}'
        reference = SolidRef(name)
        self._objects[reference] = Object(name, False, math.inf)
        return reference

    def new_sensor(self, body: Object, sensor: Sensor) -> SensorRef:
        """Return the handle of a sensor that a robot carries from now on."""
        reference = SensorRef(f'sensor {len(body.sensors)} of {body.name}')
        body.sensors.append(sensor)
        self._sensors[reference] = body, sensor
        return reference

    def give(self, reference: SensorRef, body: Object) -> None:
        """Let another robot carry a sensor."""
        before, sensor = self._sensors[reference]
        if body is not before:
            before.sensors = [other for other in before.sensors if other is not sensor]
            body.sensors.append(sensor)
            self._sensors[reference] = body, sensor

    def get(self, reference: object) -> Object | None:
        """Return the object of a handle; None if it is none of this world's."""
        return self._objects.get(reference) if isinstance(reference, ObjectRef) else None

    def find(self, name: str, reference: object) -> Object:
        """Return the object of a handle that a function got; InputError for anything else."""
        body = self.get(reference)
        if body is None:
            raise bad_value(f'{PREFIX}{name}: object', reference, 'a robot or solid of this world')
        return body

    def sensor(self, name: str, reference: object) -> tuple[Object, Sensor]:
        """Return a sensor and its robot; InputError for anything but a sensor's handle."""
        found = self._sensors.get(reference) if isinstance(reference, SensorRef) else None
        if found is None:
            raise bad_value(f'{PREFIX}{name}: sensor', reference, 'a sensor of this world')
        return found
