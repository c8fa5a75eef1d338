"""Purposes of random numbers: numbers of the list, and numbers of names."""

from sbot_common.random import purposes
from sbot_common.random.purposes import purpose_of


def test_purposes_differ_and_those_of_names_are_above_the_list():
    listed = [value for name, value in vars(purposes).items() if name.isupper()]
    assert len(set(listed)) == len(listed)
    named = {purpose_of(name) for name in ('compass noise', 'compass bias', '')}
    assert len(named) == 3
    assert min(named) >= 2 ** 32 > max(listed)
    assert max(named) < 2 ** 64


def test_a_name_keeps_its_number():
    assert purpose_of('compass noise') == 116906137561482369  # recordings depend on it
