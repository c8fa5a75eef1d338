# SPDX-License-Identifier: Apache-2.0
"""Fast2D: the simulator as an engine for a host program (document 004).

The functions of section 7.4.3, with the document's names and argument order, act on one world of
this process; ``Fast2D`` objects are worlds of their own. Where C writes through pointers, a
function returns: ``webots_fast2d_object_get_transform`` returns (x, y, angle). The names that
section 7.4.5 uses instead are aliases, and section 7.4.2's robot_add_sensor is a function of its
own (docs/errata.md F1).
"""

from __future__ import annotations

from sbot_sim.fast2d.scene import ObjectRef, RobotRef, SensorRef, SolidRef
from sbot_sim.fast2d.world import Fast2D

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

WORLD = Fast2D()  # the world of these functions

webots_fast2d_init = WORLD.init
webots_fast2d_cleanup = WORLD.cleanup
webots_fast2d_step = WORLD.step
webots_fast2d_create_robot = WORLD.create_robot
webots_fast2d_create_solid = WORLD.create_solid
webots_fast2d_add_object = WORLD.add_object
webots_fast2d_create_irsensor = WORLD.create_irsensor
webots_fast2d_sensor_get_activation = WORLD.sensor_get_activation
webots_fast2d_object_set_bounding_rectangle = WORLD.object_set_bounding_rectangle
webots_fast2d_object_set_bounding_radius = WORLD.object_set_bounding_radius
webots_fast2d_object_set_mass = WORLD.object_set_mass
webots_fast2d_object_set_position = WORLD.object_set_position
webots_fast2d_object_set_angle = WORLD.object_set_angle
webots_fast2d_robot_set_speed = WORLD.robot_set_speed
webots_fast2d_robot_set_angular_speed = WORLD.robot_set_angular_speed
webots_fast2d_object_get_transform = WORLD.object_get_transform
webots_fast2d_robot_add_sensor = WORLD.robot_add_sensor  # section 7.4.2

# Other names of the document for the same functions.
webots_fast2d_object_set_bounding_polygon = webots_fast2d_object_set_bounding_rectangle
webots_create_irsensor = webots_fast2d_create_irsensor
