"""One run to one row."""

import pickle
import re
import sys
import warnings
from importlib import import_module

import numpy as np
import pytest
from sweep_users import MOOD, NO_WAY, fails, job, last_x, write_scenario

from sbot.runner.loop import run_scenario
from sbot.scenario.load import load_scenario
from sbot.sweeps.experiment import Options, run_sweep
from sbot.sweeps.plan import PlannedRun
from sbot.sweeps.request import Request, _read_sweep_file, source_of
from sbot.sweeps.show import Results
from sbot.sweeps.sources import _own_imports, plan_of
from sbot_common.errors import InputError


def test_a_row_has_every_number_of_the_summary(tmp_path):
    path = write_scenario(tmp_path)
    row = job(path).row(PlannedRun(3, 0, {'robots.0.parameters.speed': 1.0}, 9))
    summary = run_scenario(load_scenario(str(path), {
        'seed': 9, 'robots.0.parameters.speed': 1.0})).summary
    assert row['error'] is None
    assert (row['run'], row['scenario'], row['seed']) == (3, 'tiny', 9)
    assert row['robots.0.parameters.speed'] == 1.0
    assert row['trajectory_sha256'] == summary['trajectory_sha256']
    for robot in summary['robots']:
        for name, value in robot.items():
            if name not in ('id', 'pose'):
                assert row[f'robot_{robot["id"]}_{name}'] == value
        assert [row[f'robot_{robot["id"]}_{name}'] for name in ('x_m', 'y_m', 'yaw_rad')
                ] == robot['pose']
    paths = [robot['path_length_m'] for robot in summary['robots']]
    assert row['path_length_m_mean'] == pytest.approx(np.mean(paths))
    assert row['path_length_m_max'] == max(paths)
    assert row['robot_count'] == 2
    assert row['ended_by'] == 'duration'


def test_more_than_eight_robots_are_summed_up_only(tmp_path):
    path = write_scenario(tmp_path)
    values = {'robots.1': {'count': 9, 'controller': 'none', 'area': [1, 4, 8, 8]}}
    row = job(path, fixed=values).row(PlannedRun(0, 0, {}, 1))
    assert row['error'] is None
    assert row['robot_count'] == 10
    assert not [name for name in row if name.startswith('robot_0')]


def test_a_run_that_raises_is_a_row_with_one_line(tmp_path):
    row = job(write_scenario(tmp_path)).row(PlannedRun(0, 0, {MOOD: 'raise'}, 1))
    assert row['error'] == NO_WAY
    assert 'ticks' not in row
    row = job(write_scenario(tmp_path)).row(PlannedRun(0, 0, {'rate': 0}, 1))
    assert 'rate: got 0, expected a positive' in row['error']


def test_another_version_is_refused(tmp_path):
    row = job(write_scenario(tmp_path), version='7').row(PlannedRun(0, 0, {}, 1))
    assert 'expected that of the sweep, 7' in row['error']


def test_metrics_get_the_run(tmp_path):
    metrics = ('sweep_users:several', ('own', pickle.dumps(last_x)))
    row = job(write_scenario(tmp_path), metrics=metrics).row(PlannedRun(0, 0, {}, 1))
    assert row['error'] is None
    assert {name: value for name, value in row.items() if name.startswith('several')} == {
        'several.b': 3, 'several.a': True, 'several.c': 'words', 'several.d': 0.5,
        'several.e': None}
    assert row['own'] == row['robot_0_x_m']


@pytest.mark.parametrize(('metric', 'message'), [
    ('sweep_users:wrong', 'metric wrong: got .*expected a number'),
    ('sweep_users:nothing', "metric: module 'sweep_users' has no function 'nothing'"),
    ('sweep_users:fails', r'^metric fails: IndexError: tuple index out of range '
                          rf'\(sweep_users.py:{fails.__code__.co_firstlineno + 1}\)$'),
    ('no_such_module:f', "metric: cannot import 'no_such_module'")])
def test_a_metric_that_cannot_be_used_is_the_error_of_its_row(tmp_path, metric, message):
    row = job(write_scenario(tmp_path), metrics=(metric,)).row(PlannedRun(0, 0, {}, 1))
    assert re.search(message, row['error'].replace('\n', ' '))


