"""Messages are one line of sensible length, whatever they quote."""

import os
import signal
import socket
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sbot_common.errors import (
    LONGEST,
    InputError,
    decoding,
    first_of,
    open_regular,
    plain_lines,
    read_small,
    shown,
)

EVIL = 'a\x1b]0;title\x07\x9b31m\u202eb'

plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner) | st.tuples(inner))


@pytest.mark.parametrize('length', [200, LONGEST, 3 * LONGEST])
def test_escapes_are_counted(length):
    assert len(str(InputError('\udcff' * length))) <= LONGEST


@given(st.text(max_size=3000))
def test_a_message_is_one_printable_line(text):
    message = str(InputError(text))
    assert message.isprintable()
    assert len(message) <= LONGEST
    if text.isprintable() and len(text) <= LONGEST:
        assert message == text


def test_a_long_message_keeps_its_beginning_and_its_end():
    message = str(InputError(f'file.yaml:3: {"x" * 5000}, expected a number'))
    assert message.startswith('file.yaml:3: xxx')
    assert message.endswith('xxx, expected a number')
    assert len(message) <= LONGEST


@given(plain)
def test_values_are_shown_as_repr_writes_them(value):
    text = repr(value)
    assert shown(value) == (text if len(text) <= 80 else text[:77] + '...')


@pytest.mark.parametrize('error', [KeyError('x'), RecursionError(), MemoryError(), OSError(5, 'a'),
                                   UnicodeDecodeError('utf-8', b'\xff', 0, 1, 'bad')])
def test_what_a_decoder_raises_becomes_an_input_error(error):
    with pytest.raises(InputError, match='file at byte 3: '), decoding('file at byte 3'):
        raise error


def test_input_errors_pass_as_they_are():
    with pytest.raises(InputError, match=r'^mine$'), decoding('other'):
        raise InputError('mine')


def test_line_breaks_stay_and_other_control_characters_are_escaped():
    assert plain_lines(f'1 {EVIL}\n2') == '1 a\\x1b]0;title\\x07\\x9b31m\\u202eb\n2'


def test_warnings_of_a_process_are_plain():
    done = subprocess.run(
        [sys.executable, '-c', 'import logging, sys, warnings\n'
         'from sbot_common.errors import keep_warnings_plain\n'
         'keep_warnings_plain()\n'
         'warnings.warn(sys.argv[1])\n'
         'logging.getLogger("x").warning(sys.argv[1])', EVIL],
        capture_output=True, text=True, check=True)
    assert done.stderr.count('a\\x1b]0;title\\x07\\x9b31m\\u202eb') == 2
    assert '\x1b' not in done.stderr
    assert '\x07' not in done.stderr


@pytest.mark.parametrize(('count', 'text'), [
    (0, ''), (1, 'a'), (2, 'a, b'), (4, 'a, b and 2 more')])
def test_the_first_of_many_words_and_how_many_more(count, text):
    assert first_of(list('abcd')[:count], 2) == text


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
        assert read_small(tmp_path / name, 5) == b'12345'
        with pytest.raises(ValueError, match='more than'):
            read_small(tmp_path / name, 4)


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
