"""The summary of a run, counted by hand."""

import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import sbot
from sbot.cli.main import main
from sbot.runner.summary import Tally, format_summary
from sbot.scenario.assemble import initial_poses, simulation_parameters
from sbot.scenario.load import parse_scenario
from sbot_sim.engine.simulation import Engine

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
    heads = lines[1 if leads else 0]
    assert heads.endswith('max     end') == leads
    assert len(lines[-1].split()) == (9 if leads else 7)
    assert len({len(line) for line in lines}) == 1


def test_distances_from_the_leader_are_the_greatest_and_the_last():
    scenario = parse_scenario(SCENARIO, 'two', Path.cwd())
    parameters = simulation_parameters(scenario)
    snapshot = Engine(parameters, initial_poses(scenario), 0).snapshot
    tally = Tally(scenario, parameters)
    rows = [((0.0, 0.0), (3.0, 4.0)), ((0.0, 0.0), (-6.0, 8.0)), ((1.0, 0.0), (1.0, 2.0))]
    for leader, follower in rows:
        tally.add(snapshot._replace(pose=np.array([[*leader, 0.0], [*follower, 0.0]])))
    first, second = tally.summary(1.0)['robots']
    assert second['max_leader_distance_m'] == 10.0
    assert second['final_leader_distance_m'] == 2.0
    assert first['max_leader_distance_m'] == first['final_leader_distance_m'] == 0.0
    assert second['path_length_m'] == pytest.approx(np.hypot(9, 4) + np.hypot(7, 6))
    assert first['path_length_m'] == 1.0


def test_what_is_not_asked_for_costs_nothing_and_is_none(monkeypatch):
    whole = sbot.run('leader_follower', duration=0.5)

    def too_much(*_):
        raise AssertionError('nobody has asked for this')
    monkeypatch.setattr('sbot.runner.summary.OverlapCount', too_much)
    monkeypatch.setattr('sbot.runner.summary.hashlib', SimpleNamespace(sha256=too_much))
    light = sbot.run('leader_follower', duration=0.5, overlaps=False, hashed=False, keep=False)
    assert light.summary['overlaps'] is None
    assert light.summary['trajectory_sha256'] is None
    assert light.poses.shape == (0, 4, 3)
    assert light.summary['robots'] == whole.summary['robots']
    assert whole.summary['overlaps'] == 0
    text = format_summary(light.summary)
    assert 'overlaps not counted\ntrajectory not hashed\n' in text
    with pytest.raises(sbot.InputError, match='sense cannot be combined with keep=False'):
        sbot.run('leader_follower', keep=False, sense=['scan'])


def test_the_command_leaves_out_what_it_is_told_to(capsys):
    assert main(['run', 'leader_follower', '--duration', '0.2', '--quiet', '--json',
                 '--no-overlaps', '--no-hash']) == 0
    summary = json.loads(capsys.readouterr().out)
    assert (summary['overlaps'], summary['trajectory_sha256']) == (None, None)


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
