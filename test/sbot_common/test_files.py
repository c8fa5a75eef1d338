import os
import signal
import socket

import pytest

from sbot_common.errors import InputError
from sbot_common.files import open_regular, read_regular


@pytest.fixture(autouse=True)
def alarm():
    """Whatever waits for ever fails after a while."""
    def late(number, frame):
        raise AssertionError('waits for ever')
    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(240)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def test_a_regular_file_is_read_also_through_a_link(tmp_path):
    (tmp_path / 'a').write_bytes(b'12345')
    (tmp_path / 'b').symlink_to('a')
    for name in ('a', 'b'):
        assert read_regular(tmp_path / name) == b'12345'
        assert read_regular(tmp_path / name, 3) == b'123'


@pytest.mark.parametrize(('kind', 'words'), [
    ('pipe', 'got a pipe'), ('link', 'got a pipe'), ('socket', 'got a socket'),
    ('folder', 'got a folder')])
def test_what_is_no_regular_file_is_refused_at_once(tmp_path, kind, words, monkeypatch):
    monkeypatch.chdir(tmp_path)  # names of sockets are short
    os.mkfifo('pipe')
    os.symlink('pipe', 'link')
    os.mkdir('folder')
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind('socket')
        with pytest.raises(InputError, match=f'^{kind}: {words}, expected a regular file'):
            open_regular(kind)


@pytest.mark.parametrize('path', ['/dev/zero', '/dev/null'])
def test_a_device_is_refused_at_once(path):
    with pytest.raises(InputError, match='got a device, expected a regular file'):
        open_regular(path)


def test_a_missing_file_is_an_os_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        open_regular(tmp_path / 'a')
