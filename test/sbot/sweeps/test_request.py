"""Sweep files and options to plans; errors name file, line and key."""

import numpy as np
import pytest
from sweep_users import MOOD, write_scenario

from sbot.sweeps.request import MEMORY, Request, _is_sweep_file, _read_sweep_file
from sbot.sweeps.sources import plan_of
from sbot_common.errors import InputError

ARGOS = """<?xml version="1.0" ?>
<argos-configuration>
  <framework><experiment length="1" ticks_per_second="10" random_seed="{seed}"/></framework>
  <controllers><c id="c"><params velocity="5"/></c></controllers>
  <arena size="6, 6, 1"><foot-bot id="a"><body position="1, 1, 0"/><controller config="c"/>
  </foot-bot></arena>
  <configuration><air_resistance angle_deg="90" magnitude="4"/></configuration>
</argos-configuration>
"""


def sweep_file(folder, text):
    path = folder / 'sweep.yaml'
    path.write_text(text)
    return str(path)


def test_everything_of_a_sweep_file(tmp_path):
    write_scenario(tmp_path)
    path = sweep_file(tmp_path, """
scenario: tiny.yaml
seeds: 0:3
set: {duration: 0.3}
grid:
  wind.wind_speed_mean: 0:0.3:0.1
  robots.0.goal: [[8, 2], [8, 3]]
zip:
  robots.0.parameters.speed: [0.1, 0.2]
  robots.1.pose: [[2, 5, 0], [2, 6, 0]]
sample: {count: 4, seed: 2, values: {robots.0.goal_tolerance: [0.1, 0.5]}}
metrics: ['sweep_users:last_x']
timeout: 20
memory: 2 GiB
record: failed
""")
    assert _is_sweep_file(path)
    assert not _is_sweep_file(str(tmp_path / 'tiny.yaml'))
    assert not _is_sweep_file('leader_follower')
    request = _read_sweep_file(path)
    plan = plan_of(request)
    assert len(plan) == 3 * 3 * 2 * 2 * 4
    assert plan.fixed == {'duration': 0.3}
    assert plan.keys == ('wind.wind_speed_mean', 'robots.0.goal', 'robots.0.parameters.speed',
                         'robots.1.pose', 'robots.0.goal_tolerance')
    assert (plan.metrics, request.timeout, request.memory, request.record) == (
        ('sweep_users:last_x',), 20.0, 2**31, 'failed')
    assert plan.sources[0].name == 'tiny'
    assert MOOD not in plan.keys


@pytest.mark.parametrize(('line', 'message'), [
    ('gird: {a: [1]}', r"sweep\.yaml:3: gird: unknown name 'gird'; did you mean 'grid'"),
    ('seeds: [1, 1]', r'sweep\.yaml:3: seeds: got .*each once'),
    ('grid: {rate: []}', r'sweep\.yaml:3: grid\.rate: got \[\], expected at least one'),
    ('sample: {count: 2, values: {rate: [2, 1]}}',
     r'sweep\.yaml:3: sample\.values\.rate: got .*low < high'),
    ('sample: {values: {}}', r"sweep\.yaml:3: sample: key 'count' is missing"),
    ('memory: lots', r"sweep\.yaml:3: memory: got 'lots', expected an amount of memory"),
    ('timeout: -1', r'sweep\.yaml:3: timeout: got -1, expected a number > 0'),
    ('record: some', r"sweep\.yaml:3: record: got 'some', expected none or failed or all"),
    ('zip: [1]', r'sweep\.yaml:3: zip')])
def test_errors_name_file_line_and_key(tmp_path, line, message):
    write_scenario(tmp_path)
    path = sweep_file(tmp_path, f'\nscenario: tiny.yaml\n{line}\n')
    with pytest.raises(InputError, match=message):
        _read_sweep_file(path)


@pytest.mark.parametrize(('line', 'message'), [
    ('grid: {wind.wind_sped_mean: [1]}', "did you mean 'wind_speed_mean'"),
    ('grid: {robots.0.goal: [8, 2]}', r'got 8, .*one value that is a list is written \[\[...\]\]'),
    ('grid: {rate: [10, 0]}', 'rate: got 0, expected a positive'),
    ('set: {seed: 3}', 'give seeds'),
    ('metrics: [nowhere]', "expected 'module:function'"),
    ("metrics: ['a:f', 'b:f']", "two have the name 'f'"),
    ("metrics: ['a:ticks']", 'no other column of the table')])
def test_values_are_tried_before_anything_runs(tmp_path, line, message):
    write_scenario(tmp_path)
    path = sweep_file(tmp_path, f'\nscenario: tiny.yaml\n{line}\n')
    with pytest.raises(InputError, match=message):
        plan_of(_read_sweep_file(path))


