"""Lasers of Stage's robots: units, defaults, the first sensor of each ranger."""

import math

import numpy as np
import pytest
from PIL import Image

from sbot.files.yaml_text import dump_yaml
from sbot.runner.loop import run_scenario
from sbot.scenario.assemble import robot_bodies
from sbot.scenario.load import load_scenario
from sbot_common.errors import InputError


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
    values = {**sbot.load(str(path)).source.data, 'duration': 1.0}
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


def test_the_first_sensor_of_a_ranger_of_several_beams(tmp_path, caplog):
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
    assert 'a.world:2: a ranger of one beam beside others is left out' in caplog.text


def test_robots_have_their_own_lasers(tmp_path, caplog):
    scenario = load(tmp_path, 'position ( laser ( samples 9 ) localization "odom" )\n'
                    'position ( pose [3 0 0 0] laser ( samples 5 )\n'
                    'laser ( samples 7 pose [0.1 0 0 90] ) )\nposition ( pose [6 0 0 0] )')
    found = [[laser.scan_beams for laser in scenario.sensors.lasers_of(body)]
             for body in robot_bodies(scenario)]
    assert found == [[9], [5, 7], [1]]
    noise = [scenario.sensors.of(body).odometry.odometry_noise_radius
             for body in robot_bodies(scenario)]
    assert noise == [pytest.approx(0.05 / math.sqrt(6)), 0.0, 0.0]
    assert 'base_scan has one beam' in caplog.text


@pytest.mark.parametrize(('text', 'noise'), [
    ('', 0.0), ('localization "gps" odom_error [0.1 0.1 0 0.1]', 0.0),
    ('localization "odom"', 0.05 / math.sqrt(6)),
    ('localization "odom" odom_error [0.12 0 0 0.06]', 0.12 / math.sqrt(6)),
    ('localization "odom" odom_error [0 0 0]', 0.0)])
def test_odometry(tmp_path, text, noise):
    scenario = load(tmp_path, f'position ( {text} )')
    assert scenario.sensors.odometry.odometry_noise_radius == pytest.approx(noise)


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
    ('ranger ( sensor ( noise [0.1 0.1 0] ) )', 'only its first number, a variance')])
def test_what_a_robot_cannot_have_is_said(tmp_path, caplog, text, expected):
    load(tmp_path, f'position (\n{text} )')
    lines = [record.getMessage() for record in caplog.records if expected in record.getMessage()]
    assert len(lines) == 1
    assert 'a.world:' in lines[0]


ROBOT = 'position ( pose [0 0 0 0] )\n'


def bitmap(tmp_path, pixels, name='map.png', mode='L'):
    Image.fromarray(np.array(pixels, np.uint8)).convert(mode).save(tmp_path / name)


def test_time_names_and_what_nobody_waits_for(tmp_path):
    scenario = load(tmp_path, 'interval_sim 20\nquit_time 3\n'
                    'position ( name "r0" pose [1 2 0 90] )\nposition ( pose [5 2 0 0] )')
    assert scenario.rate.hz == 50
    assert scenario.duration == 3
    assert not scenario.lockstep
    assert scenario.description == 'From a.world. Robot 0 is r0.'
    assert scenario.robots[0].pose == pytest.approx((1, 2, math.pi / 2))
    assert {robot.controller for robot in scenario.robots} == {'none'}
    assert load(tmp_path, ROBOT).rate.hz == 10  # Stage's default
    assert load(tmp_path, 'interval_sim 33.3\n' + ROBOT).rate.numerator == 10000


def test_units(tmp_path):
    scenario = load(tmp_path, 'unit_length "cm"\nunit_angle "radians"\n'
                    'position ( pose [100 200 0 1.5] size [40 30 10]\n'
                    'ranger ( pose [2 0 0 1] sensor ( range [10 60] fov 2 samples 9 ) ) )')
    assert scenario.robots[0].pose == (1, 2, 1.5)
    scan = scenario.sensors.scan
    assert (scan.scan_range_min, scan.scan_range_max, scan.scan_angle_max) == (0.1, 0.6, 1.0)
    assert (scan.laser_x, scan.laser_yaw) == (0.02, 1.0)
    assert scenario.bodies['position'].length == pytest.approx(0.4)
    with pytest.raises(InputError, match=r"a\.world:1: unit_length: unknown name 'miles'"):
        load(tmp_path, 'unit_length "miles"\n' + ROBOT)


