"""Names of parameters and columns for people."""

import pytest

from sbot.sweeps.results.names import (
    MEANING,
    column_label,
    parameter_label,
    short_names,
    value_text,
)
from sbot.sweeps.results.rows import SUMMARY


@pytest.mark.parametrize(('keys', 'names'), [
    (['robots.*.parameters.spacing', 'wind.wake_fade'], ['spacing', 'wake_fade']),
    (['robots.0.goal'], ['goal']), (['robots.0.pose.0', 'robots.0.pose.1'], ['pose.0', 'pose.1']),
    (['robots.0.goal', 'robots.1.goal'], ['robots.0.goal', 'robots.1.goal']),
    (['robots.*.parameters.speed', 'controllers.dwa.speed'], ['parameters.speed', 'dwa.speed'])])
def test_a_short_name_is_the_end_of_a_key_and_tells_it_from_others(keys, names):
    assert short_names(keys) == names


@pytest.mark.parametrize(('column', 'label'), [
    ('collisions', 'collisions of all robots (ticks)'),
    ('collisions_max', 'collisions, greatest of one robot (ticks)'),
    ('reverts', 'reverts of all robots (ticks)'), ('overlaps', 'overlaps (pairs × ticks)'),
    ('path_length_m_mean', 'path length, mean of robots (m)'),
    ('final_leader_distance_m_max', 'final leader distance, greatest of one robot (m)'),
    ('goal_reached_s', 'robot 0: goal reached (s)'),
    ('robot_1_goal_reached_s', 'robot 1: goal reached (s)'), ('robot_0_x_m', 'robot 0: x (m)'),
    ('robot_12_collisions', 'robot 12: collisions (ticks)'),
    ('robot_0_yaw_rad', 'robot 0: yaw (rad)'), ('sim_time_s', 'sim time (s)'),
    ('robots_arrived', 'robots arrived'), ('lane.error (m)', 'lane.error (m)'),
    ('dip_s', 'dip_s')])
def test_labels_have_units(column, label):
    assert column_label(column) == label


def test_a_share_of_runs_has_no_unit():
    assert column_label('collisions', unit=False) == 'collisions of all robots'
    assert set(MEANING) <= set(SUMMARY)


def test_values_and_parameters_are_short():
    assert [value_text(value) for value in (0.30000000000000004, True, None, 'a\x1b')] == [
        '0.3', 'true', 'null', 'a\\x1b']
    assert parameter_label('rate') == ('rate',)
