"""Columns of a sweep and their types; rows that can be of a plan."""

import pytest

from sbot.files.yaml_text import LARGEST
from sbot.sweeps.plan import Plan, Source, grid_axes
from sbot.sweeps.results.rows import fits, is_own, kind_of, kind_of_value

PLAN = Plan((Source('one', 'text', 'one.yaml', '/', None),), {}, tuple(grid_axes({'a': [1, 2.5]})),
            range(5, 7), ('m:wobble',))
GOOD = {'run': 3, 'scenario': 'one', 'seed': 6, 'a': 2.5, 'error': None, 'wall_time_s': 0.5}


def test_kinds():
    kinds = map(kind_of_value, (True, 1, 1.5, 'x', None, LARGEST + 1))
    assert list(kinds) == ['bool', 'int', 'float', 'text', 'text', 'text']
    for values, kind in (((1, None), 'int'), ((1, 2.5), 'float'), ((1, True), 'text'),
                         (range(3), 'int'), ((), 'text')):
        assert kind_of(values) == kind


def test_columns_of_one_robot():
    assert is_own('robot_12_x_m')
    for name in ('robot_x_m', 'robot_1_z', 'robot_count', 'rob_1_x_m'):
        assert not is_own(name)


@pytest.mark.parametrize(('given', 'fit'), [
    ({}, True), ({'robot_0_x_m': 1.5}, True), ({'wobble': 1}, True), ({'wobble.a': 'x'}, True),
    ({'error': 'no'}, True), ({'run': 4}, False), ({'seed': 5}, False), ({'scenario': 'b'}, False),
    ({'error': 3}, False), ({'robot_count': 'many'}, False), ({'ticks': 1.5}, False),
    ({'unknown': 1}, False), ({'wobble.\ud800': 1}, False)])
def test_a_row_fits_its_plan(given, fit):
    assert fits(PLAN)({**GOOD, **given}) == fit
    assert not fits(PLAN)({key: value for key, value in GOOD.items() if key != 'wall_time_s'})
