"""Whole runs in scenes of the benchmark: everybody arrives, nobody collides."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest
import yaml

from sbot.controllers.navigate.bot import NO_WAY
from sbot.controllers.navigate.parameters import resolved
from sbot.navigation.library import chosen_scenes, families, scenario_values
from sbot.runner.loop import run_scenario
from sbot.runner.summary import format_summary
from sbot.scenario.load import parse_scenario

ARENAS = Path.cwd()  # where scenarios look for files


def summary_of(name, seed, **changes):
    values = scenario_values(name, chosen_scenes(families(), [name])[name], seed)
    scenario = parse_scenario(yaml.safe_dump(values), name, ARENAS, overrides={
        'robots.*.controller': 'navigate', **changes})
    return scenario, run_scenario(scenario, keep=False).summary


@pytest.mark.parametrize(('arena', 'wind', 'gust'), [
    ('wall', 0.05, 0.0), ('gap', 0.6, 60.0), ('around', 0.6, 60.0), ('trap', 0.3, 60.0),
    ('maze', 0.3, 0.0)])
def test_the_leader_arrives_and_the_followers_with_it(arena, wind, gust):
    scenario, summary = summary_of(f'arena/{arena}-gust', 4, **{
        'wind.wind_speed_mean': wind, 'wind.wind_gust_force_mean': gust})
    robots = summary['robots']
    assert summary['ended_by'] == 'goal_reached'
    assert sum(robot['collisions'] for robot in robots) == 0
    farthest = resolved(scenario.controllers['navigate']).far_distance_m + 2.0
    assert max(robot['final_leader_distance_m'] for robot in robots) < farthest


@pytest.mark.slow
def test_thirty_robots_cross():
    _, summary = summary_of('streams/30', 2)
    assert summary['ended_by'] == 'goal_reached'
    assert sum(robot['collisions'] for robot in summary['robots']) == 0


@pytest.mark.parametrize('mount', [(0.25, 0.0, 0.0), (0.0, 0.0, 0.3), (0.0, 0.0, np.pi),
                                   (-0.1, 0.2, -0.5)])
def test_a_laser_may_be_mounted_anywhere(mount):
    keys = ('sensors.laser_x', 'sensors.laser_y', 'sensors.laser_yaw')
    for name in ('narrow/0.7', 'slit/10'):
        _, summary = summary_of(name, 901, **dict(zip(keys, mount, strict=True)))
        assert summary['ended_by'] == 'goal_reached'
        assert summary['robots'][0]['collisions'] == 0


@pytest.mark.parametrize('body', [
    {'command_delay': 0.2}, {'max_acceleration': 1.0, 'max_angular_acceleration': 4.0},
    {'max_acceleration': 1.0, 'max_angular_acceleration': 4.0, 'command_delay': 0.1}])
def test_a_body_may_follow_its_commands_late(body):
    _, summary = summary_of('slit/10', 901, **{'bodies': {'late': body}, 'robots.*.body': 'late'})
    assert summary['ended_by'] == 'goal_reached'
    assert summary['robots'][0]['collisions'] == 0


def test_a_pose_may_come_late():
    for name in ('narrow/0.7', 'slit/10'):
        runs = [summary_of(name, 902, **{'knowledge.pose_delay': late})[1] for late in (0.0, 0.2)]
        assert runs[1]['robots'][0]['collisions'] == 0
        times = [run['robots'][0]['goal_reached_s'] for run in runs]
        assert times[1] < 1.2 * times[0]


def test_poses_of_others_may_come_late():
    _, summary = summary_of('circle/8', 902, **{
        'knowledge.pose_delay': 0.2, 'knowledge.others_delay': 0.2})
    assert summary['ended_by'] == 'goal_reached'
    assert sum(robot['collisions'] for robot in summary['robots']) == 0


@pytest.mark.parametrize('seen', [False, True])
def test_a_robot_that_stands_in_a_door_sends_others_to_the_next_door(seen):
    walls = [{'center': [6, y], 'size': [0.2, high]} for y, high in ((1, 2), (7, 8), (13.5, 3))]
    scenario = parse_scenario(yaml.safe_dump({
        'duration': 60, 'world': {'bounds': [0, 0, 12, 15], 'rectangles': walls},
        'sensors': {'scan_sees_robots': seen},
        'robots': [{'pose': [2, 2.5, 0], 'goal': [10, 2.5], 'controller': 'navigate'},
                   {'pose': [6, 2.5, 0], 'controller': 'none'}]}), 'parked', ARENAS)
    summary = run_scenario(scenario).summary
    assert summary['robots'][0]['goal_reached_s'] < 60.0
    assert summary['robots'][0]['collisions'] == 0


@pytest.mark.parametrize('gap', [0.9, 0.7])
def test_a_slim_body_passes_a_gap_as_wide_as_its_side_needs(gap):
    wall = [{'center': [6, y], 'size': [0.2, 4 - gap / 2]} for y in (2 - gap / 4, 6 + gap / 4)]
    scenario = parse_scenario(yaml.safe_dump({
        'duration': 60, 'world': {'bounds': [0, 0, 12, 8], 'rectangles': wall},
        'bodies': {'long': {'length': 1.0, 'width': 0.5}},
        'sensors': {'scan_angle_min': -np.pi, 'scan_angle_max': np.pi, 'scan_beams': 360},
        'robots': [{'pose': [2, 5, 2.0], 'goal': [10, 3], 'body': 'long',
                    'controller': 'navigate'}]}), 'gap', ARENAS)
    robot, = run_scenario(scenario).summary['robots']
    assert robot['goal_reached_s'] is not None
    assert robot['collisions'] == 0


DUSTY = """
import numpy as np
from sbot.controllers.navigate.bot import Navigate

