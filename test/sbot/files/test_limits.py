"""Limits can be changed, by their names only."""

from pathlib import Path

import pytest

from sbot.files.limits import VARIABLE, Limits, TemporaryFolder, limits, read_within
from sbot_common.errors import InputError


def test_limits_are_changed_by_the_environment(monkeypatch):
    monkeypatch.delenv(VARIABLE, raising=False)
    assert limits() == Limits()
    monkeypatch.setenv(VARIABLE, 'file_bytes=7, text_values=3')
    assert limits() == Limits()._replace(file_bytes=7, text_values=3)


@pytest.mark.parametrize(('text', 'words'), [
    ('file_byte=7', "did you mean 'file_bytes'"), ('file_bytes=0', 'expected a whole number >= 1'),
    ('file_bytes', 'NAME=NUMBER'), ('file_bytes=1e9', 'NAME=NUMBER')])
def test_bad_limits_are_refused(monkeypatch, text, words):
    monkeypatch.setenv(VARIABLE, text)
    with pytest.raises(InputError, match=words):
        limits()


def test_a_file_is_read_within_its_limit(tmp_path, monkeypatch):
    file = tmp_path / 'file'
    file.write_bytes(b'12345')
    monkeypatch.setenv(VARIABLE, 'file_bytes=5')
    assert read_within(file) == b'12345'
    monkeypatch.setenv(VARIABLE, 'file_bytes=3')
    with pytest.raises(InputError, match=r'^map: .*file: too large: 4 bytes or more, expected at '
                                         r'most 3 \(SBOT_LIMITS=file_bytes='):
        read_within(file, 'map')


def test_a_file_that_cannot_be_read_is_named(tmp_path):
    with pytest.raises(InputError, match=r'none: cannot be read: No such file or directory$'):
        read_within(tmp_path / 'none')
    with pytest.raises(InputError, match='got a folder, expected a regular file'):
        read_within(tmp_path)


def test_a_folder_goes_with_its_object():
    folder = TemporaryFolder('object')
    path = Path(folder.name)
    assert path.is_dir()
    assert path.name.startswith('sbot_object_')
    del folder
    assert not path.exists()
