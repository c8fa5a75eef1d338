"""Columns of a sweep and their types."""

from sbot.files.yaml_text import LARGEST
from sbot.sweeps.results.rows import is_own, kind_of, kind_of_value


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
