"""Functions are compared by what they do, and not by where they stand."""

import pytest

from neural_controller.function_source import Source, function_of, is_same, source_of

FIRST, SECOND = 1.0, 2.0
TEXT = """def f(a, b, c=1.0, *, d=(1, 2)):
    total = a - b
    for i in range(3):
        if total > FIRST:
            total += SECOND * i
    return [max(x, SECOND) for x in (total, c)]
"""


def made(text):
    return function_of(Source(text, {}, {'FIRST': FIRST, 'SECOND': SECOND}), 'f', 'a test')


@pytest.mark.parametrize(('old', 'new'), [
    ('a - b', 'b - a'), ('total > FIRST', 'FIRST > total'), ('> FIRST', '> SECOND'),
    ('SECOND * i', 'FIRST * i'), ('c=1.0', 'c=1'), ('c=1.0', 'c=2.0'), ('d=(1, 2)', 'd=(1, 3)'),
    ('max(x', 'min(x'), ('(total, c)', '(c, total)'), ('range(3)', 'range(4)'),
    ('a, b, c', 'b, a, c'), ('c=1.0, *, d', 'c=1.0, d'), ('total +=', 'total -=')])
def test_another_function_is_not_the_same(old, new):
    assert is_same(made(TEXT), made(TEXT))
    assert not is_same(made(TEXT), made(TEXT.replace(old, new)))


def test_where_a_function_stands_makes_no_difference():
    share, more = 0.25, 4.0

    def inner(a, b):
        def again(c):
            return c * share
        return again(a) - sum([more * x for x in (a, b)])
    alone = function_of(source_of(inner), 'inner', 'a test')
    assert is_same(inner, alone)
    assert inner(1.0, 2.0) == alone(1.0, 2.0)
