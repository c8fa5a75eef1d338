"""Robots as they are sold: the makers' published numbers, and what a scenario changes."""

import math
from pathlib import Path

import numpy as np
import pytest

from sbot import World, load, run
from sbot.scenario.assemble import robot_bodies
from sbot.scenario.load import parse_scenario
from sbot.scenario.shipped import sold_names, sold_robot

DEGREE = math.pi / 180
INCH = 0.0254
# What the makers' files say, read by hand from the newest versions of November 2026.
BURGER = 'ROBOTIS-GIT/turtlebot3/turtlebot3_description/urdf/turtlebot3_burger.urdf'
WAFFLE = 'ROBOTIS-GIT/turtlebot3/turtlebot3_description/urdf/turtlebot3_waffle.urdf'
TELEOP = 'ROBOTIS-GIT/turtlebot3/turtlebot3_teleop/turtlebot3_teleop/script/teleop_keyboard.py'
LDS = 'ROBOTIS-GIT/hls_lfcd_lds_driver/src/hlds_laser_publisher.cpp'
GAZEBO = 'ROBOTIS-GIT/turtlebot3_simulations/turtlebot3_gazebo/models/turtlebot3_burger/model.sdf'
CREATE = 'iRobotEducation/create3_sim/irobot_create_common/'
TURTLEBOT4 = 'turtlebot/turtlebot4/turtlebot4_description/urdf/'
JACKAL = 'jackal/jackal/jackal_description/urdf/jackal.urdf.xacro'
GYM = 'f1tenth/f1tenth_gym/gym/f110_gym/envs/'
EPUCK = 'gctronic/epuck_driver_cpp/'
THYMIO = 'jeguzzi/ros-thymio/'
STAGE = 'rtv/Stage/worlds/'
PUBLISHED = [  # robot, key, number, source
    ('turtlebot3_burger', 'length', 0.140, BURGER),  # box of base_link
    ('turtlebot3_burger', 'width', 2 * (0.080 + 0.018 / 2), BURGER),  # over the wheels
    ('turtlebot3_burger', 'offset', -0.032, BURGER),
    ('turtlebot3_burger', 'mass', 0.82573504 + 2 * 0.02849894 + 0.005 + 0.114, BURGER),
    ('turtlebot3_burger', 'wheel_distance', 0.160, BURGER),
    ('turtlebot3_burger', 'wheel_radius', 0.033, BURGER),
    ('turtlebot3_burger', 'speed', 0.22, TELEOP),
    ('turtlebot3_burger', 'turn', 2.84, TELEOP),
    ('turtlebot3_burger', 'laser_x', -0.032, BURGER),
    ('turtlebot3_burger', 'scan_beams', 360, LDS),
    ('turtlebot3_burger', 'scan_angle_min', 0.0, LDS),
    ('turtlebot3_burger', 'scan_angle_max', 2 * math.pi - 2 * math.pi / 360, LDS),
    ('turtlebot3_burger', 'scan_range_min', 0.12, LDS),
    ('turtlebot3_burger', 'scan_range_max', 3.5, LDS),
    ('turtlebot3_burger', 'scan_noise_std', 0.01, GAZEBO),
    ('turtlebot3_burger', 'max_acceleration', 1.0, GAZEBO),
    ('turtlebot3_waffle', 'length', 0.266, WAFFLE),
    ('turtlebot3_waffle', 'width', 2 * (0.144 + 0.018 / 2), WAFFLE),
    ('turtlebot3_waffle', 'offset', -0.064, WAFFLE),
    ('turtlebot3_waffle', 'mass', 1.3729096 + 2 * 0.02849894 + 2 * 0.005 + 0.114 + 0.564, WAFFLE),
    ('turtlebot3_waffle', 'wheel_distance', 0.287, 'ROBOTIS-GIT/turtlebot3/turtlebot3_node/param'),
    ('turtlebot3_waffle', 'speed', 0.26, TELEOP),
    ('turtlebot3_waffle', 'turn', 1.82, TELEOP),
    ('turtlebot3_waffle', 'laser_x', -0.064, WAFFLE),
    ('create3', 'radius', 0.164, CREATE + 'irobot_create_description/urdf/create3.urdf.xacro'),
    ('create3', 'wheel_distance', 0.233, CREATE + 'irobot_create_control/config/control.yaml'),
    ('create3', 'wheel_radius', 0.03575, CREATE + 'irobot_create_control/config/control.yaml'),
    ('create3', 'speed', 0.306, CREATE + 'irobot_create_nodes/.../motion_control_node.hpp'),
    ('create3', 'max_acceleration', 0.9, CREATE + 'irobot_create_control/config/control.yaml'),
    ('create3', 'max_angular_acceleration', 7.725, CREATE + '.../config/control.yaml'),
    ('turtlebot4', 'laser_x', -0.04, TURTLEBOT4 + 'standard/turtlebot4.urdf.xacro'),
    ('turtlebot4', 'laser_yaw', math.pi / 2, TURTLEBOT4 + 'standard/turtlebot4.urdf.xacro'),
    ('turtlebot4', 'scan_beams', 640, TURTLEBOT4 + 'sensors/rplidar.urdf.xacro'),
    ('turtlebot4', 'scan_range_min', 0.164, TURTLEBOT4 + 'sensors/rplidar.urdf.xacro'),
    ('turtlebot4', 'scan_range_max', 12.0, TURTLEBOT4 + 'sensors/rplidar.urdf.xacro'),
    ('jackal', 'length', 2 * (0.262 / 2 + 0.098), JACKAL),  # over the wheels
    ('jackal', 'width', 0.37559 + 0.040, JACKAL),
    ('jackal', 'mass', 16.523 + 4 * 0.477, JACKAL),
    ('jackal', 'wheel_distance', 0.37559, JACKAL),
    ('jackal', 'speed', 2.0, 'jackal/jackal/jackal_control/config/control.yaml'),
    ('jackal', 'max_acceleration', 20.0, 'jackal/jackal/jackal_control/config/control.yaml'),
    ('jackal', 'scan_beams', 720, 'clearpathrobotics/LMS1xx/urdf/sick_lms1xx.urdf.xacro'),
    ('jackal', 'scan_range_max', 30.0, 'clearpathrobotics/LMS1xx/urdf/sick_lms1xx.urdf.xacro'),
    ('jackal', 'laser_x', 0.120, JACKAL),
    ('f1tenth', 'wheelbase', 0.15875 + 0.17145, GYM + 'f110_env.py'),
    ('f1tenth', 'offset', 0.17145, GYM + 'f110_env.py'),
    ('f1tenth', 'length', 0.58, GYM + 'f110_env.py'),
    ('f1tenth', 'width', 0.31, GYM + 'f110_env.py'),
    ('f1tenth', 'mass', 3.74, GYM + 'f110_env.py'),
    ('f1tenth', 'max_steering_angle', 0.4189, GYM + 'f110_env.py'),
    ('f1tenth', 'max_acceleration', 9.51, GYM + 'f110_env.py'),
    ('f1tenth', 'speed', 20.0, GYM + 'f110_env.py'),
    ('f1tenth', 'scan_beams', 1080, GYM + 'base_classes.py'),
    ('f1tenth', 'span', 4.7, GYM + 'base_classes.py'),
    ('f1tenth', 'scan_range_max', 30.0, GYM + 'laser_models.py'),
    ('f1tenth', 'laser_x', 0.275, 'f1tenth/f1tenth_simulator/params.yaml'),
    ('f1tenth', 'wheel_distance', 0.2032 + 0.0381, 'f1tenth/f1tenth_simulator/racecar.xacro'),
    ('e-puck', 'radius', 0.035, EPUCK + 'urdf/epuck_urdf.xml'),
    ('e-puck', 'wheel_distance', 0.053, EPUCK + 'src/epuck_driver_cpp.cpp'),
    ('e-puck', 'speed', 1108 * 0.0068 * 0.02, 'cyberbotics/epuck_ros2/.../driver.cpp'),
    ('e-puck', 'scan_beams', 19, EPUCK + 'src/epuck_driver_cpp.cpp'),
    ('e-puck', 'scan_range_max', 0.05 + 0.035, EPUCK + 'src/epuck_driver_cpp.cpp'),
    ('thymio', 'length', (3.1492144 + 1.1811025) * INCH, THYMIO + '.../base_collision.dae'),
    ('thymio', 'width', (2.2010293 + 2.2004882) * INCH, THYMIO + '.../base_collision.dae'),
    ('thymio', 'offset', (3.1492144 - 1.1811025) / 2 * INCH, THYMIO + '.../base_collision.dae'),
    ('thymio', 'wheel_distance', 0.0915, THYMIO + 'thymio_driver/.../thymio_driver_node.py'),
    ('thymio', 'speed', 0.500 / 2.93, THYMIO + 'thymio_driver/.../thymio_driver_node.py'),
    ('thymio', 'span', 2 * 0.64, THYMIO + 'thymio_driver/.../thymio_driver_node.py'),
    ('thymio', 'scan_range_max', 0.14 + 0.08, THYMIO + 'thymio_driver/.../thymio_driver_node.py'),
    ('pioneer2dx', 'length', 0.44, STAGE + 'pioneer.inc'),
    ('pioneer2dx', 'width', 0.38, STAGE + 'pioneer.inc'),
    ('pioneer2dx', 'offset', -0.04, STAGE + 'pioneer.inc'),
    ('pioneer2dx', 'mass', 23.0, STAGE + 'pioneer.inc'),
    ('pioneer2dx', 'speed', 0.5, STAGE + 'pioneer.inc'),
    ('pioneer2dx', 'scan_beams', 180, STAGE + 'sick.inc'),
    ('pioneer2dx', 'span', 180 * DEGREE, STAGE + 'sick.inc'),
    ('pioneer2dx', 'scan_range_max', 8.0, STAGE + 'sick.inc'),
]


