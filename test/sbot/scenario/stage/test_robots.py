import math

import numpy as np
import pytest

from sbot.runner.loop import run_scenario
from sbot.scenario.load import load_scenario


def load(tmp_path, text, overrides=None):
    path = tmp_path / 'a.world'
    path.write_text(text)
    return load_scenario(str(path), overrides)


def body(tmp_path, text):
    return next(iter(load(tmp_path, f'define rob position ( {text} )\nrob ( )').bodies.values()))


def test_size_origin_and_mass(tmp_path):
    shape = body(tmp_path, 'size [0.44 0.38 0.22] origin [-0.04 0 0 0] mass 23')
    assert (shape.name, shape.drive, shape.mass) == ('rob', 'wheels', 23)
    assert (shape.length, shape.width, shape.offset) == (0.44, 0.38, -0.04)
    assert shape.wheel_distance == 0.38
    assert body(tmp_path, '').length == 0.4  # Stage's default


@pytest.mark.parametrize(('drive', 'name'), [('diff', 'wheels'), ('omni', 'omnidirectional'),
                                             ('car', 'ackermann')])
def test_drives(tmp_path, drive, name):
    shape = body(tmp_path, f'drive "{drive}" wheelbase 0.3')
    assert shape.drive == name
    assert shape.of_drive.get('wheelbase') == (0.3 if drive == 'car' else None)


@pytest.mark.parametrize('drive', ['diff', 'omni'])
def test_every_command_within_the_bounds_is_driven(tmp_path, drive):
    class Fast:
        def step(self, observation, rng):
            return 0.5, math.pi / 2

    path = tmp_path / 'a.world'
    path.write_text(f'position ( drive "{drive}" '
                    'velocity_bounds [-0.5 0.5 -0.5 0.5 0 0 -90 90] )')
    import sbot
    scenario = sbot.load(str(path))
    values = {**scenario.source.data, 'duration': 1.0}
    values['robots'] = [{**values['robots'][0], 'controller': Fast}]
    poses = run_scenario(sbot.load(values)).poses
    assert poses[-1, 0, 2] - poses[1, 0, 2] == pytest.approx(0.9 * math.pi / 2)


def test_a_round_robot_of_many_corners_is_a_disc(tmp_path):
    turns = [k * math.pi / 8 for k in range(16)]
    points = ' '.join(f'point[{k}] [{math.cos(turn):.3f} {math.sin(turn):.3f}]'
                      for k, turn in enumerate(turns))
    shape = body(tmp_path, f'size [0.33 0.33 0.1] block ( points 16 {points} )')
    assert not shape.is_rectangle
    assert shape.radius == pytest.approx(0.165)


def test_bodies_that_differ_have_names_of_their_own(tmp_path):
    scenario = load(tmp_path, 'define robot position ( size [1 1 1] )\nrobot ( )\n'
                    'robot ( pose [3 0 0 0] )\nrobot ( pose [6 0 0 0] size [0.5 1 1] )')
    assert [robot.body for robot in scenario.robots] == ['robot-2', 'robot-2', 'robot-3']


def test_the_first_sensor_of_the_ranger_with_most_samples(tmp_path, caplog):
    scenario = load(tmp_path, """
define sonar ranger ( sensor ( pose [0.1 0 0 90] ) sensor ( pose [0.2 0 0 0] ) )
define sick ranger ( pose [0.1 0 0 90] origin [0.05 0 0 0]
  sensor ( pose [0.02 0 0 0] range [0.1 8] fov 180 samples 361 noise [0.0004 0 0] ) )
position ( sonar ( ) sick ( ) )
position ( pose [5 0 0 0] sick ( ) )
""")
    scan = scenario.sensors.scan
    assert (scan.scan_beams, scan.scan_range_min, scan.scan_range_max) == (361, 0.1, 8)
    assert (scan.scan_angle_min, scan.scan_angle_max) == pytest.approx((-math.pi / 2, math.pi / 2))
    # The sensor is 0.07 m along an axis that points to the robot's left.
    assert (scan.laser_x, scan.laser_y, scan.laser_yaw) == pytest.approx((0.1, 0.07, math.pi / 2))
    assert scan.scan_noise_std == pytest.approx(0.02)  # Stage's number is a variance
    assert scan.scan_sees_robots
    assert 'a.world:2: sonar: only its first sensor is read' in caplog.text
    assert 'a.world:2: a robot has one laser here' in caplog.text


