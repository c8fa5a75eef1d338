"""Values from Python become those of YAML, or the key path is named."""

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from sbot.files.plain_values import plain_values
from sbot_common.errors import InputError


def test_numbers_of_numpy_become_pythons_and_nothing_is_shared():
    given = {'a': np.float64(1.5), 'b': (np.arange(2), Path('x/y')), 'c': Fraction(100, 3)}
    found = plain_values(given)
    assert found == {'a': 1.5, 'b': [[0, 1], 'x/y'], 'c': '100/3'}
    assert type(found['a']) is float
    values = [1]
    assert plain_values(values) == values
    assert plain_values(values) is not values


@pytest.mark.parametrize(('given', 'message'), [
    ({'a': {'b c': 1}}, r'x\.a: key'), ({1: 2}, 'x: key'), ({'a': [{1}]}, r'x\.a\.0: got'),
    ({'a': 2**63}, 'fits into 64 bits'), ({'a': '\ud800'}, 'written as UTF-8')])
def test_what_yaml_cannot_hold_is_named_by_its_key(given, message):
    with pytest.raises(InputError, match=message):
        plain_values(given, 'x')


def test_deep_nesting_is_refused():
    value = []
    for _ in range(100):
        value = [value]
    with pytest.raises(InputError, match='nested more than'):
        plain_values(value)
