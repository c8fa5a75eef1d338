"""The summary of a run, counted by hand."""

import io
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from sweep_users import HERE

import sbot
from sbot.ros.processes import node_processes
from sbot.runner import summary
from sbot.runner.summary import Tally, _OverlapCount, format_summary, progress_bar
from sbot.scenario.assemble import initial_poses, simulation_parameters
from sbot.scenario.controllers import goal_tolerances
from sbot.scenario.load import parse_scenario
from sbot_sim.collision.overlap import overlaps
from sbot_sim.engine.simulation import Engine


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_terminal_shows_how_much_is_done(monkeypatch):
    monkeypatch.setattr(sys, 'stderr', Terminal())
    with progress_bar(' frames', 4, desc='film.gif', mininterval=0.0, miniters=1) as show:
        for done in (1, 2, 2, 3, 4):
            show(done)
    for part in ('film.gif:', '1/4', '3/4', '4/4', 'frames'):
        assert part in sys.stderr.getvalue()


@pytest.mark.parametrize(('stream', 'shown'), [(io.StringIO, True), (Terminal, False)])
def test_nothing_is_shown_elsewhere(monkeypatch, stream, shown):
    monkeypatch.setattr(sys, 'stderr', stream())
    with progress_bar(' frames', 4, shown=shown) as show:
        assert show is None
    assert sys.stderr.getvalue() == ''


ROUND = 'robots: [{controller: none, pose: [1, 1, 0]}, {controller: none, pose: [3, 1, 0]}]'
SCENES = {
    'round robots': f'world: {{bounds: [0, 0, 5, 5]}}\n{ROUND}',
    'one robot': 'world: {bounds: [0, 0, 5, 5], circles: [{center: [2, 2], radius: 0.8}]}\n'
                 'robots: [{controller: none, pose: [4, 4, 0]}]',
    'boxes': 'world: {bounds: [0, 0, 5, 5], boxes: [{center: [4, 4], radius: 0.5, mass: 2}]}\n'
             + ROUND,
    'moving obstacles': 'world: {bounds: [0, 0, 5, 5], moving: '
                        f'[{{radius: 0.2, path: [[4, 4], [4, 1]], speed: 1}}]}}\n{ROUND}',
    'rectangles': 'bodies: {car: {length: 0.9, width: 0.5}}\nworld: {bounds: [0, 0, 5, 5]}\n'
                  + ROUND.replace('pose', 'body: car, pose')}


@pytest.mark.parametrize('scene', SCENES.values(), ids=SCENES)
@pytest.mark.parametrize('most', [1, 7])
def test_the_total_is_the_sum_over_ticks(scene, most, monkeypatch):
    monkeypatch.setattr(summary, '_MOST', most)
    scenario = parse_scenario(f'name: some\nduration: 1\n{scene}\n', 'some', Path.cwd())
    parameters = simulation_parameters(scenario)
    snapshot = Engine(parameters, initial_poses(scenario), 0).snapshot
    count, expected = _OverlapCount(parameters), 0
    rng = np.random.default_rng(1)
    for tick in range(40):
        pose = rng.uniform(0, 5, (len(scenario.robots), 3))
        count.add(snapshot._replace(pose=pose))
        expected += overlaps(*parameters.all_bodies(snapshot.moved, snapshot.boxes, pose))
        if tick % 15 == 0:
            assert count.total() == expected
    assert count.total() == expected > 3


SCENARIO = """
name: two
rate: 10
duration: 1
world: {bounds: [-9, -9, 9, 9]}
robots: [{pose: [0, 0, 0], goal: [8, 8], controller: none}, {pose: [3, 4, 0], controller: none}]
"""


def test_the_table_fits_80_columns():
    scenario = parse_scenario(SCENARIO, 'two', Path.cwd())
    parameters = simulation_parameters(scenario)
    tally = Tally(scenario, parameters)
    snapshot = Engine(parameters, initial_poses(scenario), 0).snapshot
    tally.add(snapshot._replace(pose=np.array([[-123.45, 0.0, 0.0], [3.0, -999.99, 0.0]])))
    lines = format_summary(tally.summary(1.0)).splitlines()[2:]
    assert len({len(line) for line in lines}) == 1
    assert len(lines[0]) < 80


@pytest.mark.parametrize(('robots', 'leads'), [
    ([{'controller': 'potential_field', 'goal': [8, 8]}, {'controller': 'potential_field'}], True),
    ([{'controller': 'none', 'goal': [8, 8]}, {'controller': 'potential_field'}], True),
    ([{'controller': 'navigate', 'goal': [8, 8]}, {'controller': 'navigate'}], True),
    ([{'controller': 'navigate', 'goal': [8, 8]}, {'controller': 'navigate', 'goal': [8, 7]}],
     False),
    ([{'controller': 'potential_field', 'goal': [8, 8]}], False),
    ([{'controller': 'potential_field', 'goal': [8, 8]}, {'controller': 'none'}], False)])