def test_a_laser_sees_a_model_where_it_stands(tmp_path):
    # A box 1 m long whose centre is 3 m ahead; its origin turns it back.
    scenario = load(tmp_path, 'position ( pose [0 0 0 0] velocity_bounds '
                    '[-1 1 0 0 0 0 -90 90]\n'
                    'ranger ( sensor ( range [0 8] fov 180 samples 3 ) ) )\n'
                    'model ( pose [3 0 0 45] size [1 4 1] origin [0 0 0 -45] )',
                    {'duration': 0.3})
    scans = run_scenario(scenario, sense=['scan']).scan
    assert scans[0, 0].tolist() == pytest.approx([math.inf, 2.5, math.inf])


def test_models_within_models_and_blocks_scaled_to_their_size(tmp_path):
    # Blocks are scaled together: they fill the size, whatever numbers their points have.
    scenario = load(tmp_path, ROBOT + 'model ( noblocks 1 pose [10 0 0 90]\n'
                    'model ( pose [2 0 0 0] size [2 4 1]\n'
                    'block ( points 3 point[0] [0 0] point[1] [10 0] point[2] [0 10] ) ) )')
    corners = scenario.world.polygons[0].corners
    # In its own frame [-1, 1] x [-2, 2]; the child's frame is (2, 0) of a parent turned by 90
    # degrees at (10, 0): at (10, 2), x up, y to the left.
    assert np.array(corners) == pytest.approx(np.array([[12, 1], [12, 3], [8, 1]]))


def test_a_bitmap_is_scaled_by_its_dark_pixels_and_has_a_boundary(tmp_path):
    pixels = np.full((20, 30), 255)
    pixels[5:15, 10] = 0  # the dark pixels alone fill the size
    pixels[5:15, 20] = 127
    pixels[0, 0] = 128  # light
    bitmap(tmp_path, pixels)
    text = 'model ( pose [10 0 0 0] size [11 5 1] bitmap "map.png" boundary {} )\n' + ROBOT
    lines = np.array(load(tmp_path, text.format(0)).world.segments)
    assert len(lines) == 8
    assert lines.reshape(-1, 2).min(axis=0) == pytest.approx([4.5, -2.5])
    assert lines.reshape(-1, 2).max(axis=0) == pytest.approx([15.5, 2.5])
    assert set(lines[:, 0].round(9)) == {4.5, 5.5, 14.5, 15.5}
    assert len(load(tmp_path, text.format(1)).world.segments) == 12
    bitmap(tmp_path, np.full((4, 4), 255))
    assert len(load(tmp_path, text.format(1)).world.segments) == 4
    assert len(load(tmp_path, text.format(0)).world.segments) == 0


def test_a_box_around_a_robot_is_a_wall(tmp_path):
    scenario = load(tmp_path, ROBOT + 'model ( size [8 6 1] )')
    assert not scenario.world.polygons
    assert len(scenario.world.segments) == 4
    assert scenario.world.bounds == (-4.5, -3.5, 4.5, 3.5)
    assert scenario.world.open


def test_what_is_not_supported_is_named_once_with_its_line(tmp_path, caplog):
    load(tmp_path, 'define rob position ( ctrl "wander"\n  blobfinder ( ) )\nrob ( )\n'
         'rob ( pose [3 0 0 0] ctrl "other" gripper ( ) frob 1 )\nrob ( pose [6 0 0 0] frob 2 )\n'
         'model ( pose [0 3 0 0] bitmap_depth 3 )')
    text = caplog.text
    assert text.count('ctrl is not supported') == 1
    assert 'a.world:1: ctrl is not supported' in text
    assert 'a.world:2: blobfinder is not supported and is skipped' in text
    assert 'a.world:4: gripper is not supported and is skipped' in text
    assert text.count('a.world:4: frob of position is not supported and has no effect') == 1
    assert 'a.world:6: bitmap_depth of model is not supported' in text
    assert text.count('blobfinder is') == 1


