"""Types of scenario fields: what they accept, how they keep it, and what they say otherwise."""

import math
import os
import re
import time

import pytest

from sbot.scenario import fields
from sbot.scenario.load import load_scenario
from sbot_common.clock import Rate
from sbot_common.errors import InputError


def read(kind, value):
    return getattr(fields, kind).__metadata__[0].check(value, lambda: 'here')


@pytest.mark.parametrize(('kind', 'given', 'kept'), [
    ('Point', [1, 2.5], (1.0, 2.5)), ('Pose', (0, -1, 7), (0.0, -1.0, 7.0)),
    ('Box', [0, 0, 1, 2], (0.0, 0.0, 1.0, 2.0)), ('Segment', [0, 0, 0, 1], (0.0, 0.0, 0.0, 1.0)),
    ('Waypoints', [[0, 0], [1, 0]], ((0.0, 0.0), (1.0, 0.0))),
    ('Corners', [[0, 0], [1, 0], [0, 1]], ((0.0, 0.0), (1.0, 0.0), (0.0, 1.0))),
    ('Seed', 3.0, 3), ('Seed', 2 ** 63 - 1, 2 ** 63 - 1), ('Count', 100_000, 100_000),
    ('Hertz', '100/3', Rate(100, 3)), ('Pace', 0, 0.0), ('Pace', 1e6, 1e6),
    ('Interval', 0, 0.0), ('Colour', '#00aaFF', '#00aaFF'), ('Colour', 'red', 'red'),
    ('Flag', False, False), ('Until', 'mine.rules:over', 'mine.rules:over'),
    ('Controller', 'navigate', 'navigate'), ('Name', 'a b', 'a b'), ('Name', '猫', '猫'),
    ('Mapping', {'a': 1}, {'a': 1}), ('Spread', [1, 0], (1.0, 0.0))])
def test_good_values_are_kept_in_one_form(kind, given, kept):
    found = read(kind, given)
    assert (found, type(found)) == (kept, type(kept))


@pytest.mark.parametrize(('kind', 'given', 'words'), [('Point', [1], 'two numbers from'),
    ('Point', [1, math.nan], 'two numbers from'), ('Point', [True, 1], 'two numbers from'),
    ('Box', [0, 0, 0, 1], 'xmin < xmax'), ('Segment', [1, 2, 1, 2], 'two different points'),
    ('Waypoints', [[0, 0]], 'two or more'), ('Corners', [[0, 0], [1, 0]], 'three or more'),
    ('Seed', -1, '0 to 2'), ('Seed', 1.5, 'a whole number'),
    ('Hertz', 'often', 'fraction of hertz'), ('Pace', 1e-4, '0, or a number from 0.001'),
    ('Length', 0, 'a number > 0'), ('Colour', 'pink', "'#rrggbb'"),
    ('Mass', 1e10, '1e-06 to 1e+09'), ('Flag', 1, 'true or false'),
    ('Until', 'sometime', 'goal_reached, collision'), ('Controller', 'nobody', 'sbot list'),
    ('Name', ' a', 'one line'), ('Name', 'a\x07', 'control character'),
    ('Mapping', [], 'a mapping'), ('Mappings', {'a': 1}, 'names to mappings'),
    ('Range', [1, 1], 'low < high')])
def test_bad_values_are_told_what_is_expected(kind, given, words):
    with pytest.raises(InputError, match=f'^here: .*{re.escape(words)}'):
        read(kind, given)


GOOD = """\
world:
  bounds: [0, 0, 20, 10]
  circles:
    - {center: [10, 5], radius: 1.0}
robots:
  - {pose: [2, 2, 0], goal: [15, 5]}
  - {pose: [2, 5, 0]}
"""


def changed(old, new):
    assert old in GOOD
    return GOOD.replace(old, new, 1)


def added(text):
    return GOOD + text


