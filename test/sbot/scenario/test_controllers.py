"""Controllers of a scenario's robots: own parameters over common ones, tolerances, fields."""

from dataclasses import replace

import pytest

import sbot
from sbot.scenario.controllers import (
    checked_senses,
    controlled_robots,
    controller_parameters,
    controller_place,
    external_robots,
    make_controller,
    observed_fields,
)
from sbot_common.errors import InputError

SCENARIO = {
    'duration': 1, 'rate': 10, 'world': {'bounds': [0, 0, 9, 9], 'segments': [[4, 0, 4, 9]]},
    'sensors': {'imu': True},
    'controllers': {'navigate': {'turn_gain': 5.0, 'goal_tolerance': 0.4}},
    'robots': [
        {'pose': [1, 1, 0], 'controller': 'navigate', 'goal': [3, 1]},
        {'pose': [1, 3, 0], 'controller': 'navigate', 'goal': [3, 3],
         'parameters': {'turn_gain': 6.0}, 'goal_tolerance': 0.05},
        {'pose': [1, 5, 0], 'controller': 'none'},
        {'pose': [1, 7, 0], 'controller': 'external', 'parameters': {'command_period': 0.5}}]}


def test_own_parameters_come_over_common_ones():
    scenario = sbot.load(SCENARIO)
    first, second = (controller_parameters(scenario, robot) for robot in scenario.robots[:2])
    assert (first.turn_gain, second.turn_gain) == (5.0, 6.0)
    place = controller_place(scenario, 1)
    assert (place.robot_id, place.goal, place.parameters) == (1, (3.0, 3.0), second)


def test_a_controller_gets_what_its_entry_names_or_all_that_the_robot_has():
    scenario = sbot.load(SCENARIO)
    assert 'scan' in observed_fields(scenario, scenario.robots[0])
    assert 'imu' not in observed_fields(scenario, scenario.robots[0])
    everything = observed_fields(scenario, replace(scenario.robots[0], controller='module:Class'))
    assert {'scan', 'odometry', 'imu', 'wind', 'twist'} <= set(everything)
    assert 'gnss' not in everything


def test_robots_without_a_controller_are_left_out():
    scenario = sbot.load(SCENARIO)
    assert make_controller(scenario, 2) is None
    made = controlled_robots(scenario, range(3))
    assert list(made) == [0, 1]
    assert made[0].controller is not made[1].controller


def test_external_robots_have_periods_in_nanoseconds_unless_the_wall_clock_rules():
    found = external_robots(sbot.load(SCENARIO))
    assert list(found) == [3]
    assert 500_000_000 in found[3]
    assert external_robots(sbot.load(SCENARIO, lockstep=False)) == {}


SCENARIO_SENSES = sbot.load({'duration': 1, 'world': {'bounds': [0, 0, 4, 4]},
                      'robots': [{'pose': [2, 2, 0], 'controller': 'none'}]})


def test_names_are_there_once_and_keep_their_order():
    assert checked_senses(['twist', 'scan', 'twist'], SCENARIO_SENSES) == ['twist', 'scan']
    assert checked_senses({'scan': 0}, SCENARIO_SENSES) == ['scan']
    assert checked_senses((), SCENARIO_SENSES) == []


@pytest.mark.parametrize('given', ['scan', b'scan', 3, None])
def test_what_is_no_list_is_refused(given):
    with pytest.raises(InputError, match=r'sense: got .*, expected a list of any of'):
        checked_senses(given, SCENARIO_SENSES)


def test_a_sensor_that_is_off_says_which_key_turns_it_on():
    with pytest.raises(InputError, match=r'sense: infrared needs sensors\.infrared: true'):
        checked_senses(['infrared'], SCENARIO_SENSES)


def test_an_unknown_sensor_is_named():
    with pytest.raises(InputError, match="'scans'"):
        checked_senses(['scans'], SCENARIO_SENSES)
