"""A setting that silently does nothing warns, and says which other one it needs."""

import math
from pathlib import Path

import pytest

import sbot
from sbot.scenario.load import load_scenario
from sbot.scenario.shipped import scenario_names

CONFIG = Path(__file__).parents[4] / 'config'
FIELD = str(CONFIG / 'wind' / 'vortex.txt')
GUST = {'wind_gust_force_mean': 20.0, 'wind_gust_start': 1.0, 'wind_gust_duration': 1.0}
FIELD_USED = {'use_custom_static_wind_field': True, 'custom_wind_field_path': FIELD}


def load(wind=None, sensors=None, world=None, **robot):
    return sbot.load({
        'duration': 5, 'world': {'bounds': [0, 0, 9, 9], **(world or {})},
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
    ({'turbulence': 'robot', 'turbulence_length': 1.0}, 'turbulence_length', 'place'),
])
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


def test_a_yaw_in_degrees(caplog):
    load(pose=[1, 1, 90])
    [message] = caplog.messages
    assert message == ('scenario: robots.0.pose: 90 rad is more than a turn; angles are in '
                       'radians')


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


def test_what_has_an_effect_is_not_mentioned(caplog):
    load({**GUST, 'wind_gust_speed_mean': 1.0, 'wake': True, 'wake_fade': 'fade_out',
          'turbulence': 'place', 'turbulence_length': 1.0}, {'rab_range': 2.0}, goal=[8, 8])
    load({**GUST, **FIELD_USED, 'forces_with_field': True, 'wind_height': 0.6})
    load(world={'open': True}, goal=[20, 20])
    sbot.load({'duration': 5, 'world': {'bounds': [0, 0, 9, 9]}, 'bodies': {
        'car': {'drive': 'ackermann', 'wheelbase': 0.4, 'max_steering_angle': 0.4}},
        'robots': [{'pose': [1, 1, 0], 'controller': 'none', 'body': 'car'}]})
    assert caplog.messages == []


@pytest.mark.parametrize('name', [name for name in scenario_names() if '.' not in name])
def test_shipped_scenarios_have_no_idle_settings(name, caplog):
    load_scenario(name)
    assert caplog.messages == []
