"""Progress where something is compiled, nothing where it is loaded."""

import io
import re

import pytest

from sbot_common import compilation_notice as notice
from sbot_common.compilation_notice import Expected
from sbot_common.compiled.jit import njit

FEW = Expected(12, 15.0)


@pytest.fixture(autouse=True)
def a_new_process(monkeypatch):
    monkeypatch.setattr(notice, '_notices', [])


def make_function(tmp_path, monkeypatch):
    monkeypatch.setattr('sbot_common.compiled.cache.CACHE_DIRECTORY', tmp_path)

    @njit
    def twice(x):
        return x + x
    return twice


def test_it_is_said_once_a_process_and_only_where_something_is_compiled(tmp_path, monkeypatch,
                                                                        capsys):
    with FEW.announced():
        assert make_function(tmp_path, monkeypatch)(2) == 4
        assert make_function(tmp_path, monkeypatch)(2.5) == 5.0
    assert capsys.readouterr().err == 'compiling 1 of about 12 functions, about 15 s\n'
    with FEW.announced():
        make_function(tmp_path, monkeypatch)(1j)
    assert capsys.readouterr().err == ''


def test_what_is_loaded_says_nothing(tmp_path, monkeypatch, capsys):
    make_function(tmp_path, monkeypatch)(2)
    with FEW.announced():
        again = make_function(tmp_path, monkeypatch)
        assert again(2) == 4
    assert sum(again.stats.cache_hits.values()) == 1
    assert capsys.readouterr().err == ''


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_terminal_has_one_line_that_counts(tmp_path, monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr('sys.stderr', terminal)
    with Expected(3, 15.0).announced():
        for value in (2, 2.5, 1j, True, (1,)):
            make_function(tmp_path, monkeypatch)(value)
    text = terminal.getvalue()
    assert text.count('\n') == 1
    assert text.endswith('\n')
    counts = re.findall(r'\rcompiling (\d+) of about (\d+) functions, about \d+ s', text)
    assert counts == [('1', '3'), ('2', '3'), ('3', '3'), ('4', '4'), ('5', '5')]


def test_a_log_has_one_line(tmp_path, monkeypatch, capsys):
    shown = []
    with FEW.announced(shown.append):
        make_function(tmp_path, monkeypatch)(2)
        make_function(tmp_path, monkeypatch)(2.5)
    assert shown == ['compiling 1 of about 12 functions, about 15 s']
    assert capsys.readouterr().err == ''


def test_what_shall_be_quiet_says_nothing(tmp_path, monkeypatch, capsys):
    notice.silence()
    with FEW.announced():
        make_function(tmp_path, monkeypatch)(2)
    assert capsys.readouterr().err == ''
