"""Which files and folders others can write to."""

import os
import stat
from types import SimpleNamespace

import pytest

from sbot_common.compiled import private_files
from sbot_common.compiled.private_files import (
    is_private,
    make_private,
    shared_part,
    write_private,
)

pytestmark = pytest.mark.skipif(not hasattr(os, 'getuid'), reason='POSIX only')


def status(mode, owner=None):
    return SimpleNamespace(st_mode=stat.S_IFREG | mode, st_gid=4711,
                           st_uid=os.getuid() if owner is None else owner)


@pytest.mark.parametrize(('mode', 'private'), [
    (0o600, True), (0o755, True), (0o775, False), (0o757, False), (0o1777, False)])
def test_modes(mode, private):
    assert is_private(status(mode)) is private


def test_owners(monkeypatch):
    assert is_private(status(0o644, 0))
    monkeypatch.setattr(os, 'getuid', lambda: 1000)
    assert is_private(status(0o644, 1000))
    assert is_private(status(0o644, 0))
    assert not is_private(status(0o600, 1001))


@pytest.mark.parametrize(('name', 'members', 'private'), [
    ('ada', [], True), ('ada', ['ada'], True), ('ada', ['bob'], False), ('staff', [], False)])
def test_the_group_of_a_user_is_the_user(monkeypatch, name, members, private):
    """As where the umask is 002."""
    monkeypatch.setattr('pwd.getpwuid', lambda _: SimpleNamespace(pw_name='ada', pw_gid=4711))
    monkeypatch.setattr('grp.getgrgid', lambda _: SimpleNamespace(gr_name=name, gr_mem=members))
    assert is_private(status(0o775)) is private


def test_folders_are_made_for_this_user_alone(tmp_path):
    made = make_private(tmp_path / 'a' / 'b')
    assert [path.stat().st_mode & 0o777 for path in (made, made.parent)] == [0o700, 0o700]
    assert make_private(made) == made
    (tmp_path / 'link').symlink_to(made)
    assert make_private(tmp_path / 'link' / 'c') == made / 'c'
    write_private(made / 'file', b'x')
    assert (made / 'file').stat().st_mode & 0o777 == 0o600
    with pytest.raises(FileExistsError):
        write_private(made / 'file', b'y')


@pytest.mark.parametrize('mode', [0o777, 0o770])
def test_a_shared_folder_anywhere_above_is_found(tmp_path, mode):
    folder = make_private(tmp_path / 'a' / 'b')
    assert shared_part(folder) is None
    for part in (folder, folder.parent):
        part.chmod(mode)
        os.chown(part, -1, 4711) if os.getuid() == 0 else part.chmod(0o777)
        assert shared_part(folder) == part
        part.chmod(0o700)
    assert shared_part(folder) is None
    assert private_files._CHECKED
