"""Sources of a sweep: scenarios of any kind as text, checked with every value that is tried."""

from pathlib import Path

import pytest

import sbot
from sbot.scenario.load import parse_scenario
from sbot.scenario.shipped import shipped_scenarios
from sbot.sweeps.plan import Axis
from sbot.sweeps.sources import is_file, named_source, source_of, with_hint
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
    found = named_source(TEXT, 'here.yaml', str(tmp_path), {}, {}, {}, (), ())
    assert (found.name, found.seed) == ('small', 3)
    drawn = named_source(TEXT.replace('seed: 3', 'seed: null'), 'here.yaml', str(tmp_path), {},
                         {}, {}, (), ())
    assert drawn.seed is None, 'each run draws its own'
    with pytest.raises(InputError, match=r'here\.yaml.*duration'):
        named_source(TEXT, 'here.yaml', str(tmp_path), {'duration': -1}, {}, {}, (), ())
    with pytest.raises(InputError, match='metric'):
        named_source(TEXT, 'here.yaml', str(tmp_path), {}, {}, {}, ['no_such_module:f'], ())


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
