import json
import math

import numpy as np
import pytest
from scipy.stats import qmc

from sbot.sweeps.plan import (
    MAX_RUNS,
    Axis,
    Plan,
    Source,
    _latin_hypercube,
    _parse_range,
    sample_axis,
    seeds_of,
    spread_of,
    values_of,
    zip_axis,
)
from sbot.sweeps.request import _grid_axes
from sbot_common.errors import InputError

ONE = Source('one', 'text', 'one.yaml', '/', 7)


def plan(*axes, sources=(ONE,), seeds=(1, 2), fixed=None, metrics=()):
    return Plan(tuple(sources), fixed or {}, tuple(axes), seeds, metrics)


def test_every_combination_the_seed_fastest():
    made = plan(*_grid_axes({'a': [1, 2], 'b': ['x', 'y']}), *zip_axis({'c': [5, 6], 'd': [7, 8]}),
                sources=(ONE, ONE._replace(name='two')), fixed={'e': 9})
    runs = [made[i] for i in range(len(made))]
    assert len(runs) == 2 * 2 * 2 * 2 * 2
    assert [(run.source, *run.values.values(), run.seed) for run in runs] == [
        (s, a, b, c, d, seed) for s in (0, 1) for a in (1, 2) for b in 'xy'
        for c, d in ((5, 7), (6, 8)) for seed in (1, 2)]
    assert made.keys == tuple(runs[0].values) == ('a', 'b', 'c', 'd')
    with pytest.raises(IndexError):
        made[len(made)]


def test_samples_have_each_value_once_and_the_first_ones_together():
    made = plan(*_grid_axes({'a': [1, 2], 'b': 'xyz'}), *zip_axis({'c': [5, 6], 'd': [7, 8]}),
                sources=(ONE, ONE._replace(name='two')))
    found = list(made.samples())
    assert [(run.source, ''.join(map(str, run.values.values())), run.seed) for run in found] == [
        (source, values, 1) for source in (0, 1)
        for values in ('1x57', '2x57', '1y57', '1z57', '1x68')]
    assert all(made[run.number] == run for run in found)


def test_without_seeds_each_scenario_has_its_own():
    made = plan(sources=(ONE, ONE._replace(name='two', seed=8)), seeds=())
    assert [made[i].seed for i in range(len(made))] == [7, 8]
    with pytest.raises(InputError, match='a sweep needs one'):
        plan(sources=(ONE._replace(seed=None),), seeds=())


def test_a_plan_of_any_length_is_made_run_by_run():
    made = plan(*_grid_axes({'a': range(100), 'b': range(100)}), seeds=range(1000))
    assert len(made) == MAX_RUNS
    run = made[MAX_RUNS - 1]
    assert (run.values, run.seed) == ({'a': 99, 'b': 99}, 999)
    assert len(json.dumps(made.to_json())) < 1000


@pytest.mark.parametrize('sizes', [[MAX_RUNS, 2], [10**7] * 30])
def test_more_runs_than_anybody_has_time_for_are_refused(sizes):
    with pytest.raises(InputError, match=r'^sweep: got .* runs, expected at most 10000000$'):
        plan(*_grid_axes({f'a{i}': range(size) for i, size in enumerate(sizes)}))


@pytest.mark.parametrize(('axes', 'fixed', 'message'), [
    (_grid_axes({'a': [1]}) * 2, {}, 'a: is given twice'),
    (_grid_axes({'a': [1]}), {'a': 2}, 'a: is given twice'),
    (_grid_axes({'seed': [1]}), {}, 'give seeds'),
    ([Axis(('a', 'b'), ([1, 2], [1]))], {}, 'a, b: got 2, 1 values')])
def test_what_contradicts_itself_is_refused(axes, fixed, message):
    with pytest.raises(InputError, match=message):
        plan(*axes, fixed=fixed)


def test_scenarios_of_one_name_are_refused():
    with pytest.raises(InputError, match="two have the name 'one'"):
        plan(sources=(ONE, ONE))


def test_a_plan_knows_another():
    made = plan(*_grid_axes({'a': [0.1, 0.2], 'b': range(3)}), seeds=range(5), metrics=('m:f',))
    other = plan(*_grid_axes({'a': [0.1, 0.3], 'b': range(3)}), seeds=range(5), metrics=('m:g',))
    assert made.differences(other) == ['axes', 'metrics']


