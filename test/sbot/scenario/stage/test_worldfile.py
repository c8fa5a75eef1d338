import math

import numpy as np
import pytest
from PIL import Image

from sbot.runner.loop import run_scenario
from sbot.scenario.load import load_scenario
from sbot_common.errors import InputError

ROBOT = 'position ( pose [0 0 0 0] )\n'


def load(tmp_path, text, overrides=None):
    path = tmp_path / 'a.world'
    path.write_text(text)
    return load_scenario(str(path), overrides)


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
                    'position ( pose [100 200 0 1.5] size [40 30 10] )')
    assert scenario.robots[0].pose == (1, 2, 1.5)
    assert scenario.bodies['position'].length == pytest.approx(0.4)
    with pytest.raises(InputError, match=r"a\.world:1: unit_length: unknown name 'miles'"):
        load(tmp_path, 'unit_length "miles"\n' + ROBOT)


def test_a_laser_sees_a_model_where_it_stands(tmp_path):
    # A box 1 m long whose centre is 3 m ahead; its origin turns it back.
    scenario = load(tmp_path, 'position ( pose [0 0 0 0] velocity_bounds [-1 1 0 0 0 0 -90 90]\n'
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
    scenario = load(tmp_path, text.format(0))
    lines = np.array(scenario.world.segments)
    assert len(lines) == 8
    assert lines.reshape(-1, 2).min(axis=0) == pytest.approx([4.5, -2.5])
    assert lines.reshape(-1, 2).max(axis=0) == pytest.approx([15.5, 2.5])
    assert set(lines[:, 0].round(9)) == {4.5, 5.5, 14.5, 15.5}
    assert len(load(tmp_path, text.format(1)).world.segments) == 12
    bitmap(tmp_path, np.full((4, 4), 255))
    assert len(load(tmp_path, text.format(1)).world.segments) == 4
    assert len(load(tmp_path, text.format(0)).world.segments) == 0


def test_the_upper_row_of_a_bitmap_is_where_y_is_large(tmp_path):
    pixels = np.full((10, 10), 255)
    pixels[0, 2:9] = 0
    pixels[9, 5] = 0
    bitmap(tmp_path, pixels, mode='RGBA')
    scenario = load(tmp_path, ROBOT + 'model ( pose [20 0 0 0] size [7 10 1] bitmap "map.png" )')
    lines = np.array(scenario.world.segments)
    top = lines[(lines[:, 1] == 5) & (lines[:, 3] == 5)]
    assert np.sort(top[0, [0, 2]]) == pytest.approx([16.5, 23.5])


def test_a_box_around_a_robot_is_a_wall(tmp_path):
    scenario = load(tmp_path, ROBOT + 'model ( size [8 6 1] )')
    assert not scenario.world.polygons
    assert len(scenario.world.segments) == 4
    assert scenario.world.bounds == (-4.5, -3.5, 4.5, 3.5)
    assert scenario.world.open


def test_marks_on_the_floor_are_left_out(tmp_path):
    zone = 'model ( pose [3 0 0 0] size [1 1 {}] obstacle_return 0 ranger_return {} )\n'
    for height, seen in ((0.01, 1), (1, -1)):
        assert not load(tmp_path, ROBOT + zone.format(height, seen)).world.polygons
    assert len(load(tmp_path, ROBOT + zone.format(1, 1)).world.polygons) == 1


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


def test_a_bitmap_that_is_no_regular_file_or_too_large(tmp_path, monkeypatch):
    text = ROBOT + 'model ( pose [9 0 0 0] bitmap "map.png" )'
    (tmp_path / 'map.png').write_text('no image')
    with pytest.raises(InputError, match=r'a\.world:2: bitmap: got .* expected an image'):
        load(tmp_path, text)
    with pytest.raises(InputError, match=r"a\.world:2: bitmap: got '/dev/zero', expected a reg"):
        load(tmp_path, text.replace('map.png', '/dev/zero'))
    pixels = np.indices((40, 40)).sum(axis=0) % 2 * 255
    bitmap(tmp_path, pixels)
    assert load(tmp_path, text).world.segments
    for limit, expected in (('file_bytes=1599', 'pixels'), ('file_bytes=3200', 'segments'),
                            ('text_values=300', 'numbers')):
        monkeypatch.setenv('SBOT_LIMITS', limit)
        with pytest.raises(InputError, match=rf'a\.world:2: bitmap.*{expected}'):
            load(tmp_path, text)


def test_values_are_counted_before_robots_are_looked_for_in_outlines(tmp_path, monkeypatch):
    def never(corners, points):
        raise AssertionError('looked for')
    monkeypatch.setattr('sbot.scenario.stage.obstacles.inside_polygon', never)
    monkeypatch.setenv('SBOT_LIMITS', 'text_values=1000')
    with pytest.raises(InputError, match=r'a\.world: too large: 1100 values or more'):
        load(tmp_path, ROBOT * 50 + 'model ( pose [5 5 0 0] )\n' * 50)


def test_a_translated_world_is_the_same_scenario(tmp_path):
    from sbot.scenario.load import parse_scenario
    from sbot.scenario.stage.worldfile import stage_yaml
    bitmap(tmp_path, np.eye(8) * 255)
    text = 'model ( pose [9 0 0 0] bitmap "map.png" )\n' + ROBOT
    scenario = load(tmp_path, text)
    again = parse_scenario(stage_yaml(text.encode(), str(tmp_path / 'a.world')), 'a.world',
                           tmp_path, 'a')
    assert again == scenario


def test_values_of_a_world_are_changed_from_the_command_line(tmp_path):
    scenario = load(tmp_path, ROBOT, {'robots.*.controller': 'navigate',
                                      'robots.0.goal': [2, 0], 'sensors.scan_beams': 8})
    assert scenario.robots[0].controller == 'navigate'
    assert run_scenario(load(tmp_path, ROBOT, {'duration': 0.3})).summary['ticks'] == 3
