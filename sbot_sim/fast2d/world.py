# SPDX-License-Identifier: Apache-2.0
"""Fast2D worlds, driven by a host program, and their step (document 004 section 7.4.3)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import islice
from numbers import Real
from types import TracebackType

import numpy as np

from sbot_common.arguments import whole
from sbot_common.arrays import Flags, Floats
from sbot_common.compiled.jit import njit, njit_inner
from sbot_common.errors import InputError, bad_value
from sbot_sim.collision.contacts import body_contact, with_fixed
from sbot_sim.collision.fixed_objects import FixedObjects
from sbot_sim.collision.overlap import TOLERANCE
from sbot_sim.collision.separation import PASSES, separate_bodies
from sbot_sim.fast2d.scene import (
    FARTHEST,
    Indexed,
    ObjectRef,
    RobotRef,
    SensorRef,
    SolidRef,
    activations,
    disc,
    rectangle,
)
from sbot_sim.world.bodies import Shapes, boxes_at, centres

# Arguments of Fast2D's functions, checked: finite numbers, places, rays and their weights.

_PREFIX = 'webots_fast2d_'  # of the functions' names
_MOST_RAYS = 10_000  # of a sensor
_WEIGHTS_SUM = 1e-9  # how far from 1


def _number(name: str, what: str, value: float) -> float:
    """Return a finite number."""
    try:
        single = isinstance(value, Real) or (
            not isinstance(value, str | bytes) and np.shape(value) == ())
        found = float(value) if single else math.nan
    except Exception:  # an int beyond doubles, or whatever a user's class raises
        found = math.nan
    if not math.isfinite(found):
        raise bad_value(f'{_PREFIX}{name}: {what}', value, 'a finite number')
    return found


def _coordinate(name: str, what: str, value: float) -> float:
    """Return a number of metres that doubles resolve well enough."""
    metres = _number(name, what, value)
    if not abs(metres) <= FARTHEST:
        raise bad_value(f'{_PREFIX}{name}: {what}', value, f'a number up to {FARTHEST:g} (m)')
    return metres


def ray_count(name: str, num_rays: int) -> int:
    """Return a sensor's number of rays, checked: before any list of so many numbers is read."""
    return whole(f'{_PREFIX}{name}: num_rays', num_rays, 1, _MOST_RAYS)


def _checked_weights(name: str, num_rays: int, ray_weights: Sequence[float]) -> tuple[float, ...]:
    """Return the weights of the rays, checked."""
    count = ray_count(name, num_rays)
    try:
        given = list(islice(ray_weights, count + 1))
    except TypeError:
        raise bad_value(f'{_PREFIX}{name}: ray_weights', ray_weights,
                        f'{count} numbers, one per ray') from None
    weights = tuple(_number(name, 'ray_weights', weight) for weight in given)
    if len(weights) != count:
        raise bad_value(f'{_PREFIX}{name}: ray_weights', weights, f'{count} numbers, one per ray')
    if min(weights) < 0.0 or abs(math.fsum(weights) - 1.0) > _WEIGHTS_SUM:
        raise bad_value(f'{_PREFIX}{name}: ray_weights', weights, 'numbers >= 0 with the sum 1')
    return weights


_ROBOT_MASS = 1.0  # kg, of a robot whose mass the host does not set (docs/errata.md F4)


# Step of Fast2D bodies: free motion, then overlap resolution.

@njit_inner
def _proposed_poses(pose: Floats, speed: Floats, dt: float, farthest: float) -> Floats:
    """Return the objects' poses (N, 3) after ``dt`` (s) at ``speed`` (N, 3) m/s, m/s, rad/s.

    A body that would end beyond ``farthest`` (m), or at no finite place, stays.
    """
    out = np.empty_like(pose)
    for i in range(len(pose)):
        for axis in range(3):
            out[i, axis] = pose[i, axis] + speed[i, axis] * dt
        if not (abs(out[i, 0]) <= farthest and abs(out[i, 1]) <= farthest
                and math.isfinite(out[i, 2])):
            out[i, 0], out[i, 1], out[i, 2] = pose[i, 0], pose[i, 1], pose[i, 2]
    return out


@njit
def _step_bodies(fixed: FixedObjects, shapes: Shapes, pose: Floats, speed: Floats, dt: float,
                 farthest: float) -> tuple[Floats, Flags, Flags]:
    """Return (poses (N, 3) of the objects after ``dt`` seconds, collided, reverted)."""
    proposed = _proposed_poses(pose, speed, dt, farthest)
    return separate_bodies(fixed, shapes, pose, proposed, PASSES)[:3]


