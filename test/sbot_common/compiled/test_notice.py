"""One line where something is compiled, none where it is loaded."""

from sbot_common.compiled.cache import CodeCache
from sbot_common.compiled.jit import njit
from sbot_common.compiled.notice import compilation_announced


def make_function(tmp_path, monkeypatch):
    monkeypatch.setattr('sbot_common.compiled.cache.CACHE_DIRECTORY', tmp_path)

    @njit
    def twice(x):
        return x + x
    return twice


def test_it_is_shown_once_and_only_where_something_is_compiled(tmp_path, monkeypatch, capsys):
    with compilation_announced('compiling'):
        assert make_function(tmp_path, monkeypatch)(2) == 4
        assert make_function(tmp_path, monkeypatch)(2.5) == 5.0
    assert capsys.readouterr().err == 'compiling\n'
    with compilation_announced('compiling'):
        again = make_function(tmp_path, monkeypatch)
        assert again(2) == 4
    assert sum(again.stats.cache_hits.values()) == 1
    assert capsys.readouterr().err == ''


def test_nobody_listens_after_the_block(tmp_path, monkeypatch):
    shown = []
    with compilation_announced('compiling', shown.append):
        pass
    assert make_function(tmp_path, monkeypatch)(1) == 2
    assert shown == []


def test_a_flushed_function_is_compiled_again(tmp_path, monkeypatch):
    function = make_function(tmp_path, monkeypatch)
    function(1)
    CodeCache(function.py_func, {}).flush()
    assert list(tmp_path.iterdir()) == []
