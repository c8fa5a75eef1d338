"""Points of a sweep's figure."""

import pytest

from sbot.sweeps.results.points import points_of
from sbot.sweeps.results.show import Results


def results(values, **keys):
    return Results(tuple(keys), (), {'run': list(range(len(values))), **keys, 'metric': values})


def test_a_point_has_the_values_of_its_runs_and_how_many_began():
    found = points_of(results([1.5, None, 3.5, 4.5], x=[1, 1, 1, 2], y=['a', 'a', 'b', 'b']),
                      'metric', ['x', 'y'])
    assert found.lines == {('a',): {1: [1.5]}, ('b',): {1: [3.5], 2: [4.5]}}
    assert found.started == {(('a',), 1): 2, (('b',), 1): 1, (('b',), 2): 1}
    assert (found.numeric, found.share, found.counts) == (True, False, False)
    assert [found.lacks_values((label,)) for label in 'ab'] == [True, False]


@pytest.mark.parametrize(('values', 'band'), [
    ([0.5 * k for k in range(11)], (0.5, 2.5, 4.5)), ([3, 5, 4, 9], (3.0, 4.5, 9.0)),
    ([0, 1, 1, 1], (pytest.approx(0.30, abs=0.01), 0.75, pytest.approx(0.954, abs=0.01)))])
def test_bands_are_percentiles_of_numbers_and_counts_and_intervals_of_shares(values, band):
    found = points_of(results(values, x=[1] * len(values)), 'metric', ['x'])
    assert found.band(found.lines[()][1]) == band
