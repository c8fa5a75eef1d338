"""Shipped files: scenarios by name or path, and what is said of a name that is nearly one."""

import pytest

from sbot.scenario import shipped
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


def test_only_configuration_and_examples_are_the_packages_own():
    config, examples = shipped.own_folders()
    assert (config / 'scenarios').is_dir()
    assert (examples / 'gallery').is_dir()
    assert examples.parent == config.parent


def test_a_home_that_is_not_there_is_left_as_it_is():
    assert str(shipped.expanded('~no_such_user_here/a')) == '~no_such_user_here/a'
    assert '~' not in str(shipped.expanded('~/a'))