@pytest.mark.parametrize(('text', 'expected'), [
    ('model ( )', 'a.world: a scenario needs robots'),
    (ROBOT + 'floorplan ( )', "a.world:2: unknown name 'floorplan'"),
    (ROBOT + 'model ( bitmap "no.png" )', "a.world:2: bitmap: got 'no.png', expected an image"),
    (ROBOT + 'model ( bitmap "" )', "a.world:2: bitmap: got '', expected an image file"),
    (ROBOT + 'model (\nsize [1 b] )', 'a.world:3'),
    (ROBOT + 'model (\nsize [1] )', "a.world:3: size: got '1', expected 2 numbers"),
    (ROBOT + 'model (\nsize [-1 1 1] )', 'a.world:3: size: got'),
    (ROBOT + 'model ( block ( points 2.5 ) )', 'points: got'),
    (ROBOT + 'model ( block (\npoints 2 point[0] [0 0] ) )', "a.world:3: points: 'point[1]' is"),
    ('interval_sim 0\n' + ROBOT, 'a.world:1: interval_sim: got 0.0, expected milliseconds'),
    ('position ( drive "tank" )', "a.world:1: drive: unknown name 'tank'"),
    ('position ( size [0 1 1] )', 'expected a length and a width > 0'),
    ('position ( origin [3 0 0 0] )', 'expected a centre within the robot'),
    ('position ( localization "map" )', "localization: unknown name 'map'"),
    ('position ( pose [9999999 0 0 0] )', 'expected numbers up to 1e6'),
    ('position ( drive "car" wheelbase 0 )', 'wheelbase: got 0.0, expected a number > 0'),
    ('position ( ranger ( sensor (\nsamples 0 ) ) )', 'a.world:2: samples: got'),
    ('position ( ranger ( sensor (\nrange [2 1] ) ) )', 'a.world:2: range: got [2.0, 1.0]'),
    ('position ( ranger ( sensor (\nnoise [-1 0 0] ) ) )', 'a variance >= 0'),
    (ROBOT + ROBOT, 'a.world:2: robots.1.pose: got'),  # on one another: Stage lets that be
])
def test_errors_name_file_and_line(tmp_path, text, expected):
    with pytest.raises(InputError) as error:
        load(tmp_path, text)
    assert expected in str(error.value)
    assert str(tmp_path) in str(error.value)


def test_an_error_in_an_include_names_the_line_that_includes(tmp_path):
    (tmp_path / 'b.inc').write_text('\n\n' + ROBOT + ROBOT)
    with pytest.raises(InputError, match=r'a\.world:2: robots\.1\.pose'):
        load(tmp_path, 'resolution 0.02\ninclude "b.inc"')


def test_a_translated_world_is_the_same_scenario(tmp_path):
    from sbot.scenario.load import parse_scenario
    from sbot.scenario.stage import stage_scenario
    bitmap(tmp_path, np.eye(8) * 255)
    text = 'model ( pose [9 0 0 0] bitmap "map.png" )\n' + ROBOT
    scenario = load(tmp_path, text)
    values, _ = stage_scenario(text.encode(), str(tmp_path / 'a.world'))
    assert parse_scenario(dump_yaml(values), 'a.world', tmp_path, 'a') == scenario


def test_values_of_a_world_are_changed_from_the_command_line(tmp_path):
    scenario = load(tmp_path, ROBOT, {'robots.*.controller': 'navigate',
                                      'robots.0.goal': [2, 0], 'sensors.scan_beams': 8})
    assert scenario.robots[0].controller == 'navigate'
    assert run_scenario(load(tmp_path, ROBOT, {'duration': 0.3})).summary['ticks'] == 3
