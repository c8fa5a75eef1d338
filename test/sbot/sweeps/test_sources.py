"""Sources of a sweep: scenarios of any kind as text, checked with every value that is tried."""

from pathlib import Path

import pytest
from sweep_users import write_scenario

import sbot
from sbot.scenario.load import parse_scenario
from sbot.scenario.shipped import shipped_scenarios
from sbot.scenario.warnings import Warned
from sbot.sweeps.plan import Axis
from sbot.sweeps.request import read_sweep_file
from sbot.sweeps.sources import Warnings, is_file, named_source, source_of, with_hint
from sbot_common.errors import InputError

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
    shipped = source_of('leader_follower')
    assert shipped[1] == str(shipped_scenarios()['leader_follower'])


def test_controllers_from_python_go_along(tmp_path):
    class Own:
        def step(self, observation, rng):
            return 0.0, 0.0

    text, _, _, given = source_of({**DATA, 'robots': [{'pose': [1, 1, 0], 'controller': Own}]})
    name, = given
    assert given[name] is Own
    assert name in text


def test_a_source_has_the_name_and_seed_of_its_scenario(tmp_path):
    found = named_source(TEXT, 'here.yaml', str(tmp_path), {}, {}, (), ())
    assert (found.name, found.seed) == ('small', 3)
    drawn = named_source(TEXT.replace('seed: 3', 'seed: null'), 'here.yaml', str(tmp_path), {},
                         {}, (), ())
    assert drawn.seed is None, 'each run draws its own'
    with pytest.raises(InputError, match=r'here\.yaml.*duration'):
        named_source(TEXT, 'here.yaml', str(tmp_path), {}, {'duration': -1}, (), ())
    with pytest.raises(InputError, match='metric'):
        named_source(TEXT, 'here.yaml', str(tmp_path), {}, {}, ['no_such_module:f'], ())


def test_a_list_that_was_taken_apart_is_explained():
    axis = Axis(('robots.0.pose',), ([1, 1, 0],))
    error = InputError('override: robots.0.pose: got 1, expected [x, y, yaw]')
    assert 'one value that is a list is written [[...]]' in str(with_hint(error, [axis]))
    unknown = "override: robots.0.pose: unknown name 'pose'"
    for text in ('other', unknown):
        assert with_hint(InputError(text), [axis]).args == (text,)


@pytest.mark.parametrize('key', ['wind.wind_speed_mean', 'robots.*.pose'])
def test_a_list_without_brackets_is_explained(key):
    error = InputError(f"override: {key.replace('*', '1')}: got '0,0.1', expected a number")
    for axes, fixed in (([], {key: '0,0.1'}), ([Axis((key,), (['0,0.1'],))], {})):
        assert str(with_hint(error, axes, fixed)).endswith(
            'expected a number; several values are a list: [0,0.1]')
    assert with_hint(error, [], {f'{key}s': '0,0.1', key: 'calm'}) is error


def test_names_that_no_file_can_have_are_no_files(tmp_path):
    assert not is_file(Path('a\0b'))
    assert not is_file(tmp_path)
    assert not is_file(Path('x' * 9999))


def warnings(folder, caplog, text):
    write_scenario(folder)
    path = folder / 'sweep.yaml'
    path.write_text(f'scenario: tiny.yaml\nseeds: 0:2\n{text}')
    read_sweep_file(str(path)).plan()
    return [record.getMessage() for record in caplog.records]


def test_a_swept_zone_is_told_to_change_no_run(tmp_path, caplog):
    text = 'grid: {world.zones.0.radius: [1, 2]}\nset: {world.zones: [{name: n, center: [1, 1]}]}'
    assert warnings(tmp_path, caplog, text) == [
        'override: world.zones.0.radius: has no effect on a run; it changes only pictures and '
        'files']


def test_a_setting_that_matters_at_another_swept_value_gives_no_warning(tmp_path, caplog):
    text = ('grid: {wind.wind_gust_speed_mean: [0.0, 1.0]}\n'
            'set: {wind.wind_gust_duration: 2.0}\n')
    assert warnings(tmp_path, caplog, text) == []
    text = text.replace('1.0', '-0.0')
    assert 'wind_gust_duration: has no effect without' in warnings(tmp_path, caplog, text)[0]


def test_a_warning_about_the_swept_key_itself_names_its_values(tmp_path, caplog):
    [warning] = warnings(tmp_path, caplog, 'grid: {wind.gamma_boost: [2.0, 3.0]}\n')
    assert 'gamma_boost: has no effect without wake' in warning
    assert warning.endswith(' (at wind.gamma_boost=3.0)')


def test_a_warning_of_a_sweep_over_seeds_names_no_value(tmp_path, caplog):
    [warning] = warnings(tmp_path, caplog, 'set: {wind.wind_gust_duration: 2.0}\n')
    assert ' (at ' not in warning


def test_a_warning_that_holds_for_all_values_names_none(tmp_path, caplog):
    text = ('grid: {wind.wind_gust_speed_mean: [0.0, 1.0], rate: [5, 10]}\n'
            'set: {wind.wind_gust_duration: 2.0, bodies.none.radius: 0.1}\n')
    [found] = warnings(tmp_path, caplog, text)
    assert 'no robot has this body' in found
    assert ' (at ' not in found


def test_a_warning_that_holds_for_a_later_value_is_told(tmp_path, caplog):
    text = 'grid: {robots.0.pose: [[2, 2, 0], [2, 2, 10], [2, 2, 20]], rate: [5, 10]}\n'
    [warning] = warnings(tmp_path, caplog, text)
    assert warning.endswith(' (at robots.0.pose=[2, 2, 10]; alike at 1 other value)')


def test_a_list_without_brackets_that_the_scenario_takes_as_a_text_is_told(tmp_path, caplog):
    text = "set: {robots.0.parameters.mood: '0.5,-1e3', name: 'here, there'}\ngrid: {rate: [5]}\n"
    assert warnings(tmp_path, caplog, text) == [
        "robots.0.parameters.mood: '0.5,-1e3' is one text; several values are a list: [0.5,-1e3]"]


def logged(caplog, axes, told):
    """What is logged of warnings: (axis, place), key and text of each."""
    found = Warnings(axes)
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


def test_warnings_about_one_key_are_one_unless_they_stand_together(caplog):
    told = [((0, i), 'wind.gust', f'ends at {i + 1} s') for i in range(3)]
    assert logged(caplog, AXES, told) == ['here: ends at 1 s (at a=1; alike at 2 other values)']
    caplog.clear()
    told = [((0, i), 'robots', f'robot {k} is lost') for i in range(5) for k in (1, 2)]
    assert logged(caplog, AXES, told) == ['here: robot 1 is lost', 'here: robot 2 is lost']
