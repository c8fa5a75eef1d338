"""Errors of failed runs."""

from sbot.sweeps.results.failures import frequent_errors


def test_the_most_frequent_errors_come_first_whatever_their_ticks():
    errors = ['no\x1b', *(f'robot 0 at tick {k}: ValueError: 12 / 0' for k in (7, 30)), 'b', 'c',
              'd']
    assert frequent_errors(errors) == ['2 runs: robot 0 at tick 7: ValueError: 12 / 0',
                                       '1 run: no\\x1b', '1 run: b', '2 runs: other errors']
    assert frequent_errors([]) == []