def test_lasers_that_differ_are_named(tmp_path, caplog):
    load(tmp_path, 'position ( laser ( samples 9 ) )\n'
         'position ( pose [3 0 0 0]\nlaser ( samples 5 ) )')
    assert 'a.world:3: all robots have one kind of laser here' in caplog.text


def test_the_laser_model_of_older_worlds(tmp_path):
    scan = load(tmp_path, 'position ( laser ( range_max 12 fov 270 samples 91 '
                'pose [0.1 0 0 0] ) )').sensors.scan
    assert (scan.scan_beams, scan.scan_range_max, scan.laser_x) == (91, 12, 0.1)
    scan = load(tmp_path, 'position ( laser ( ) )').sensors.scan
    assert (scan.scan_beams, scan.scan_range_max) == (180, 8)


def test_no_laser_at_all_is_one_beam(tmp_path, caplog):
    assert load(tmp_path, 'position ( )').sensors.scan.scan_beams == 1
    assert 'base_scan has one beam' in caplog.text


@pytest.mark.parametrize(('text', 'noise'), [
    ('', 0.0), ('localization "gps" odom_error [0.1 0.1 0 0.1]', 0.0),
    ('localization "odom"', 0.05 / math.sqrt(6)),
    ('localization "odom" odom_error [0.12 0 0 0.06]', 0.12 / math.sqrt(6)),
    ('localization "odom" odom_error [0 0 0]', 0.0)])
def test_odometry(tmp_path, text, noise):
    scenario = load(tmp_path, f'position ( {text} )')
    assert scenario.sensors.odometry.odometry_noise_radius == pytest.approx(noise)


def test_errors_of_odometry_are_as_large_as_stages():
    # Straight ahead, a robot of two wheels: the mean of two normal errors against an even one.
    width, rng = 0.12, np.random.default_rng(841)
    stage = rng.uniform(-width / 2, width / 2, 200_000).std()
    ours = rng.normal(0, width / math.sqrt(6), (200_000, 2)).mean(axis=1).std()
    assert ours == pytest.approx(stage, rel=0.01)


@pytest.mark.parametrize(('text', 'expected'), [
    ('velocity [1 0 0 0]', 'velocity has no effect'),
    ('acceleration_bounds [-1 1 0 0 0 0 -90 90]', 'acceleration_bounds has no effect'),
    ('velocity_bounds [-0.2 1 0 0 0 0 -90 90]', 'as fast backwards as forwards'),
    ('origin [0 0 0 30]', 'only quarters of a turn'),
    ('origin [0 0.1 0 0]', 'to the side'),
    ('bitmap "x.png"', 'is the rectangle of its size'),
    ('obstacle_return 0', 'robots are solid here'),
    ('drive "car"', 'not the steering angle'),
    ('pose [1 2 90]', 'as in Stage 2'),
    ('position ( )', 'a position on a position is not supported'),
    ('model ( )', 'a model on a robot is not supported'),
    ('ranger ( scount 2 spose[0] [0 0 0] )', 'rangers as in Stage 3 are not supported'),
    ('ranger ( sensor ( noise [0.1 0.1 0] ) )', 'only its first number, a variance'),
])
def test_what_a_robot_cannot_have_is_said(tmp_path, caplog, text, expected):
    load(tmp_path, f'position (\n{text} )')
    lines = [record.getMessage() for record in caplog.records if expected in record.getMessage()]
    assert len(lines) == 1
    assert 'a.world:' in lines[0]


def test_three_numbers_of_a_pose_are_those_of_stage_2(tmp_path):
    assert load(tmp_path, 'position ( pose [1 2 90] )').robots[0].pose == pytest.approx(
        (1, 2, math.pi / 2))