@njit
def _first_overlap(fixed: FixedObjects, shapes: Shapes, pose: Floats,
                   tolerance: float) -> tuple[int, int, float]:
    """Return (i, other, depth) of the first overlap deeper than ``tolerance`` (m), i = -1 if none.

    ``other`` is another body, or N + k for fixed object k. All against all: for the first step.
    """
    boxes = boxes_at(shapes, centres(shapes, pose))
    n = len(boxes)
    for i in range(n):
        x, y, radius = boxes[i, 0], boxes[i, 1], shapes.outer_radius[i]
        for j in range(i + 1, n):
            dx, dy, reach = boxes[j, 0] - x, boxes[j, 1] - y, radius + shapes.outer_radius[j]
            if dx * dx + dy * dy < reach * reach:
                depth = body_contact(boxes, i, j, 0.0, 0.0)[0]
                if depth > tolerance:
                    return i, j, depth
        for k in range(len(fixed.boxes)):
            depth = with_fixed(fixed, k, boxes, i, x, y)[0]
            if depth > tolerance:
                return i, n + k, depth
    return -1, -1, 0.0


_LIGHTEST = 1e-100  # kg: lighter than any thing, and its inverse is finite


class Fast2D:
    """A world with the life cycle of document 004 section 7.4.4.

    ``init``, then objects (create, set, add), then steps, then ``cleanup``, and perhaps ``init``
    again. Metres, radians, seconds, kilograms; angles counter-clockwise from x. Positions and
    angles of objects are in the world's frame, those of sensors and corners in the object's.
    The methods have the names of the document without ``webots_fast2d_``; all raise InputError
    for bad numbers, unknown references and calls out of order, and change nothing then.

    As a context manager it does ``init`` and ``cleanup``.
    """

    def __init__(self) -> None:
        self._initialised = False
        self._clear()

    def __enter__(self) -> Fast2D:
        self.init()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.cleanup()

    def _clear(self) -> None:
        self._objects: set[ObjectRef] = set()
        self._robots = 0  # of the objects
        self._sensors: set[SensorRef] = set()
        self._added: list[ObjectRef] = []
        self._running = False  # after the first step
        self._indexed: Indexed | None = None  # the added objects as arrays, when needed
        self._pose: Floats = np.zeros((0, 3))  # of what moves, by row
        self._speed: Floats = np.zeros((0, 3))
        self._measured: Floats | None = None  # by all sensors, at this moment

    # The life cycle.

    def init(self) -> None:
        """Begin a world."""
        if self._initialised:
            raise InputError(f'{_PREFIX}init: a world exists; call {_PREFIX}cleanup first')
        self._initialised = True

    def cleanup(self) -> None:
        """End the world: its handles become invalid."""
        self._check_initialised('cleanup')
        self._clear()
        self._initialised = False

    def step(self, dt: float) -> None:
        """Advance by ``dt`` seconds: robots move at their speeds and push objects in their way."""
        self._check_initialised('step')
        dt = _number('step', 'dt', dt)
        if dt <= 0.0:
            raise bad_value(f'{_PREFIX}step: dt', dt, 'a number > 0 (s)')
        indexed = self._index()
        if not self._running:
            self._check_free(indexed)
            self._running = True
        self._pose, _, _ = _step_bodies(indexed.fixed, indexed.shapes, self._pose, self._speed, dt,
                                        FARTHEST)
        self._measured = None

    # Building a world.

    def create_robot(self) -> RobotRef:
        """Return a new robot; 1 kg, at (0, 0) with angle 0, at rest, until set otherwise."""
        self._check_building('create_robot')
        robot = RobotRef(f'robot {self._robots}', _ROBOT_MASS)
        self._robots += 1
        self._objects.add(robot)
        return robot

    def create_solid(self) -> SolidRef:
        """Return a new solid; infinitely heavy, at (0, 0) with angle 0, until set otherwise."""
        self._check_building('create_solid')
        solid = SolidRef(f'solid {len(self._objects) - self._robots}', math.inf)
        self._objects.add(solid)
        return solid

    def add_object(self, object: ObjectRef) -> None:
        """Put an object, complete but for its sensors, into the world."""
        body = self._settable('add_object', object)
        if body.shape is None:
            raise InputError(f'{_PREFIX}add_object: {body.name} needs a shape; call {_PREFIX}'
                             'object_set_bounding_rectangle or _radius first')
        body.added = True
        self._added.append(body)
        self._forget_index()

    def create_irsensor(self, robot: RobotRef, xpos: float, ypos: float, angle: float,
                        range: float, aperture: float, numRays: int,
                        rayWeights: Sequence[float]) -> SensorRef:
        """Return a new infra-red sensor of a robot; until the first step (docs/errata.md F1, F2).

        Parameters
        ----------
        robot : that carries it
        xpos, ypos, angle : where it is, and the direction of its axis, in the robot's frame
        range : m; what is farther, or nothing at all, is measured as this
        aperture : angle between the first and the last ray (rad), 0 to 2 pi
        numRays : 1 to 10000, evenly from -aperture/2 to aperture/2 about the axis; a single one
            along it
        rayWeights : one for each ray, none negative; their sum is 1 within 1e-9

        """
        name = 'create_irsensor'
        self._check_building(name)
        body = self._find(name, robot)
        if not isinstance(body, RobotRef):
            raise bad_value(f'{_PREFIX}{name}: robot', robot, 'a robot; solids have no sensors')
        x, y = _coordinate(name, 'xpos', xpos), _coordinate(name, 'ypos', ypos)
        turn = _number(name, 'angle', angle)
        reach, width = _number(name, 'range', range), _number(name, 'aperture', aperture)
        if not 0.0 < reach <= FARTHEST:
            raise bad_value(f'{_PREFIX}{name}: range', reach, f'a number > 0 and <= {FARTHEST:g}')
        if not 0.0 <= width <= 2.0 * math.pi:
            raise bad_value(f'{_PREFIX}{name}: aperture', width, 'a number in [0, 2 pi] (rad)')
        weights = _checked_weights(name, numRays, rayWeights)
        self._forget_index()
        sensor = SensorRef(f'sensor {len(body.sensors)} of {body.name}', body, x, y, turn, reach,
                           width, weights)
        body.sensors.append(sensor)
        self._sensors.add(sensor)
        return sensor

    def robot_add_sensor(self, robotRef: RobotRef, sensorRef: SensorRef, x: float, y: float,
                         angle: float) -> None:
        """Put a sensor elsewhere, in a robot's frame; until the first step (docs/errata.md F1).

        Its range, aperture, rays and weights stay.
        """
        name = 'robot_add_sensor'
        self._check_building(name)
        body = self._robot(name, robotRef)
        sensor = self._sensor(name, sensorRef)
        sensor_x, sensor_y = _coordinate(name, 'x', x), _coordinate(name, 'y', y)
        sensor.x, sensor.y, sensor.angle = sensor_x, sensor_y, _number(name, 'angle', angle)
        if body is not sensor.robot:
            sensor.robot.sensors.remove(sensor)
            body.sensors.append(sensor)
            sensor.robot = body
        self._forget_index()

    def object_set_bounding_rectangle(self, object: ObjectRef, x: Sequence[float],
                                      y: Sequence[float]) -> None:
        """Make an object the rectangle of four corners (m), counter-clockwise, in its frame."""
        name = 'object_set_bounding_rectangle'
        self._settable(name, object).shape = rectangle(x, y, _PREFIX + name)

    def object_set_bounding_radius(self, object: ObjectRef, radius: float) -> None:
        """Make an object a disc (m) about its origin."""
        name = 'object_set_bounding_radius'
        body = self._settable(name, object)
        body.shape = disc(_number(name, 'radius', radius), _PREFIX + name)

    def object_set_mass(self, object: ObjectRef, mass: float) -> None:
        """Set an object's mass (kg), by which pushes are shared; negative: infinitely heavy."""
        body = self._settable('object_set_mass', object)
        heavy = isinstance(mass, Real) and mass == math.inf
        value = _number('object_set_mass', 'mass', -1.0 if heavy else mass)
        if value < 0.0:
            value = math.inf
        if value < _LIGHTEST:
            raise bad_value(f'{_PREFIX}object_set_mass: mass', mass,
                            f'a number >= {_LIGHTEST:g} (kg), or < 0 for infinitely heavy')
        body.mass = value

    def object_set_position(self, object: ObjectRef, xpos: float, ypos: float) -> None:
        """Set where an object is (m)."""
        name = 'object_set_position'
        body = self._settable(name, object)
        body.pose[:2] = _coordinate(name, 'xpos', xpos), _coordinate(name, 'ypos', ypos)

    def object_set_angle(self, object: ObjectRef, angle: float) -> None:
        """Set how an object is turned (rad)."""
        body = self._settable('object_set_angle', object)
        body.pose[2] = _number('object_set_angle', 'angle', angle)

    # Any time.

    def robot_set_speed(self, robot: RobotRef, dx: float, dy: float) -> None:
        """Set a robot's speed (m/s) in the world's frame, from now on (docs/errata.md F3)."""
        body = self._robot('robot_set_speed', robot)
        body.speed[:2] = _number('robot_set_speed', 'dx', dx), _number('robot_set_speed', 'dy', dy)

    def robot_set_angular_speed(self, object: RobotRef, da: float) -> None:
        """Set a robot's angular speed (rad/s), counter-clockwise, from now on."""
        body = self._robot('robot_set_angular_speed', object)
        body.speed[2] = _number('robot_set_angular_speed', 'da', da)

    def object_get_transform(self, object: ObjectRef) -> tuple[float, float, float]:
        """Return x, y (m) and angle (rad) of an object; angles are not wrapped."""
        body = self._find('object_get_transform', object)
        if self._indexed is None or body.row < 0:
            x, y, angle = body.pose
        else:
            x, y, angle = self._pose[body.row].tolist()
        return x, y, angle

    def sensor_get_activation(self, sensor: SensorRef) -> float:
        """Return the weighted average of the distances along a sensor's rays (m), as of now."""
        self._check_initialised('sensor_get_activation')
        found = self._sensor('sensor_get_activation', sensor)
        if not found.robot.added:
            raise InputError(f'{_PREFIX}sensor_get_activation: {found.robot.name} is not in the '
                             f'world; call {_PREFIX}add_object first')
        return float(self.activations()[found.row])

    def activations(self) -> Floats:
        """Return the readings (S,) (m) of all sensors of added robots.

        Robot by robot in the order in which they were added; each robot's in that of creation.
        """
        self._check_initialised('activations')
        indexed = self._index()
        if self._measured is None:
            self._measured = activations(indexed.scene, indexed.solids, indexed.shapes,
                                         indexed.sensors, indexed.fans, self._pose)
        return self._measured

    # For hosts that share memory (``c_exports``).

    def moving(self) -> tuple[Floats, Floats]:
        """Return pose and speed (M, 3) of moving objects; speeds may be written to."""
        self._index()
        return self._pose, self._speed

    # Checks, and the arrays.

    def _check_initialised(self, name: str) -> None:
        if not self._initialised:
            raise InputError(f'{_PREFIX}{name}: there is no world; call {_PREFIX}init first')

    def _check_building(self, name: str) -> None:
        self._check_initialised(name)
        if self._running:
            raise InputError(f'{_PREFIX}{name}: the world has been stepped; call it before the '
                             'first step')

    def _find(self, name: str, reference: ObjectRef) -> ObjectRef:
        """Return what a function got, if it is the handle of an object of this world."""
        self._check_initialised(name)
        if not isinstance(reference, ObjectRef) or reference not in self._objects:
            raise bad_value(f'{_PREFIX}{name}: object', reference,
                            'a robot or solid of this world')
        return reference

    def _robot(self, name: str, reference: RobotRef) -> RobotRef:
        body = self._find(name, reference)
        if not isinstance(body, RobotRef):
            raise bad_value(f'{_PREFIX}{name}: robot', reference, 'a robot')
        return body

    def _sensor(self, name: str, reference: SensorRef) -> SensorRef:
        if not isinstance(reference, SensorRef) or reference not in self._sensors:
            raise bad_value(f'{_PREFIX}{name}: sensor', reference, 'a sensor of this world')
        return reference

    def _settable(self, name: str, reference: ObjectRef) -> ObjectRef:
        """Return an object that is being described."""
        self._check_building(name)
        body = self._find(name, reference)
        if body.added:
            raise InputError(f'{_PREFIX}{name}: {body.name} is in the world already; call it '
                             f'before {_PREFIX}add_object')
        return body

    def _forget_index(self) -> None:
        self._indexed, self._measured = None, None

    def _index(self) -> Indexed:
        """Return the arrays of the added objects, made when something was added."""
        if self._indexed is None:
            self._indexed = Indexed.of(self._added)
            moving = [body for body in self._added if body.moves]
            self._pose = np.array([body.pose for body in moving]).reshape(-1, 3)
            self._speed = np.array([body.speed for body in moving]).reshape(-1, 3)
            for body, speed in zip(moving, self._speed, strict=True):
                body.speed = speed
            self._measured = None
        return self._indexed

    def _check_free(self, indexed: Indexed) -> None:
        """Refuse a scene whose objects overlap; fixed solids may (docs/errata.md F4)."""
        i, other, depth = _first_overlap(indexed.fixed, indexed.shapes, self._pose, TOLERANCE)
        if i >= 0:
            who = f'{indexed.names[i]} and {indexed.names[other]}'
            raise InputError(f'{_PREFIX}step: {who} overlap by {depth:.3g} m, '
                             'expected a scene free of overlaps')
