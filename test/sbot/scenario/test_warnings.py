"""A wind field that is elsewhere warns; wind_height_above_terrain follows the ground."""

import math
from pathlib import Path

import numpy as np
import pytest

import sbot
from sbot.scenario.load import load_scenario, log_warned, parse_scenario
from sbot.scenario.shipped import config_directory, scenario_names
from sbot.scenario.warnings import conditions_of
from wind_model.generate import FieldParameters, generate
from wind_model.rotors_text import write_grid

SCENE = """\
world: {bounds: [0, 0, 9, 9]}
rate: 20
sensors: {scan_beams: 7, scan_range_max: 3.5}
robots: [{pose: [1, 1, 0], goal: [8, 8], body: s-bot}, {pose: [3, 3, 0], body: BODY}]
"""


def conditions(body):
    return conditions_of(parse_scenario(SCENE.replace('BODY', body), 'scene.yaml', Path()))


def test_rate_body_and_sensors_have_keys():
    found = conditions('s-bot')
    assert (found['rate'], found['body']) == (20.0, 's-bot')
    assert (found['sensors.scan_beams'], found['sensors.scan_range_max']) == (7, 3.5)
    assert found['sensors.scan_sees_robots'] is False


NEURAL = 'neural_controller.controller:Neural'


@pytest.mark.parametrize('where', ['robots', 'controllers'])
def test_a_scenario_that_says_otherwise_is_warned_once_with_its_line(tmp_path, caplog, where):
    sbot.save_network(tmp_path / 'a.json', sbot.network(hold=2), np.zeros(32))
    own, common = (', parameters: {hold: 4}', '') if where == 'robots' else ('', ', hold: 4')
    (tmp_path / 'scene.yaml').write_text(f"""
duration: 1
world: {{bounds: [0, 0, 3, 3]}}
robots:
  - {{body: s-bot, count: 2, controller: '{NEURAL}'{own}}}
controllers: {{'{NEURAL}': {{network: a.json{common}}}}}
sensors: {{infrared: true}}
""")
    sbot.load(tmp_path / 'scene.yaml')
    [record] = caplog.records
    line, key = (5, 'robots.0.parameters.hold') if where == 'robots' else (
        6, f'controllers.{NEURAL}.hold')
    assert record.getMessage() == (
        f'{tmp_path}/scene.yaml:{line}: {key}: got 4, expected 2, the hold in '
        f'{tmp_path}/a.json; leave it out to use that')


def driven(path, hold):
    return {'duration': 1, 'world': {'bounds': [0, 0, 3, 3]}, 'sensors': {'infrared': True},
            'robots': [{'body': 's-bot', 'pose': [1, 1, 0], 'controller': NEURAL,
                        'parameters': {'network': str(path), 'hold': hold}}]}


@pytest.mark.parametrize('hold', ['3', '2\n3', True, 2.5, [4], 0])
def test_what_is_no_number_of_ticks_is_an_error_of_the_run_and_no_doubt(tmp_path, caplog, hold):
    sbot.save_network(tmp_path / 'a.json', sbot.network(hold=3), np.zeros(32))
    with pytest.raises(sbot.InputError, match=r'hold: got .*, expected a whole number'):
        sbot.run(driven(tmp_path / 'a.json', hold))
    assert not caplog.records


CONFIG = Path(__file__).parents[3] / 'config'
FIELD = str(CONFIG / 'wind' / 'vortex.txt')
GUST = {'wind_gust_force_mean': 20.0, 'wind_gust_start': 1.0, 'wind_gust_duration': 1.0}
FIELD_USED = {'use_custom_static_wind_field': True, 'custom_wind_field_path': FIELD}


def load(wind=None, sensors=None, world=None, **robot):
    return sbot.load({'duration': 5, 'world': {'bounds': [0, 0, 9, 9], **(world or {})},
                      'robots': [{'pose': [1, 1, 0], 'controller': 'none', **robot}],
                      'wind': wind or {}, 'sensors': sensors or {}})


@pytest.mark.parametrize(('wind', 'key', 'reason'), [
    ({'custom_wind_field_path': FIELD}, 'custom_wind_field_path', 'use_custom_static_wind_field'),
    ({'wind_height': 2.0}, 'wind_height', 'use_custom_static_wind_field'),
    ({'wind_height_above_terrain': 2.0}, 'wind_height_above_terrain', 'custom_static_wind_field'),
    ({'wind_gust_force_mean': 5.0}, 'wind_gust_force_mean', 'wind_gust_duration'),
    ({'wind_gust_speed_mean': 5.0}, 'wind_gust_speed_mean', 'wind_gust_duration'),
    ({'wind_gust_duration': 5.0}, 'wind_gust_duration', 'wind_gust_force_mean'),
    ({**GUST, 'wind_gust_start': 5.0}, 'wind_gust_force_mean', 'the run ends first'),
    ({**GUST, **FIELD_USED}, 'wind_gust_force_mean', 'forces_with_field'),
    ({'wind_force_mean': 1.0, **FIELD_USED}, 'wind_force_mean', 'forces_with_field'),
    ({'wake_fade': 'fade_out'}, 'wake_fade', 'wake: true'),
    ({'turbulence_speed': 0.2}, 'turbulence_speed', 'turbulence: place'),
    ({'turbulence': 'robot', 'turbulence_length': 1.0}, 'turbulence_length', 'place')])