def test_a_warning_of_a_metric_names_it_once(tmp_path):
    shared = job(write_scenario(tmp_path), metrics=(('mean', pickle.dumps(mean_of_nothing)),))
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter('always')
        rows = [shared.row(PlannedRun(i, 0, {}, i)) for i in range(2)]
    assert [row['mean'] for row in rows] == [None, None]
    assert [str(each.message) for each in found] == [
        'metric mean: Mean of empty slice',
        'metric mean: invalid value encountered in scalar divide']


def test_controllers_from_python_are_as_new_for_every_run(tmp_path):
    text = ('duration: 0.2\nrate: 10\nworld: {bounds: [0, 0, 9, 9]}\n'
            "robots: [{pose: [2, 2, 0], controller: 'object:Learner'}]\n")
    path = write_scenario(tmp_path, text)
    given = pickle.dumps({'object:Learner': Learner()})
    rows = [job(path, given=given).row(PlannedRun(0, 0, {}, 1)) for _ in range(2)]
    assert rows[0]['error'] is None
    assert rows[0]['trajectory_sha256'] == rows[1]['trajectory_sha256']


def mean_of_nothing(run):
    return float(np.mean(np.array([])))


class Learner:
    def __init__(self):
        self.steps = 0

    def step(self, observation, rng):
        self.steps += 1
        return 0.1 * self.steps, 0.0


SCENARIO = ('name: {name}\nduration: 0.2\nrate: 10\nworld: {{bounds: [0, 0, 9, 9]}}\n{path}\n'
            "robots: [{{pose: [2, 2, 0], controller: 'sweep_pilot:Pilot'}}]\n")
PILOT = ('class Pilot:\n    def step(self, observation, rng):\n        return {speed}, 0.0\n'
         'def speed(run): return {speed}\n')


def write(folder, speed, path='python_path: [.]'):
    folder.mkdir()
    (folder / 'sweep_pilot.py').write_text(PILOT.format(speed=speed))
    file = folder / f'{folder.name}.yaml'
    file.write_text(SCENARIO.format(name=folder.name, path=path))
    return file


@pytest.mark.forked
@pytest.mark.parametrize('path', ['python_path: [.]', ''])  # the second one is the default
def test_modules_of_one_name_are_each_scenarios_own(tmp_path, path):
    made = Request([source_of(write(tmp_path / name, speed, path))
                    for name, speed in (('slow', 0.25), ('fast', 0.75))],
                   seeds=range(2), metrics=('sweep_pilot:speed',))
    before = list(sys.path)
    run_sweep(plan_of(made), made, tmp_path / 'results', Options(jobs=1, progress=False))
    found = Results.load(tmp_path / 'results').columns
    assert found['error'] == [None] * 4
    assert found['speed'] == [0.25, 0.25, 0.75, 0.75]
    assert found['robot_0_x_m'] == pytest.approx([2.05, 2.05, 2.15, 2.15])
    assert sys.path == before


def test_a_scenario_does_not_find_the_modules_of_another(tmp_path):
    write(tmp_path / 'own', 0.5)
    write(tmp_path / 'none', 0.5, path='')
    (tmp_path / 'none' / 'sweep_pilot.py').unlink()
    (tmp_path / 'sweep.yaml').write_text('scenario: [own/own.yaml, none/none.yaml]\nseeds: 0:4\n')
    with pytest.raises(InputError, match=r"none\.yaml.*cannot import 'sweep_pilot'"):
        plan_of(_read_sweep_file(str(tmp_path / 'sweep.yaml')))


def test_only_who_must_forget_does(tmp_path, monkeypatch):
    (tmp_path / 'sweep_first').mkdir()
    (tmp_path / 'sweep_first' / 'inner.py').write_text('')
    (tmp_path / 'sweep_first' / '__init__.py').write_text('from . import inner')
    (tmp_path / 'sweep_second').mkdir()
    (tmp_path / 'sweep_second' / 'inner.py').write_text('')
    path = list(sys.path)
    for forget in (False, True):
        with _own_imports(forget):
            sys.path.append(str(tmp_path))
            import_module('sweep_first')
            import_module('sweep_second.inner')
        kept = {name for name in sys.modules
                if name.partition('.')[0] in ('sweep_first', 'sweep_second')}
        assert sys.path == path
        assert len(kept) == (0 if forget else 4)
        for name in kept:
            monkeypatch.delitem(sys.modules, name)
