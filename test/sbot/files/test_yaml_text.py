"""YAML text to plain values with lines, and back."""

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from sbot.files.yaml_text import _compose, load_mapping, parse_yaml, plain_values
from sbot_common.errors import InputError


@pytest.mark.parametrize(('text', 'message'), [
    ('a: 1\n--- \nb: 2\n', r'x\.yaml:2:1: a second document'),
    ('a: *b\n', r"x\.yaml:1:4: .*no anchor '&b'"),
    ('a: ' + '[' * 200 + ']' * 200, 'nested more than 50 levels deep'),
    ('a:\n\tb: 1\n', 'indent with spaces, not tabs'),
    ('a: [1\n', r'x\.yaml:2:1: not valid YAML')])
def test_errors_name_file_line_and_column(text, message):
    with pytest.raises(InputError, match=message):
        _compose(text, 'x.yaml')


def test_values_have_lines_and_merged_keys_do_not_replace():
    value, origins = parse_yaml('a: &x {b: 1, c: 1e3}\nd:\n  <<: *x\n  b: yes\n', 'f')
    assert value == {'a': {'b': 1, 'c': 1000.0}, 'd': {'b': 'yes', 'c': 1000.0}}
    assert origins.where(('d', 'b')) == 'f:4: d.b'
    assert origins.where(('d', 'unknown')) == 'f:2: d.unknown'


@pytest.mark.parametrize(('text', 'message'), [
    ('a: 1\na: 2', "f:2: key 'a' is given twice, first in line 1"),
    ('a: &x [*x]', 'contains itself through an alias'),
    ('a: 9223372036854775808', 'must fit into 64 bits'),
    ('a: !!set {b}', 'is not allowed in a scenario'), ('"a b": 1', 'white space in it')])
def test_errors_name_file_and_line(text, message):
    with pytest.raises(InputError, match=message):
        parse_yaml(text, 'f')


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


def test_values_are_plain_and_dates_are_text():
    assert load_mapping('x: [1, 2.5, yes, 2026-01-01]', 'm')['x'] == [1, 2.5, True, '2026-01-01']
    assert load_mapping('a: {b: 1}', 'm') == {'a': {'b': 1}}


def test_keys_are_not_merged():
    assert load_mapping('a: &x {b: 1}\nc: {<<: *x}', 'm')['c'] == {'<<': {'b': 1}}


@pytest.mark.parametrize(('text', 'message'), [
    ('[1]', 'm: .*a mapping'), ('a: !!python/name:os.system', 'not valid YAML'),
    ('a: 1\n---\nb: 1', 'a second document')])
def test_what_is_no_mapping_of_plain_values_is_refused(text, message):
    with pytest.raises(InputError, match=message):
        load_mapping(text, 'm')