def test_distances_to_the_leader_are_shown_where_one_leads(robots, leads):
    run = sbot.run({'duration': 0.1, 'world': {'bounds': [-9, -9, 9, 9]}, 'robots': [
        {**robot, 'pose': [0, 3 * i, 0]} for i, robot in enumerate(robots)]})
    assert run.summary['leader'] == (0 if leads else None)
    lines = format_summary(run.summary).splitlines()[2:]
    assert (lines[0].strip() == 'to leader (m)') == leads
    assert lines[1 if leads else 0].endswith('max     end') == leads
    assert len(lines[-1].split()) == (9 if leads else 7)
    assert len({len(line) for line in lines}) == 1


def test_what_is_not_asked_for_costs_nothing_and_is_none(monkeypatch):
    whole = sbot.run('leader_follower', duration=0.5)

    def too_much(*_):
        raise AssertionError('nobody has asked for this')
    monkeypatch.setattr('sbot.runner.summary._OverlapCount', too_much)
    monkeypatch.setattr('sbot.runner.summary.hashlib', SimpleNamespace(sha256=too_much))
    light = sbot.run('leader_follower', duration=0.5, overlaps=False, hashed=False, keep=False)
    assert light.summary['overlaps'] is None
    assert light.summary['trajectory_sha256'] is None
    assert light.poses.shape == (0, 4, 3)
    assert light.summary['robots'] == whole.summary['robots']
    assert whole.summary['overlaps'] == 0
    assert 'overlaps not counted\ntrajectory not hashed\n' in format_summary(light.summary)
    with pytest.raises(sbot.InputError, match='sense cannot be combined with keep=False'):
        sbot.run('leader_follower', keep=False, sense=['scan'])


@pytest.mark.parametrize('followers', [2, 12])
def test_without_noise_everybody_moves(followers, caplog):
    scenario = {'rate': 30, 'duration': 3, 'world': {'bounds': [0, 0, 40, 24]},
                'robots': [{'pose': [3, 12, 0], 'goal': [36, 12]},
                           {'count': followers, 'area': [10, 1, 16, 23]}],
                'controllers': {'potential_field': {'conversion_constant_zeta': 0}}}
    summary = sbot.run(scenario).summary
    assert all(summary['robots'][i]['path_length_m'] > 0.1 for i in (0, 1))
    assert [robot['invalid_turns'] for robot in summary['robots']] == [0] * (followers + 1)
    assert not caplog.records


@pytest.mark.parametrize('followers', [2, 12])
def test_turns_without_a_force_are_counted_and_said(followers, caplog):
    """The robots are packed so strongly repelled that infinities cancel (docs/errata.md P2)."""
    scenario = {'rate': 30, 'duration': 1, 'world': {'bounds': [0, 0, 40, 24]},
                'robots': [{'pose': [20, 12, 0], 'goal': [36, 12]},
                           {'count': followers, 'area': [10, 1, 16, 23]}],
                'controllers': {'potential_field': {'repulsion_constant_alpha': 1e308,
                                                    'other_repulsion_factor': 1e308}}}
    summary = sbot.run(scenario).summary
    counts = [robot['invalid_turns'] for robot in summary['robots']]
    assert any(counts[1:])
    [record] = caplog.records
    assert 'not a number' in record.getMessage()
    assert f'{max(counts)} of 31' in record.getMessage()


def test_the_unit_of_collisions_is_told_where_there_are_some():
    summary = sbot.run({'duration': 0.2, 'world': {'bounds': [0, 0, 2, 2]}, 'robots': [
        {'pose': [1, 1, 0], 'controller': 'none'}]}).summary
    assert 'ticks' not in format_summary(summary)
    summary['robots'][0]['collisions'] = 3
    assert format_summary(summary).splitlines()[-1] == (
        'collisions: ticks in which the robot touched something')
    summary['robots'][0]['reverts'] = 1
    last = format_summary(summary).splitlines()[-1]
    assert last.startswith('reverts: ticks in which it returned to its last pose')
    assert len(last) <= 80


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
    ({'until': 'soon'}, "until: got 'soon', expected goal_reached, collision or your own"),
    ({'until': 'goal_reached'}, 'goal_reached needs a robot with a goal'),
    ({'until': 'sweep_users:nothing', 'python_path': [str(HERE)]}, "has no function 'nothing'"),
    ({'until': 'no_such_module:f'}, "cannot import 'no_such_module'")])
def test_a_condition_that_cannot_come_true_is_refused(changes, message):
    with pytest.raises(sbot.InputError, match=message):
        sbot.load(scenario(**changes))


def test_over_ros_it_is_refused():
    with pytest.raises(sbot.InputError, match='expected null over ROS'):
        node_processes(sbot.load('leader_follower', until='goal_reached'))
    assert node_processes(sbot.load('leader_follower'))


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
