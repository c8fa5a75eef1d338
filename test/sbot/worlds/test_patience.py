import time

from sbot.worlds.patience import announced


def test_it_says_what_takes_long_and_nothing_else(capsys):
    with announced('later', after=1e9):
        pass
    end = time.monotonic() + 60.0
    with announced('still at it', after=0.0):
        while capsys.readouterr().err != 'still at it\n':
            assert time.monotonic() < end
    assert capsys.readouterr().err == ''