BAD = {
    'typo': (changed('radius', 'raduis'), 4,
             ["world.circles.0.raduis: unknown name 'raduis'; did you mean 'radius'?"]),
    'typo in a controller': (added('controllers: {potential_field: {ema_coeficient_eta: 1}}\n'), 8,
                             ["did you mean 'ema_coefficient_eta'?"]),
    'typo in a body name': (changed('goal:', 'body: sbot, goal:'), 6, ["did you mean 's-bot'?"]),
    'typo in a layout': (added('  - {body: s-bot, count: 3, layout: gird}\n'), 8,
                         ["'gird'", "expected 'random' or 'grid'"]),
    'negative radius': (changed('1.0', '-1.0'), 4,
                        ['world.circles.0.radius: got -1.0, expected a number > 0 and <= 1e6']),
    'wrong end of a path': (changed('[0, 0, 20, 10]', '[0, 0, 20, 10]\n  moving: [{radius: 0.1, '
        'path: [[1, 1], [2, 1]], speed: 0.1, at_end: back}]'), 3,
        ["world.moving.0.at_end: got 'back', expected 'turn' or 'loop'"]),
    'radius as text': (changed('1.0', "'1.0'"), 4,
                       ["got '1.0', expected a number > 0 and <= 1e6 (m)"]),
    'NaN': (changed('[2, 5, 0]', '[.nan, 5, 0]'), 7,
            ['robots.1.pose.0: got nan, expected a finite number']),
    'NaN in an own parameter': (added('controllers: {"a:B": {x: [{y: .NaN}]}}\n'), 8,
                                ['x.0.y: got nan']),
    'huge coordinate': (changed('[2, 5, 0]', '[2e300, 5, 0]'), 7, ['robots.1.pose: got [2e+300']),
    'missing pose': (changed('{pose: [2, 5, 0]}', '{goal: [2, 5]}'), 7,
        ["robots.1: got neither of 'pose' (one robot) and 'count' (many)"]),
    'pose and count': (changed('{pose: [2, 5, 0]}', '{pose: [2, 5, 0], count: 2}'), 7,
        ['got both of']),
    'area without count': (
        changed('{pose: [2, 5, 0]}', '{pose: [2, 5, 0], area: [0, 0, 1, 1]}'), 7,
                           ['robots.1.area', "'count'"]),
    'area too small for one': (added('  - {count: 1, area: [5, 0, 5.1, 3]}\n'), 8,
        ['0 found room']),
    'too many robots': (added('  - {count: 60000}\n  - {count: 60000}\n'), 5, ['at most 100000']),
    'missing world': (
        'robots: [{pose: [1, 1, 0], controller: none}]\n', 1, ["key 'world' is missing"]),
    'missing radius': (changed(', radius: 1.0', ''), 4,
                       ["world.circles.0: key 'radius' is missing; give a number > 0 and <= 1e6"]),
    'missing robots': (GOOD.partition('robots')[0], 1, ["key 'robots' is missing"]),
    'no robots': (GOOD.partition('robots')[0] + 'robots: []\n', 5,
        ['robots: got [], expected at least']),
    'robot is a number': (added('  - 5\n'), 8, ['robots.2: got 5, expected a mapping']),
    'controllers is flat': (added('controllers: {potential_field: 3}\n'), 8,
                            ['expected a mapping of names to mappings']),
    'segment without length': (changed('  circles', '  segments: [[1, 1, 1, 1]]\n  circles'), 3,
        ['world.segments.0: got [1, 1, 1, 1], expected [x0, y0, x1, y1]: two']),
    'polygon with a side without length': (
        changed('  circles', '  polygons: [{corners: [[5, 5], [6, 5], [6, 5]]}]\n  circles'),
        3, ['world.polygons.0.corners', 'side 1 has no length']),
    'name of two lines': (added('name: "a\\nb"\n'), 8, ['name: got', 'one line']),
    'bad constant': (changed('goal:', 'parameters: {ema_coefficient_eta: 2}, goal:'), 6,
        ['robots.0.parameters.ema_coefficient_eta: got 2, expected a finite number >= 0']),
    'rate twice': (changed('goal:', 'parameters: {loop_rate: 2}, goal:'), 6, ['loop_rate']),
    'goals too often': (added('rate: 5\ncontrollers:\n  potential_field:\n'
                              '    goal_regeneration_frequency_hz: 6\n'), 11,
                        ['goal_regeneration_frequency_hz: got 6']),
    'beams backwards': (added('sensors:\n  scan_range_max: 3\n  scan_range_min: 4\n'), 10,
                        ['sensors.scan_range_min: got 4']),
    'wind without direction': (added('wind: {wind_speed_mean: 1, wind_direction: [0, 0, 0]}\n'), 8,
                               ['wind.wind_direction: got [0.0, 0.0, 0.0]']),
    'wind offset': (added('wind: {xyz_offset: [0, 1, 0]}\n'), 8, ['wind.xyz_offset']),
    'missing wind field': (added('wind: {custom_wind_field_path: no/such.txt}\n'), 8,
        ["wind.custom_wind_field_path: got 'no/such.txt', expected an existing file"]),
    'key is a list': (added('[1, 2]: 3\n'), 8, ['a key must be a word']),
    'empty key': (added("'': 3\n"), 8, ['empty']),
    'tag': (added('name: !!python/object/apply:os.system [ls]\n'), 8, ['not allowed']),
    'wrong tag': (added('seed: !!int abc\n'), 8, ["'abc' is not a usable int"]),
    'empty': ('', None, ['is empty']),
    'merge of a number': (added('wind:\n  <<: 3\n'), 9, ["'<<' expects a mapping"])}


@pytest.fixture
def write(tmp_path):
    def _write(content, name='bad.yaml'):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(path)
    return _write


def message_of(path, overrides=None):
    with pytest.raises(InputError) as caught:
        load_scenario(path, overrides)
    text = str(caught.value)
    assert '\n' not in text
    assert len(text) < 700
    return text


def test_the_good_scenario_that_the_bad_ones_start_from_is_good(write):
    assert len(load_scenario(write(GOOD)).robots) == 2


