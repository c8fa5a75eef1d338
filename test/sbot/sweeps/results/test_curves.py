"""Which swept parameter is along x, which tell curves apart, which are taken together."""

import pytest

from sbot.sweeps.results.curves import MOST_CURVES, Curves, choose_curves
from sbot.sweeps.results.show import Results
from sbot_common.errors import InputError


def results(**keys):
    """Results of all combinations of so many values of each key, 0, 1, ..."""
    rows = [()]
    for count in keys.values():
        rows = [(*row, value) for row in rows for value in range(count)]
    columns = {key: [row[i] for row in rows] for i, key in enumerate(keys)}
    return Results(tuple(keys), (), {'run': list(range(len(rows))), **columns})


@pytest.mark.parametrize(('by', 'pool', 'curves', 'note'), [
    ([], [], Curves('x', ('y', 'z')), ''),
    (['y'], [], Curves('y', ('x', 'z')), ''),
    (['y'], ['x'], Curves('y', ('z',), ('x',)), 'over 3 values of x'),
    (['y', 'x'], [], Curves('y', ('x',), ('z',)), 'over 2 values of z'),
    (['x'], ['y', 'z'], Curves('x', (), ('y', 'z')), 'over 4 values of y; over 2 values of z'),
    ([], ['x'], Curves('y', ('z',), ('x',)), 'over 3 values of x')])
def test_each_swept_parameter_has_a_place(by, pool, curves, note):
    swept = results(x=3, y=4, z=2)
    found = choose_curves(swept, by, pool)
    assert found == curves
    assert found.note(swept) == note


def test_parameters_with_too_many_values_for_curves_are_taken_together():
    swept = results(x=2, y=MOST_CURVES, z=2)
    assert choose_curves(swept) == Curves('x', ('y',), ('z',))
    assert choose_curves(results(x=2, y=MOST_CURVES + 1, z=2)) == Curves('x', ('z',), ('y',))
    with pytest.raises(InputError, match='with at most 10 values, not 20'):
        choose_curves(swept, ['x', 'y', 'z'])


def test_what_changes_together_with_x_is_no_curve_but_is_told():
    pair = Results(('a', 'b.c', 'd'), (), {'run': [0, 1, 2], 'a': [1, 2, 3], 'b.c': [4, 5, 5],
                                           'd': [7, 7, 7]})
    found = choose_curves(pair)
    assert found == Curves('a', (), (), ('b.c',))
    assert found.note(pair) == 'c changes too'


@pytest.mark.parametrize(('by', 'pool', 'message'), [
    (['x', 'x'], [], '--by, --pool: x: is given twice'), (['q'], [], "--by: unknown name 'q'"),
    ([], ['q'], "--pool: unknown name 'q'"), (['x'], ['x'], 'x: is given twice'),
    ([], ['x', 'y'], '--pool cannot be combined with no parameter along x')])
def test_mistakes_are_told(by, pool, message):
    with pytest.raises(InputError, match=message):
        choose_curves(results(x=2, y=2), by, pool)


def test_a_near_name_is_asked_about():
    with pytest.raises(InputError, match=r"unknown name 'spaceing'; did you mean 'spacing'\?"):
        choose_curves(results(**{'robots.*.parameters.spacing': 2, 'rate': 2}), ['spaceing'])


def test_a_sweep_over_seeds_alone_has_no_figure():
    with pytest.raises(InputError, match='needs a swept parameter; this sweep has only seeds'):
        choose_curves(results())