def test_wind(wind, key, reason, caplog):
    load(wind)
    [message] = caplog.messages
    assert message.startswith(f'scenario: wind.{key}: has no effect')
    assert reason in message


@pytest.mark.parametrize(('sensors', 'key'), [
    ({'infrared_table': 'polynomial'}, 'infrared_table'), ({'rab_range': 2.0}, 'rab_range'),
    ({'imu_noise_yaw': 0.1}, 'imu_noise_yaw'), ({'gnss_latitude': 5}, 'gnss_latitude')])
def test_sensors(sensors, key, caplog):
    load(sensors=sensors)
    [message] = caplog.messages
    assert message.startswith(f'scenario: sensors.{key}: has no effect')


@pytest.mark.parametrize(('goal', 'where'), [
    ([9.5, 5], "outside the world's bounds"), ([4, 5.2], 'inside world.circles.0'),
    ([7, 7.4], 'inside world.rectangles.0'), ([2, 7.5], 'inside world.polygons.0')])
def test_goals_that_nobody_reaches(goal, where, caplog):
    world = {'circles': [{'center': [4, 5], 'radius': 0.5}],
             'rectangles': [{'center': [7, 7], 'size': [1, 1]}],
             'polygons': [{'corners': [[1, 7], [3, 7], [3, 9], [2, 8], [1, 9]]}]}
    load(world=world, goal=goal)
    [message] = caplog.messages
    assert message.startswith('scenario: robots.0.goal: ')
    assert f'goal {[float(c) for c in goal]} of robot 0 is {where}' in message


@pytest.mark.parametrize(('others', 'named'), [
    ([], 'robots 0 to 9'), ([3], 'robots 0, 1, 2, 4, 5, 6, 7, 8, 9')])
def test_a_goal_that_robots_share_is_one_line(others, named, caplog):
    robots = [{'pose': [1 + i, 1, 0], 'goal': [1, 3] if i in others else [4, 5]}
              for i in range(10)]
    sbot.load({'world': {'bounds': [0, 0, 12, 9], 'circles': [
        {'center': [4, 5], 'radius': 0.5}]}, 'robots': robots})
    [message] = caplog.messages
    assert message == (f'scenario: robots.0.goal: goal [4.0, 5.0] of {named} is inside '
                       'world.circles.0, so these robots cannot arrive')


