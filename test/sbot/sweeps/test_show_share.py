"""Shares of runs have the interval of Wilson (1927), held against scipy's."""

import pytest

from sbot.sweeps.show import is_share, wilson_interval


@pytest.mark.parametrize(('count', 'runs'), [(0, 1), (1, 1), (0, 20), (7, 20), (20, 20),
                                             (999, 1000)])
def test_the_interval_is_that_of_scipy(count, runs):
    stats = pytest.importorskip('scipy.stats', reason='scipy is missing (extra fit)')
    expected = stats.binomtest(count, runs).proportion_ci(0.95, method='wilson')
    assert wilson_interval(count, runs) == pytest.approx(tuple(expected), abs=1e-12)


def test_a_share_has_nothing_but_yes_and_no():
    assert is_share([0, 1.0, None, True])
    assert not is_share([0, 1, 2])
    assert not is_share([0.5])
    assert not is_share(['yes', 1])
    assert not is_share([None, None])
