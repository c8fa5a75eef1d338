"""Sources of a sweep: scenarios of any kind as text, checked with every value that is tried."""

from pathlib import Path

import pytest
from sweep_users import write_scenario

import sbot
from sbot.scenario.load import parse_scenario
from sbot.scenario.shipped import shipped_scenarios
from sbot.scenario.warnings import Warned
from sbot.sweeps.plan import Axis
from sbot.sweeps.request import _read_sweep_file, source_of
from sbot.sweeps.sources import _Warnings, plan_of

DATA = {'name': 'small', 'seed': 3, 'duration': 1, 'world': {'bounds': [0, 0, 4, 4]},
        'robots': [{'pose': [1, 1, 0], 'controller': 'none'}]}
TEXT = ('name: small\nseed: 3\nduration: 1\nworld: {bounds: [0, 0, 4, 4]}\n'
        'robots: [{pose: [1, 1, 0], controller: none}]\n')


def same(source):
    text, file, directory, given = source
    assert given == {}
    return parse_scenario(text, file, Path(directory), 'small')


def test_every_form_of_a_scenario_is_the_same_text(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / 'small.yaml').write_text(TEXT)
    expected = sbot.load(DATA)
    for form in (DATA, TEXT, sbot.load(DATA), tmp_path / 'small.yaml', 'small.yaml'):
        assert same(source_of(form)) == expected


def test_a_relative_path_starts_at_the_folder_that_is_given(tmp_path):
    (tmp_path / 'leader_follower').write_text(TEXT)
    assert source_of('leader_follower', tmp_path)[2] == str(tmp_path)
    assert source_of('leader_follower')[1] == str(shipped_scenarios()['leader_follower'])


def test_controllers_from_python_go_along(tmp_path):
    class Own:
        def step(self, observation, rng):
            return 0.0, 0.0

    text, _, _, given = source_of({**DATA, 'robots': [{'pose': [1, 1, 0], 'controller': Own}]})
    name, = given
    assert given[name] is Own
    assert name in text


def warnings(folder, caplog, text):
    write_scenario(folder)
    path = folder / 'sweep.yaml'
    path.write_text(f'scenario: tiny.yaml\nseeds: 0:2\n{text}')
    plan_of(_read_sweep_file(str(path)))
    return [record.getMessage() for record in caplog.records]


def test_a_swept_zone_is_told_to_change_no_run(tmp_path, caplog):
    text = 'grid: {world.zones.0.radius: [1, 2]}\nset: {world.zones: [{name: n, center: [1, 1]}]}'
    assert warnings(tmp_path, caplog, text) == [
        'override: world.zones.0.radius: has no effect on a run; it changes only pictures and '
        'files']


def test_a_warning_that_holds_for_a_later_value_is_told(tmp_path, caplog):
    text = 'grid: {robots.0.pose: [[2, 2, 0], [2, 2, 10], [2, 2, 20]], rate: [5, 10]}\n'
    [warning] = warnings(tmp_path, caplog, text)
    assert warning.endswith(' (at robots.0.pose=[2, 2, 10]; alike at 1 other value)')


def logged(caplog, axes, told):
    """What is logged of warnings: (axis, place), key and text of each."""
    found = _Warnings(axes)
    for number, axis in enumerate(axes):
        for place in range(len(axis)):
            found.tell(number, place)
    for place, key, text in told:
        found.tell(*place)(Warned('here', key, text))
    found.log()
    return [record.getMessage() for record in caplog.records]


AXES = [Axis(('a',), ([1, 2, 3, 4, 5],)), Axis(('b', 'c'), ([6, 7], [8, 9]))]


@pytest.mark.parametrize(('places', 'note'), [
    ([(None, 0), *((0, i) for i in range(5)), (1, 0), (1, 1)], ''),
    ([(None, 0), (0, 0), (1, 0), (1, 1)], ' (at a=1)'),
    ([(None, 0), (0, 0), (1, 0)], ' (at a=1; b=6, c=8)'),
    ([(0, i) for i in range(1, 5)], ' (at a=2, 3, 4, …)'),
    ([(0, 2), (1, 1)], ' (at a=3 or b=7, c=9)')])
def test_a_warning_names_the_values_of_the_axes_that_matter(caplog, places, note):
    told = [(place, 'a', '100 % idle') for place in places]
    assert logged(caplog, AXES, told) == [f'here: 100 % idle{note}']