def test_yaws_beyond_a_turn_are_one_line(caplog):
    robots = [{'pose': [1 + i % 9, 1 + i // 9, 90 * i], 'controller': 'none', 'body': 's-bot'}
              for i in range(38)]
    sbot.load({'world': {'bounds': [0, 0, 20, 9]}, 'robots': robots})
    [message] = caplog.messages
    assert message == ('scenario: robots.1.pose: 90 rad is more than a turn (and so are 36 more); '
                       'angles are in radians')


@pytest.mark.parametrize(('key', 'value', 'angle'), [
    ('yaw', -90, '-90'), ('yaw_uniform', [-90, 90], '90'), ('yaw_gaussian', [0, 10], '10')])
def test_a_groups_yaw_in_degrees_is_named_by_its_key(caplog, key, value, angle):
    robots = [{'count': 3, key: value, 'controller': 'none'}]
    made = sbot.load({'world': {'bounds': [0, 0, 20, 9]}, 'robots': robots})
    [message] = caplog.messages
    assert message == (f'scenario: robots.0.{key}: {angle} rad is more than a turn; angles are in '
                       'radians')
    assert key == 'yaw' or all(abs(robot.pose[2]) < math.tau for robot in made.robots)


@pytest.mark.parametrize(('body', 'key'), [
    ({'wheelbase': 0.4}, 'wheelbase'), ({'max_steering_angle': 0.4}, 'max_steering_angle'),
    ({'drive': 'omnidirectional', 'max_steering_angle': 0.4}, 'max_steering_angle')])
def test_lengths_of_another_drive(body, key, caplog):
    sbot.load({'duration': 5, 'world': {'bounds': [0, 0, 9, 9]}, 'bodies': {'mine': body},
               'robots': [{'pose': [1, 1, 0], 'controller': 'none', 'body': 'mine'}]})
    [message] = caplog.messages
    assert message.startswith(f'scenario: bodies.mine.{key}: has no effect without drive: ')


@pytest.mark.parametrize('name', [name for name in scenario_names() if '.' not in name])
def test_shipped_scenarios_have_no_idle_settings(name, caplog):
    load_scenario(name)
    assert caplog.messages == []


def load_unused(bodies=None, controllers=None, robots=(), **overrides):
    return sbot.load({'world': {'bounds': [0, 0, 9, 9]}, 'bodies': bodies or {},
                      'controllers': controllers or {},
                      'robots': [{'pose': [1, 1, 0], 'controller': 'none'}, *robots]}, **overrides)


FOOT_BOT = {'pose': [3, 3, 0], 'controller': 'wind_aware', 'body': 'foot-bot'}


@pytest.mark.parametrize(('given', 'message'), [
    ({'bodies': {'footbot': {'mass': 2.0}}},
     "scenario: bodies.footbot: has no effect: no robot has this body; did you mean 'foot-bot'?"),
    ({'bodies': {'q': {'mass': 2.0}}},
     'scenario: bodies.q: has no effect: no robot has this body; in use: foot-bot, robot'),
    ({'controllers': {'navigate': {}}},
     'scenario: controllers.navigate: has no effect: no robot has this controller; '
     'in use: none, wind_aware')])
def test_what_nobody_uses_is_named(given, message, caplog):
    load_unused(**given, robots=[FOOT_BOT])
    assert caplog.messages == [message]


def test_what_is_used_is_not(caplog):
    load_unused({'base': {'mass': 2.0}, 'mine': {'like': 'base'}, 'robot': {'mass': 3.0}},
         {'wind_aware': {'velocity': 0.2}}, [{**FOOT_BOT, 'body': 'mine'}])
    load_unused({'foot-bot': {'mass': 2.0}}, {'wind_aware': {'velocity': 0.2}}, [FOOT_BOT],
         **{'robots.*.controller': 'none', 'robots.1.body': 'robot'})
    assert caplog.messages == []


@pytest.fixture
def field(tmp_path):
    """A hill 40 m long on ground at 412 m."""
    grid = generate('hill', **FieldParameters()._asdict())
    high = grid._replace(bottom_z=grid.bottom_z + 412, top_z=grid.top_z + 412)
    path = tmp_path / 'hill.txt'
    write_grid(path, high)
    return path, high


def run(path, bounds=(1, 1, 20, 20), **wind):
    return sbot.run({
        'rate': 10, 'duration': 0.5, 'world': {'bounds': list(bounds)},
        'robots': [{'pose': [10, 10, 0], 'controller': 'none'},
                   {'pose': [15, 12, 0], 'controller': 'none'}],
        'wind': {'wind_speed_mean': 0.25, 'use_custom_static_wind_field': True,
                 'custom_wind_field_path': str(path), **wind}})


def test_a_field_that_is_too_high_is_said_with_its_heights(field, caplog):
    result = run(field[0])
    assert result.wind[2, 0].tolist() == [0.25, 0.0]  # the default wind
    [message] = caplog.messages
    assert 'wind_height 0.5 m, 100 % of the world and the starts of 2 of 2 robots' in message
    assert 'its ground is at 412' in message
    assert 'wind_height_above_terrain' in message


@pytest.mark.parametrize(('size', 'x', 'warned'), [
    ('radius: 0.3', 0.29, False), ('radius: 0.3', 0.31, True),
    ('length: 1, width: 0.4, offset: 0.2', 0.6, False),
    ('length: 1, width: 0.4, offset: 0.2', 0.75, True)])
def test_a_laser_outside_of_its_body_is_warned_about(caplog, size, x, warned):
    parse_scenario(f'{{world: {{bounds: [0, 0, 9, 9]}}, sensors: {{laser_x: {x}}}, '
                   f'bodies: {{cart: {{{size}}}}}, robots: '
                   '[{pose: [3, 3, 0], body: cart, controller: none}]}', 'scene.yaml', Path(),
                   tell=log_warned)
    assert [record.getMessage() for record in caplog.records] == [
        f'scene.yaml:1: sensors.laser_x: the laser at [{x:g}, 0] m is outside of the body cart'
    ] * warned


@pytest.mark.parametrize('name', sorted(
    path.stem for path in (config_directory() / 'robots').glob('*.yaml')))
def test_lasers_of_shipped_bodies_are_within_them(caplog, name):
    parse_scenario(f'{{world: {{bounds: [0, 0, 9, 9]}}, robots: [{{pose: [3, 3, 0], body: {name}, '
                   'controller: none}]}', 'scene.yaml', Path(), tell=log_warned)
    assert not [each for each in caplog.messages if 'outside of the body' in each]
