"""Fast2D: the simulator as an engine for a host program (document 004).

The functions of section 7.4.3, with the document's names and argument order, act on one world of
this process; ``Fast2D`` objects are worlds of their own. Where C writes through pointers, a
function returns: ``webots_fast2d_object_get_transform`` returns (x, y, angle). The names that
section 7.4.5 and 7.4.2 use instead are aliases (docs/errata.md F1).
"""

from __future__ import annotations

from collections.abc import Sequence

from sbot_sim.fast2d.world import Fast2D, ObjectRef, RobotRef, SensorRef, SolidRef

__all__ = [
    'Fast2D', 'ObjectRef', 'RobotRef', 'SensorRef', 'SolidRef', 'webots_create_irsensor',
    'webots_fast2d_add_object', 'webots_fast2d_cleanup', 'webots_fast2d_create_irsensor',
    'webots_fast2d_create_robot', 'webots_fast2d_create_solid', 'webots_fast2d_init',
    'webots_fast2d_object_get_transform', 'webots_fast2d_object_set_angle',
    'webots_fast2d_object_set_bounding_polygon', 'webots_fast2d_object_set_bounding_radius',
    'webots_fast2d_object_set_bounding_rectangle', 'webots_fast2d_object_set_mass',
    'webots_fast2d_object_set_position', 'webots_fast2d_robot_add_sensor',
    'webots_fast2d_robot_set_angular_speed', 'webots_fast2d_robot_set_speed',
    'webots_fast2d_sensor_get_activation', 'webots_fast2d_step',
]

_world = Fast2D()


def webots_fast2d_init() -> None:
    """Begin the world; nothing else may be called before."""
    _world.init()


def webots_fast2d_cleanup() -> None:
    """End the world; nothing but ``webots_fast2d_init`` may be called after."""
    _world.cleanup()


def webots_fast2d_step(dt: float) -> None:
    """Go on by ``dt`` seconds (> 0)."""
    _world.step(dt)


def webots_fast2d_create_robot() -> RobotRef:
    """Return a new robot."""
    return _world.create_robot()


def webots_fast2d_create_solid() -> SolidRef:
    """Return a new solid."""
    return _world.create_solid()


def webots_fast2d_add_object(object: ObjectRef) -> None:
    """Put an object into the world, once its shape, place and mass are set."""
    _world.add_object(object)


def webots_fast2d_create_irsensor(robot: RobotRef, xpos: float, ypos: float, angle: float,
                                  range: float, aperture: float, numRays: int,
                                  rayWeights: Sequence[float]) -> SensorRef:
    """Return a new sensor at (xpos, ypos) (m), angle (rad) of a robot, in the robot's frame.

    See ``Fast2D.create_irsensor``.
    """
    return _world.create_irsensor(robot, xpos, ypos, angle, range, aperture, numRays, rayWeights)


def webots_fast2d_sensor_get_activation(sensor: SensorRef) -> float:
    """Return the weighted average of the distances along a sensor's rays (m)."""
    return _world.sensor_get_activation(sensor)


def webots_fast2d_object_set_bounding_rectangle(object: ObjectRef, x: Sequence[float],
                                                y: Sequence[float]) -> None:
    """Make an object rectangular: four corners (m), counter-clockwise, in its frame."""
    _world.object_set_bounding_rectangle(object, x, y)


def webots_fast2d_object_set_bounding_radius(object: ObjectRef, radius: float) -> None:
    """Make an object circular (m)."""
    _world.object_set_bounding_radius(object, radius)


def webots_fast2d_object_set_mass(object: ObjectRef, mass: float) -> None:
    """Set an object's mass (kg); negative: infinitely heavy."""
    _world.object_set_mass(object, mass)


def webots_fast2d_object_set_position(object: ObjectRef, xpos: float, ypos: float) -> None:
    """Set where an object begins (m), in the world's frame."""
    _world.object_set_position(object, xpos, ypos)


def webots_fast2d_object_set_angle(object: ObjectRef, angle: float) -> None:
    """Set the angle at which an object begins (rad), counter-clockwise from x."""
    _world.object_set_angle(object, angle)


def webots_fast2d_robot_set_speed(robot: RobotRef, dx: float, dy: float) -> None:
    """Set a robot's speed (m/s), a vector in the world's frame."""
    _world.robot_set_speed(robot, dx, dy)


def webots_fast2d_robot_set_angular_speed(object: RobotRef, da: float) -> None:
    """Set a robot's angular speed (rad/s)."""
    _world.robot_set_angular_speed(object, da)


def webots_fast2d_object_get_transform(object: ObjectRef) -> tuple[float, float, float]:
    """Return x, y (m), angle (rad) of an object in the world's frame."""
    return _world.object_get_transform(object)


webots_fast2d_object_set_bounding_polygon = webots_fast2d_object_set_bounding_rectangle
webots_create_irsensor = webots_fast2d_create_irsensor
webots_fast2d_robot_add_sensor = webots_fast2d_create_irsensor