def test_batches_leave_out_what_is_done():
    found = list(plan(seeds=range(7)).batches([1, 3], 2))
    assert [[run.number for run in batch] for batch in found] == [[0, 2], [4, 5], [6]]


@pytest.mark.parametrize(('text', 'expected'), [
    ('0:5', [0, 1, 2, 3, 4]), ('0:0.4:0.1', [0.0, 0.1, 0.2, 0.3]), ('1:0:-0.5', [1.0, 0.5]),
    ('0:4:2', [0, 2]), ('5:0:-2', [5, 3, 1]), ('1e-3:3e-3:1e-3', [0.001, 0.002])])
def test_a_range_has_exact_steps_and_not_its_end(text, expected):
    found = _parse_range(text, 'here')
    assert list(found) == expected
    assert all(type(a) is type(b) for a, b in zip(found, expected, strict=True))


@pytest.mark.parametrize('text', ['1', 'module:Class', '1:2:3:4', 'a:b'])
def test_other_texts_are_no_ranges(text):
    assert _parse_range(text, 'here') is None
    assert values_of(text, 'here') == [text]


@pytest.mark.parametrize('text', ['0:5:0', '5:0', '0:1e12'])
def test_empty_and_endless_ranges_are_refused(text):
    with pytest.raises(InputError, match=r'^here: got .* expected a range first:end:step of 1 to'):
        _parse_range(text, 'here')


def test_a_list_holds_values_and_a_list_in_it_is_one():
    assert values_of([[28, 12], [20, 5]], 'here') == [[28, 12], [20, 5]]
    assert values_of([1, 'a'], 'here') == [1, 'a']
    assert values_of(3, 'here') == [3]
    with pytest.raises(InputError, match='at least one'):
        values_of([], 'here')


@pytest.mark.parametrize(('given', 'expected'), [
    (3, [3]), ('3', [3]), ('0:3', [0, 1, 2]), ('1,5', [1, 5]), ([1, '5:7'], [1, 5, 6]),
    (range(2), [0, 1]), ('4,7:9', [4, 7, 8])])
def test_seeds(given, expected):
    assert list(seeds_of(given, 'seeds')) == expected


@pytest.mark.parametrize('given', [-1, 1.5, True, 'x', [], [1, 1], '0:2:0.5', 2**63])
def test_bad_seeds_are_refused(given):
    with pytest.raises(InputError, match=r'^seeds: got'):
        seeds_of(given, 'seeds')


def test_many_seeds_take_no_memory():
    assert isinstance(seeds_of('0:1000000', 'seeds'), range)


def test_a_latin_hypercube_has_one_point_in_each_stratum():
    spreads = {'a': spread_of([0, 10], ''), 'b': spread_of({'low': 1, 'high': 100,
                                                            'scale': 'log'}, '')}
    [axis] = sample_axis(spreads, 20, 'latin_hypercube', 3)
    assert axis.keys == ('a', 'b')
    assert sorted(int(value * 2) for value in axis.columns[0]) == list(range(20))
    assert sorted(int(math.log10(value) * 10) for value in axis.columns[1]) == list(range(20))


@pytest.mark.parametrize(('count', 'dimensions', 'seed'), [(1, 1, 0), (7, 3, 1), (1000, 5, 2**40)])
def test_a_latin_hypercube_has_the_bits_of_scipys(count, dimensions, seed):
    generator = np.random.Generator(np.random.PCG64(seed))
    expected = qmc.LatinHypercube(dimensions, seed=generator).random(count)
    assert _latin_hypercube(seed, count, dimensions).tobytes() == expected.tobytes()


def test_random_points_are_not_stratified_but_inside():
    [axis] = sample_axis({'a': spread_of([2, 4], '')}, 200, 'random', 1)
    assert all(2 <= value < 4 for value in axis.columns[0])
    assert len({int((value - 2) * 100) for value in axis.columns[0]}) < 150


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
    [0, math.inf], {'low': 1, 'high': 2, 'scale': 'cubic'}, {'low': 0, 'high': 1e300,
    'integer': True}])
def test_bad_spreads_are_refused(given):
    with pytest.raises(InputError, match=r'^here: got'):
        spread_of(given, 'here')


def test_misspelt_names_are_told():
    with pytest.raises(InputError, match="unknown name 'hihg'; did you mean 'high'"):
        spread_of({'low': 1, 'hihg': 2}, 'here')
