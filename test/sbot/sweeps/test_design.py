import math

import numpy as np
import pytest
from scipy.stats import qmc

from sbot.sweeps.design import latin_hypercube, sample_axis, spread_of
from sbot_common.errors import InputError


def test_a_latin_hypercube_has_one_point_in_each_stratum():
    spreads = {'a': spread_of([0, 10], ''), 'b': spread_of({'low': 1, 'high': 100,
                                                            'scale': 'log'}, '')}
    [axis] = sample_axis(spreads, 20, 'latin_hypercube', 3)
    assert axis.keys == ('a', 'b')
    assert sorted(int(value * 2) for value in axis.columns[0]) == list(range(20))
    assert sorted(int(math.log10(value) * 10) for value in axis.columns[1]) == list(range(20))


@pytest.mark.parametrize(('count', 'dimensions', 'seed'),
                         [(1, 1, 0), (7, 3, 1), (1000, 5, 2**40)])
def test_a_latin_hypercube_has_the_bits_of_scipys(count, dimensions, seed):
    generator = np.random.Generator(np.random.PCG64(seed))
    expected = qmc.LatinHypercube(dimensions, seed=generator).random(count)
    assert latin_hypercube(seed, count, dimensions).tobytes() == expected.tobytes()


def test_random_points_are_not_stratified_but_inside():
    [axis] = sample_axis({'a': spread_of([2, 4], '')}, 200, 'random', 1)
    assert all(2 <= value < 4 for value in axis.columns[0])
    assert len({int((value - 2) * 100) for value in axis.columns[0]}) < 150


@pytest.mark.parametrize('method', ['random', 'latin_hypercube'])
def test_same_seed_same_points(method):
    spreads = {'a': spread_of([0, 1], '')}
    points = [sample_axis(spreads, 5, method, seed)[0].columns[0] for seed in (1, 1, 2)]
    assert points[0] == points[1] != points[2]


def test_whole_numbers_and_choices_are_drawn_evenly():
    spreads = {'n': spread_of({'low': 1, 'high': 4, 'integer': True}, ''),
               'c': spread_of({'choices': ['x', [1, 2]]}, '')}
    [axis] = sample_axis(spreads, 8, 'latin_hypercube', 1)
    assert sorted(axis.columns[0]) == [1, 1, 2, 2, 3, 3, 4, 4]
    assert all(isinstance(value, int) for value in axis.columns[0])
    assert sum(value == 'x' for value in axis.columns[1]) == 4
    assert sum(value == [1, 2] for value in axis.columns[1]) == 4


@pytest.mark.parametrize('given', [
    3, [1], [2, 1], [1, 'x'], {'low': 1}, {'low': 0, 'high': 1, 'scale': 'log'},
    {'low': 0.5, 'high': 2, 'integer': True}, {'choices': []}, {'choices': [1], 'low': 2},
    [0, math.inf], {'low': 1, 'high': 2, 'scale': 'cubic'}])
def test_bad_spreads_are_refused(given):
    with pytest.raises(InputError, match=r'^here: got'):
        spread_of(given, 'here')


def test_misspelt_names_are_told():
    with pytest.raises(InputError, match="unknown name 'hihg'; did you mean 'high'"):
        spread_of({'low': 1, 'hihg': 2}, 'here')
    with pytest.raises(InputError, match="did you mean 'random'"):
        sample_axis({'a': spread_of([0, 1], '')}, 1, 'randon', 1)
    with pytest.raises(InputError, match=r'sample\.count: got 0'):
        sample_axis({'a': spread_of([0, 1], '')}, 0, 'random', 1)