def test_several_scenarios_are_an_axis(tmp_path):
    write_scenario(tmp_path)
    path = sweep_file(tmp_path, '\nscenario: [tiny.yaml, single_robot]\nseeds: 0:2\n')
    plan = plan_of(_read_sweep_file(path))
    assert [source.name for source in plan.sources] == ['tiny', 'single_robot']
    assert [(plan[i].source, plan[i].seed) for i in range(4)] == [(0, 0), (0, 1), (1, 0), (1, 1)]


def test_the_wind_of_an_argos_file_can_be_swept(tmp_path):
    (tmp_path / 'a.argos').write_text(ARGOS.format(seed=5))
    path = sweep_file(tmp_path, """
scenario: a.argos
grid: {wind.wind_speed_mean: [0, 0.1], 'wind.wind_direction': [[1, 0, 0]]}
""")
    plan = plan_of(_read_sweep_file(path))
    assert len(plan) == 2
    assert plan[1].seed == 5
    from sbot.scenario.load import parse_scenario
    source = plan.sources[0]
    text = parse_scenario(source.text, source.file, tmp_path, 'a', {
        **plan[1].values, 'seed': plan[1].seed})
    assert text.wind.flow.wind_speed_mean == 0.1
    assert text.wind.flow.wind_direction == (1.0, 0.0, 0.0)
    plain = parse_scenario(source.text, source.file, tmp_path, 'a')
    assert plain.wind.flow.wind_speed_mean == pytest.approx(0.04)
    assert plain.wind.flow.wind_direction[1] == pytest.approx(1.0)


def test_a_scenario_that_draws_its_seed_needs_seeds(tmp_path):
    (tmp_path / 'a.argos').write_text(ARGOS.format(seed=0))
    with pytest.raises(InputError, match=r'a\.argos.*a sweep needs one'):
        plan_of(_read_sweep_file(sweep_file(tmp_path, 'scenario: a.argos\n')))
    assert len(plan_of(_read_sweep_file(sweep_file(tmp_path, 'scenario: a.argos\nseeds: 0:4\n')))
               ) == 4


@pytest.mark.parametrize(('text', 'size'), [
    ('2 GiB', 2**31), ('500MB', 500 * 10**6), ('1.5 kib', 1536), (17, 17), ('17', 17)])
def test_amounts_of_memory(text, size):
    assert MEMORY.read(text) == size


DATA = {'name': 'small', 'seed': 3, 'duration': 1, 'world': {'bounds': [0, 0, 4, 4]},
        'robots': [{'pose': [1, 1, 0], 'controller': 'none'}]}


def asked(seeds=None, grid=None, side_by_side=None, sample=None, metrics=(), **overrides):
    return Request.of(DATA, seeds, grid, side_by_side, sample, metrics, overrides)


def test_a_run_is_planned_for_each_seed_and_each_value_of_a_grid():
    assert len(plan_of(asked(seeds=[1, 2], grid={'duration': [1, 2, 3]}))) == 6
    assert plan_of(asked(grid={'duration': np.array([1.0, 2.0])})).axes[0].columns == ([1.0, 2.0],)


def test_values_side_by_side_change_together():
    axis, = plan_of(asked(side_by_side={'duration': [1, 2], 'rate': [10, 20]})).axes
    assert [axis.at(k) for k in range(2)] == [{'duration': 1, 'rate': 10},
                                              {'duration': 2, 'rate': 20}]


def test_a_sample_is_drawn_with_its_seed():
    sample = {'count': 5, 'seed': 2, 'values': {'duration': [1.0, 4.0]}}
    one, same = (plan_of(asked(sample=sample)).axes for _ in range(2))
    assert one == same
    assert len(one[0]) == 5
    assert plan_of(asked(sample={**sample, 'seed': 3})).axes != one


def test_what_all_runs_change_is_fixed():
    assert plan_of(asked(duration=2.0)).fixed == {'duration': 2.0}


@pytest.mark.parametrize(('given', 'words'), [
    ({'sample': 3}, 'sample: got 3, expected a mapping'),
    ({'sample': {'count': 1, 'values': 3}}, 'sample: values: got 3, expected a mapping'),
    ({'sample': {'cuont': 3}}, "sample.*cuont.*did you mean 'count'"),
    ({'grid': {'duration': []}}, 'grid duration'), ({'seeds': 'many'}, 'seeds')])
def test_a_wrong_argument_is_named(given, words):
    with pytest.raises(InputError, match=words):
        asked(**given)
