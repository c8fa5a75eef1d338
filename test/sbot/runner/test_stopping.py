"""Stopping conditions and goal tolerances."""

import numpy as np
import pytest
from sweep_users import HERE

import sbot
from sbot.ros.processes import node_processes
from sbot.runner.stopping import stopping_condition
from sbot.scenario.controllers import goal_tolerances
from sbot.scenario.load import parse_scenario


class Straight:
    def step(self, observation, rng):
        return 0.5, 0.0


def scenario(*, goal=None, robot=(), **changes):
    return {'duration': 4, 'rate': 10, 'world': {'bounds': [0, 0, 9, 9]},
            'robots': [{'pose': [2, 2, 0], 'controller': Straight,
                        **({} if goal is None else {'goal': goal}), **dict(robot)}], **changes}


def test_a_run_ends_in_the_tick_in_which_the_goal_is_reached():
    whole = sbot.run(scenario(goal=[3, 2]))
    reached = whole.summary['robots'][0]['goal_reached_s']
    assert 1.0 < reached < 2.0
    run = sbot.run(scenario(goal=[3, 2]), until='goal_reached')
    assert run.summary['sim_time_s'] == reached == run.seconds[-1]
    assert run.summary['ended_by'] == 'goal_reached'
    rows = run.summary['ticks'] + 1
    for name in ('poses', 'commands', 'wind', 'collided', 'stamps_ns'):
        np.testing.assert_array_equal(getattr(run, name), getattr(whole, name)[:rows])
    assert 'ended_by' not in whole.summary
    assert sbot.run(scenario(goal=[8, 8]), until='goal_reached').summary['ended_by'] == 'duration'


def test_every_robot_with_a_goal_must_arrive():
    given = scenario(goal=[3, 2], until='goal_reached')
    given['robots'] += [{'pose': [2, 4, 0], 'controller': Straight, 'goal': [3.5, 4]},
                        {'pose': [2, 6, 0], 'controller': 'none'}]
    run = sbot.run(given)
    times = [robot['goal_reached_s'] for robot in run.summary['robots']]
    assert times[2] is None
    assert times[0] < times[1] == run.summary['sim_time_s']


def test_a_collision_ends_a_run():
    run = sbot.run(scenario(robot={'pose': [8, 2, 0]}, until='collision'))
    assert run.summary['ended_by'] == 'collision'
    assert run.collided[:, 0].tolist() == [False] * (len(run.poses) - 1) + [True]


def test_a_function_ends_a_run():
    run = sbot.run(scenario(python_path=[str(HERE)], until='sweep_users:beyond_2_04'))
    assert run.poses[-2, 0, 0] <= 2.04 < run.poses[-1, 0, 0]
    assert run.summary['ended_by'] == 'sweep_users:beyond_2_04'


@pytest.mark.parametrize(('changes', 'message'), [
    ({'until': 'soon'}, "until: got 'soon', expected goal_reached, collision or a function"),
    ({'until': 'goal_reached'}, 'goal_reached needs a robot with a goal'),
    ({'until': 'sweep_users:nothing', 'python_path': [str(HERE)]}, "has no function 'nothing'"),
    ({'until': 'no_such_module:f'}, "cannot import 'no_such_module'"),
])
def test_a_condition_that_cannot_come_true_is_refused(changes, message):
    with pytest.raises(sbot.InputError, match=message):
        sbot.load(scenario(**changes))


def test_over_ros_it_is_refused():
    with pytest.raises(sbot.InputError, match='expected null over ROS'):
        node_processes(sbot.load('leader_follower', until='goal_reached'))
    assert node_processes(sbot.load('leader_follower'))


def test_recorded_texts_have_the_new_keys_only_if_they_are_set(tmp_path):
    plain = sbot.load('leader_follower')
    assert 'until' not in plain.to_yaml()
    assert 'goal_tolerance' not in plain.to_yaml()
    changed = sbot.load('leader_follower', until='collision', **{'robots.0.goal_tolerance': 0.5})
    again = parse_scenario(changed.to_yaml(), 'again', tmp_path)
    assert again == changed
    assert (again.until, again.robots[0].goal_tolerance) == ('collision', 0.5)
    assert stopping_condition(plain, None) is None


def test_the_tolerance_is_the_robots_else_its_controllers_else_its_bodys():
    def reached(duration=4, **robot):
        run = sbot.run(scenario(goal=[3, 2], robot=robot), duration=duration)
        return run.summary['robots'][0]['goal_reached_s']
    # 1 m from its goal, an s-bot has not arrived.
    assert reached(body='s-bot', controller='none') is None
    assert reached(body='s-bot', duration=20) > 10.0
    assert reached(body='robot') > reached(goal_tolerance=0.5) > 0.9
    assert reached(goal_tolerance=1.5) == 0.0
    assert reached(controller='wind_aware', parameters={'velocity': 0.5}) > 1.8
    assert reached(controller='wind_aware',
                   parameters={'velocity': 0.5, 'goal_tolerance': 0.6}) < 1.0
    assert reached(controller='potential_field') == 0.0


def test_without_one_it_is_the_bodys_radius_and_not_the_circle_that_is_kept_free():
    loaded = sbot.load(scenario(goal=[3, 2], robot={'body': 'own'}, bodies={
        'own': {'radius': 0.2, 'collision_distance': 0.3}}))
    assert goal_tolerances(loaded) == [0.2]
    stopped = sbot.run(loaded, until='goal_reached').poses[-1, 0, 0]
    assert 2.8 <= stopped < 2.86  # 0.05 m a tick