class Dusty(Navigate):
    def step(self, observation, rng):
        scan = observation.scan
        dust = np.where(rng.random(len(scan.ranges)) < 0.1,
                        rng.uniform(0.05, 2.0, len(scan.ranges)), np.inf)
        ranges = np.minimum(scan.ranges, dust).astype(np.float32)
        return super().step(observation._replace(scan=scan._replace(ranges=ranges)), rng)
"""


@pytest.mark.parametrize('name', ['slit/10', 'narrow/0.7'])
def test_dust_on_a_tenth_of_the_beams_keeps_nobody(name, tmp_path):
    (tmp_path / 'dusty.py').write_text(DUSTY)
    _, summary = summary_of(name, 901, python_path=[str(tmp_path)],
                            **{'robots.*.controller': 'dusty:Dusty'})
    assert summary['ended_by'] == 'goal_reached'
    assert summary['robots'][0]['collisions'] == 0


@pytest.mark.parametrize('inside', [False, True])
def test_a_robot_without_a_way_stops_and_says_why(inside):
    room = [{'center': [9, y], 'size': [4.2, 0.2]} for y in (2, 6)]
    room += [{'center': [x, 4], 'size': [0.2, 4.2]} for x in (7, 11)]
    start, goal = ([9, 4, 0], [3, 4]) if inside else ([3, 4, 0], [9, 4])
    scenario = parse_scenario(yaml.safe_dump({
        'duration': 40, 'world': {'bounds': [0, 0, 14, 8], 'rectangles': room},
        'robots': [{'pose': start, 'goal': goal, 'controller': 'navigate'}]}), 'room', ARENAS)
    run = run_scenario(scenario)
    assert run.summary['robots'][0]['reason'] == NO_WAY
    assert 'stands: robot 0: no way' in format_summary(run.summary)
    assert not run.commands[-300:].any()
    assert run.summary['robots'][0]['collisions'] == 0


def test_a_body_whose_middle_is_off_its_axle_touches_no_end_of_a_wall():
    scenario = parse_scenario(yaml.safe_dump({
        'duration': 60, 'world': {'bounds': [0, 0, 4, 3], 'segments': [
            [1.5, 0, 1.5, 2], [2.7, 1, 2.7, 3]]},
        'robots': [{'pose': [0.5, 0.5, 0], 'goal': [3.5, 2.5], 'body': 'turtlebot3_burger',
                    'controller': 'navigate'}]}), 'burger', ARENAS)
    for seed in (0, 6):
        run = run_scenario(dataclasses.replace(scenario, seed=seed))
        assert run.summary['robots'][0]['goal_reached_s'] is not None
        assert run.summary['robots'][0]['collisions'] == 0


def car_run(pose, rectangles=()):
    scenario = parse_scenario(yaml.safe_dump({
        'duration': 40, 'world': {'bounds': [0, 0, 14, 8], 'rectangles': list(rectangles)},
        'robots': [{'pose': pose, 'goal': [9, 4], 'body': 'f1tenth', 'controller': 'navigate'}],
    }), 'car', ARENAS)
    return run_scenario(scenario).summary


@pytest.mark.parametrize('yaw', [0.0, 1.8, -2.6, np.pi])
def test_a_car_turns_to_a_goal_in_any_direction(yaw):
    summary = car_run([5, 4, yaw])
    assert summary['robots'][0]['goal_reached_s'] < 15.0
    assert summary['robots'][0]['collisions'] == 0


@pytest.mark.parametrize(('x', 'y', 'yaw'), [(1.2, 4.1, 3.0), (1.9, 3.9, -3.1)])
def test_a_car_leaves_a_dead_end_of_which_it_does_not_see_the_way_out(x, y, yaw):
    sides = [{'center': [1.6, 4 + side * 0.9], 'size': [3.2, 0.2]} for side in (-1, 1)]
    summary = car_run([x, y, yaw], sides)
    assert summary['robots'][0]['goal_reached_s'] < 30.0
    assert summary['robots'][0]['collisions'] == 0


def scaled_run(size):
    """Two robots come towards each other through a door; all lengths and speeds times ``size``.

    The parameters of ``navigate`` follow the body.
    """
    def robot(x, y, yaw, to_x):
        return {'pose': [size * x, size * y, yaw], 'goal': [size * to_x, size * 4.0],
                'body': 'scaled', 'controller': 'navigate', 'goal_tolerance': 0.3 * size}

    scenario = parse_scenario(yaml.safe_dump({
        'duration': 6,
        'world': {'bounds': [0, 0, 12 * size, 8 * size], 'rectangles': [
            {'center': [6 * size, y * size], 'size': [0.2 * size, 3.4 * size], 'yaw': 0.0}
            for y in (1.7, 6.3)]},
        'bodies': {'scaled': {'like': 'robot', 'radius': 0.3 * size, 'wheel_radius': 0.1 * size,
                              'wheel_distance': 0.5 * size}},
        'sensors': {'scan_range_max': 10.0 * size},
        'robots': [robot(2.0, 4.1, 0.1, 10.0), robot(9.0, 3.8, 3.0, 2.0)]}), 'scaled', ARENAS)
    return run_scenario(scenario)


def test_a_scene_that_is_scaled_gives_the_scaled_run():
    large, small = scaled_run(1.0), scaled_run(0.125)
    assert sum(each['collisions'] for each in large.summary['robots']) == 0
    assert np.abs(large.poses[:, :, :2] - 8.0 * small.poses[:, :, :2]).max() < 1e-6


@pytest.mark.parametrize(('scene', 'seed', 'seconds'), [
    ('doorway/0.8', 1, None), ('corridor/1.0', 1, None), ('slit/10', 2, None),
    ('corridor/1.0', 934015, None),  # one stands at a corner, which the noise of its laser moves
    ('narrow/0.7', 934015, None),  # the way is straight before the robot is through
    ('doorway/0.8', 715002, None),  # a robot at a post has to turn by a small angle
    ('sensing/noisy', 520002, 40.0),  # the nearest of many readings stopped it before each gap
    ('hallway/pair', 0, 12.0),  # there is no room at the ends
    ('corner/l', 5012, 30.0),  # the two turned on the spot at the corner
    ('rectangles/0.7', 574295, None),  # limits of a disc turned it askew before the gap
    ('rectangles/l', 574295, None),  # its margin was more than the corridor leaves
    ('rvo2/blocks', 682342, None),  # no way led to where it waited
    ('doorway/0.8', 900312, None),  # two side by side before the door
    ('clutter/10-four', 1254432, None),  # one drove to and fro between its lane and its path
    ('e-puck/8', 3, None)])
def test_robots_arrive_where_the_way_is_narrow(scene, seed, seconds):
    _, summary = summary_of(scene, seed)
    assert summary['ended_by'] == 'goal_reached'
    assert sum(robot['collisions'] for robot in summary['robots']) == 0
    assert seconds is None or summary['sim_time_s'] < seconds
