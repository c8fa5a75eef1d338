"""Handles of a Fast2D world: what a host holds of its robots, solids and sensors."""

from __future__ import annotations

import math

from sbot_common.errors import bad_value
from sbot_sim.fast2d.arguments import PREFIX
from sbot_sim.fast2d.scene import Object, Sensor

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