@pytest.mark.parametrize('name', BAD)
def test_malformed_scenario_gets_one_line(name, write):
    text, line, words = BAD[name]
    path = write(text)
    message = message_of(path)
    place = path if line is None else f'{path}:{line}:'
    assert message.startswith(place)
    for word in words:
        assert word in message


@pytest.mark.parametrize(('key', 'value'), [('robots.0.pose', [2e6, 5, 0]),
    ('robots.0.goal', [0, 2e6]), ('robots.0.goal_tolerance', 2e6),
    ('world.bounds', [-2e6, 0, 20, 10]), ('world.circles.0.radius', 2e6),
    ('world.segments', [[0, 0, 0, 2e6]]),
    ('world.polygons', [{'corners': [[0, 0], [1, 0], [1, 2e6]]}]),
    ('world.rectangles', [{'center': [1, 1], 'size': [1, 2e6]}]),
    ('world.moving', [{'radius': 0.1, 'speed': 1, 'path': [[0, 0], [2e6, 0]]}])])
def test_numbers_beyond_the_limit_are_told_the_limit(write, key, value):
    message = message_of(write(GOOD), {key: value})
    assert key in message
    assert '2000000' in message
    assert re.search(r'(from -1e6 to|<=|-1e6 to) 1e6', message)


def test_a_speed_beyond_the_limit_is_told_the_limit(write):
    path = {'radius': 0.1, 'speed': 2e4, 'path': [[0, 0], [1, 0]]}
    assert 'speed: got 20000.0, expected a number > 0 and <= 1e4 (m/s)' in message_of(
        write(GOOD), {'world.moving': [path]})


@pytest.mark.parametrize(('content', 'words'), [
    (GOOD.encode('utf-16'), ['is not UTF-8 text']),
    (GOOD.encode('utf-16-le'), ['zero bytes']),
    (GOOD.encode() + b'name: "M\xfcller"\n', [':8:', 'byte 0xfc is not UTF-8']),
    (bytes(range(256)) * 20, ['UTF-8']),
    (b'\0' * 1000, ['zero bytes']),
    (b'\x7fELF\x02\x01\x01' + bytes(100), ['zero bytes']),
    (b'a: ' + b'[' * 100_000, ['bad.yaml']),
    (b'#' * (65 * 2**20), ['too large']),
    (b'a: "\\ud800"\n', ['bad.yaml'])])
def test_bytes_that_are_no_text(content, words, write):
    message = message_of(write(content))
    for word in words:
        assert word in message


def test_alias_bomb_is_refused_before_it_is_expanded(write):
    rows = ['a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]']
    rows += [f'a{i}: &a{i} [{", ".join([f"*a{i - 1}"] * 10)}]' for i in range(1, 30)]
    start = time.process_time()
    assert 'expand to, expected at most 500000' in message_of(write('\n'.join(rows)))
    assert time.process_time() - start < 5


@pytest.mark.skipif(not os.path.exists('/dev/zero'), reason='there is no /dev/zero')
def test_endless_file():
    assert 'too large' in message_of('/dev/zero')


@pytest.mark.parametrize(('key', 'value', 'words'), [
    ('sed', 3, ["sed: unknown name 'sed'; did you mean 'seed'?"]),
    ('scan_beams', 8, ["unknown name 'scan_beams'; did you mean 'sensors.scan_beams'?"]),
    ('robots.5.goal', [1, 2], ["got '5', expected an index from 0 to 1"]),
    ('robots.x.goal', [1, 2], ["got 'x', expected an index"]),
    ('robots.1.goal', [1], ['robots.1.goal: got [1], expected [x, y]']),
    ('robots.1.pose', [10, 5, 0], ['robots.1.pose: got [10.0, 5.0, 0.0]', 'world.circles.0']),
    ('duration.x', 1, ['has no keys']),
    ('world', {'bounds': [0, 0, -1, 1]}, ['world.bounds: got [0, 0, -1, 1]'])])
def test_bad_override_names_file_and_override(key, value, words, write):
    path = write('duration: 3\n' + GOOD)
    message = message_of(path, {key: value})
    assert message.startswith(f'{path}, override: ')
    for word in words:
        assert word in message


@pytest.mark.parametrize('key', ['robots.0.parameters.sped', 'controllers.patrol:Patrol.sped'])
def test_a_parameter_that_a_class_does_not_take_is_told_with_its_override(tmp_path, key):
    (tmp_path / 'patrol.py').write_text(
        'class Patrol:\n    def __init__(self, speed=1):\n        pass\n'
        '    def step(self, observation, rng):\n        return 0, 0\n')
    path = tmp_path / 'arena.yaml'
    path.write_text('world: {bounds: [0, 0, 9, 9]}\n'
                    "robots: [{pose: [1, 1, 0], controller: 'patrol:Patrol'}]\n")
    message = message_of(path, {key: 1})
    assert "'sped'; its parameters: speed" in message
    assert message.endswith(f'(overrides: {key})')
