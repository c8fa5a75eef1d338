"""Shipped files: scenarios by name or path, and what is said of a name that is nearly one."""

import os

import pytest

from sbot.scenario import shipped
from sbot.scenario.model import _portable_paths
from sbot.scenario.shipped import config_directory, find_file, find_folder, names_file
from sbot_common.errors import InputError


def test_names_lead_to_files_and_paths_to_themselves(tmp_path):
    for name, path in {**shipped.shipped_scenarios(), **shipped.gallery_scenarios()}.items():
        assert shipped.find_scenario(name) == path
        assert path.is_file()
    mine = tmp_path / 'mine.yaml'
    mine.write_text('')
    assert shipped.find_scenario(str(mine)) == mine
    assert set(shipped.scenario_names()) <= set(shipped.shipped_scenarios())


def test_a_file_of_ones_own_comes_before_a_shipped_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / 'leader_follower').write_text('')
    assert shipped.find_scenario('leader_follower').resolve() == tmp_path / 'leader_follower'


@pytest.mark.parametrize(('name', 'words'), [
    ('leader_folower', "did you mean 'leader_follower'?"),
    ('leader_folower.yaml', "did you mean 'leader_follower'?"),
    ('nothing like it', 'no shipped scenario of that name (see sbot list)'),
    ('', 'no such file'), ('a\0b', ''), ('x' * 9000, 'not a usable file')])
def test_what_is_neither_is_told_with_the_nearest_name(name, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError) as info:
        shipped.find_scenario(name)
    assert words in str(info.value)
    assert '\n' not in str(info.value)


def test_a_nearly_right_file_is_named(tmp_path):
    (tmp_path / 'arena.yaml').write_text('')
    for wrong in ('arena', 'arean.yaml'):
        with pytest.raises(InputError, match=r'did you mean .*arena\.yaml'):
            shipped.find_scenario(str(tmp_path / wrong))
    with pytest.raises(InputError, match='is a directory'):
        shipped.find_scenario(str(tmp_path))


def test_a_file_beside_the_scenario_comes_before_a_shipped_one(tmp_path):
    shipped = next((config_directory() / 'scenarios').glob('*.yaml'))
    name = f'scenarios/{shipped.name}'
    assert find_file(name, tmp_path, 'k') == os.path.abspath(shipped)
    (tmp_path / 'scenarios').mkdir()
    (tmp_path / name).write_text('')
    assert find_file(name, tmp_path, 'k') == str(tmp_path / name)


def test_an_absolute_path_that_is_gone_leads_to_its_name_beside_the_scenario(tmp_path):
    (tmp_path / 'map.yaml').write_text('')
    assert find_file('/gone/with/map.yaml', tmp_path, 'k') == str(tmp_path / 'map.yaml')


@pytest.mark.parametrize(('text', 'where', 'words'), [
    ('$(find pkg)/a', 'world.map', 'belongs to xacro and launch files'),
    ('missing.yaml', 'world.map', 'expected an existing file'),
    ('folder', 'world.map', 'expected a regular file'),
    ('missing.csv', 'sensors.infrared_table', 'expected one of '),
    ('a\0b', 'world.map', 'expected an existing file')])
def test_what_is_no_file_is_named(tmp_path, text, where, words):
    (tmp_path / 'folder').mkdir()
    with pytest.raises(InputError) as info:
        find_file(text, tmp_path, where)
    assert str(info.value).startswith(f'{where}: got')
    assert words in str(info.value)


@pytest.mark.parametrize(('there', 'text', 'near'), [
    ('lab.yaml', 'lab', 'lab.yaml'), ('lab.yaml', 'lap.yaml', 'lab.yaml'),
    ('hall.yaml', 'lab', None), ('lab.yaml/x', 'lab', None)])
def test_a_file_of_nearly_the_same_name_is_named(tmp_path, there, text, near):
    (tmp_path / there).parent.mkdir(exist_ok=True)
    (tmp_path / there).write_text('')
    with pytest.raises(InputError) as info:
        find_file(text, tmp_path, 'world.map')
    assert str(info.value).endswith(f'; did you mean {near}?' if near else ' or absolute')


def test_a_folder_that_is_not_there_is_named_all_the_same(tmp_path):
    assert find_folder('mine', tmp_path) == str(tmp_path / 'mine')
    (tmp_path / 'other').mkdir()
    assert find_folder('other', tmp_path) == str(tmp_path / 'other')


@pytest.mark.parametrize(('keys', 'value', 'expected'), [
    (('world', 'map'), 'a.yaml', True), (('world', 'map'), '', False),
    (('world', 'map'), None, False), (('sensors', 'infrared_table'), 'mine.csv', True)])
def test_which_values_name_files(keys, value, expected):
    assert names_file(keys, value) is expected


def test_a_built_in_table_is_no_file():
    from sbot_sim.sensors.infrared_table import TABLES
    assert not any(names_file(('sensors', 'infrared_table'), name) for name in TABLES)


def test_shipped_files_get_names_that_others_can_use(tmp_path):
    mine, config = str(tmp_path / 'mine.yaml'), os.path.abspath(config_directory())
    values = {'world': {'map': os.path.join(config, 'a', 'm.yaml')},
              'wind': {'custom_wind_field_path': mine}, 'sensors': {'infrared_table': ''},
              'python_path': [mine, os.path.join(os.path.dirname(config), 'examples', 'b')],
              'controllers': {}, 'robots': [{'controller': 'none', 'parameters': {}}]}
    found = _portable_paths(values)
    assert found['world']['map'] == os.path.join('a', 'm.yaml')
    assert found['wind']['custom_wind_field_path'] == mine
    assert found['python_path'] == [mine, os.path.join('..', 'examples', 'b')]
    assert values['world']['map'].startswith(config), 'the values themselves stay'
