import io
import sys

import pytest

from sbot.runner.progress import now_and_then, progress_bar


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_terminal_shows_how_much_is_done(monkeypatch):
    monkeypatch.setattr(sys, 'stderr', Terminal())
    with progress_bar(' frames', 4, desc='film.gif', mininterval=0.0, miniters=1) as show:
        for done in (1, 2, 2, 3, 4):
            show(done)
    shown = sys.stderr.getvalue()
    for part in ('film.gif:', '1/4', '3/4', '4/4', 'frames'):
        assert part in shown


@pytest.mark.parametrize(('stream', 'shown'), [(io.StringIO, True), (Terminal, False)])
def test_nothing_is_shown_elsewhere(monkeypatch, stream, shown):
    monkeypatch.setattr(sys, 'stderr', stream())
    with progress_bar(' frames', 4, shown=shown) as show:
        assert show is None
    assert sys.stderr.getvalue() == ''


def test_lines_come_at_once_and_then_each_ten_seconds(monkeypatch, capsys):
    times = iter([5.0, 5.0, 14.9, 15.1, 15.1, 16.0])
    monkeypatch.setattr('time.monotonic', lambda: next(times))
    show = now_and_then()
    for line in ('one', 'two', 'three', 'four'):
        show(lambda line=line: line)
    assert capsys.readouterr().err == 'one\nthree\n'


def test_quiet_shows_no_lines(capsys):
    now_and_then(shown=False)(lambda: 'one')
    assert capsys.readouterr().err == ''