def scene(*bodies, **keys):
    robots = [{'pose': [1.5 + 2 * k, 2, 0], 'controller': 'none', 'body': body}
              for k, body in enumerate(bodies)]
    return load({'world': {'bounds': [0, 0, 9, 4]}, 'robots': robots, 'duration': 0.1, **keys})


@pytest.mark.parametrize('name', sorted({row[0] for row in PUBLISHED}))
def test_a_robot_is_as_its_maker_published_it(name):
    scenario = scene(name)
    body, = robot_bodies(scenario)
    scan, = scenario.sensors.lasers_of(body)
    rim = body.max_wheel_speed * body.wheel_radius
    values = {**body._asdict(), **scan._asdict(), **body.of_drive, 'speed': rim,
              'turn': 2 * rim / body.wheel_distance,
              'span': scan.scan_angle_max - scan.scan_angle_min}
    for robot, key, number, source in PUBLISHED:
        if robot == name:
            # Wheels stand for the limit of the turn rate: within a hundredth or so.
            assert values[key] == pytest.approx(number, rel=0.05 if key == 'turn' else 5e-4), (
                key, source)


def test_every_robot_has_its_sources_and_comes_back_from_its_text():
    for name in sold_names():
        sold, scenario = sold_robot(name), scene(name)
        assert sold.text
        assert sold.source
        assert sold.notes
        assert parse_scenario(scenario.to_yaml(), 'again', Path()) == scenario


