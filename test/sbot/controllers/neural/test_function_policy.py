"""The text of a function, with what it uses of its module, gives the function again."""

from sbot.controllers.neural.function_policy import Source

MORE = 4.0


def test_a_function_within_another_stands_alone():
    share = 0.25

    def inner(a, b):
        def again(c):
            return c * share
        return again(a) - sum([MORE * x for x in (a, b)])
    source = Source.of(inner)
    assert source.constants == {'MORE': 4.0, 'share': 0.25}
    assert source.function('inner', 'a test')(1.0, 2.0) == inner(1.0, 2.0)