def test_a_burgers_first_beam_looks_ahead():
    result = run(scene('turtlebot3_burger', sensors={'scan_noise_std': 0.0}), sense=['scan'])
    assert result.scan.shape[2] == 360
    # The laser is 0.032 m behind the axle; it looks ahead, to the left, back and to the right.
    assert result.scan[0, 0, 90::180] == pytest.approx([2.0, 2.0], abs=1e-5)
    assert result.scan[0, 0, 180] == pytest.approx(1.468, abs=1e-5)
    assert np.isinf(result.scan[0, 0, 0])  # 7.5 m are beyond its range
    assert result.scenario.cmd_vel_stamped


def test_a_scenario_changes_a_robot_key_by_key():
    own = {'mine': {'like': 'turtlebot3_burger', 'mass': 2.0, 'sensors': {'scan_beams': 90}}}
    scenario = scene('mine', 'turtlebot3_burger', bodies=own, sensors={'scan_range_max': 2.0})
    beams = [scenario.sensors.lasers_of(body)[0] for body in robot_bodies(scenario)]
    assert [each.scan_beams for each in beams] == [90, 360]
    assert {each.scan_range_max for each in beams} == {2.0}
    assert {each.laser_x for each in beams} == {-0.032}
    assert scenario.bodies['mine'].mass == 2.0
    assert parse_scenario(scenario.to_yaml(), 'again', Path()) == scenario


@pytest.mark.parametrize(('bodies', 'stamped'), [
    (('turtlebot3_burger',), True), (('turtlebot3_burger', 'e-puck'), False), (('robot',), False)])
def test_commands_are_stamped_where_all_drivers_want_it(bodies, stamped):
    assert scene(*bodies).cmd_vel_stamped == stamped
    assert scene(*bodies, cmd_vel_stamped=False).cmd_vel_stamped is False


def test_odometry_errs_by_robot():
    scenario = scene('robot', 'b', bodies={'b': {'sensors': {'odometry_noise_radius': 0.1}}},
                     seed=3)
    noise = [scenario.sensors.of(body).odometry.odometry_noise_radius
             for body in robot_bodies(scenario)]
    assert noise == [0.0, 0.1]
    world = World(scenario)
    for _ in range(20):
        seen = world.step([[0.5, 0.0], [0.5, 0.0]])
    way = seen.odometry[:, 0]
    assert way[0] == pytest.approx(seen.pose[0, 0] - 1.5)
    assert abs(way[1] - way[0]) > 1e-4
