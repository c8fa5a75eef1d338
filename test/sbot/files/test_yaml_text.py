"""YAML text to plain values with lines, and back."""

import math

import pytest

from sbot.files.yaml_text import LARGEST, dump_yaml, parse_yaml
from sbot_common.errors import InputError


def test_values_have_lines_and_merged_keys_do_not_replace():
    value, origins = parse_yaml('a: &x {b: 1, c: 1e3}\nd:\n  <<: *x\n  b: yes\n', 'f')
    assert value == {'a': {'b': 1, 'c': 1000.0}, 'd': {'b': 'yes', 'c': 1000.0}}
    assert origins.where(('d', 'b')) == 'f:4: d.b'
    assert origins.where(('d', 'unknown')) == 'f:2: d.unknown'


def test_what_is_written_is_read_again():
    values = {'word': 'yes', 'number': '1e3', 'many': [1, -2.5, True, None], 'far': math.inf,
              'most': LARGEST}
    assert parse_yaml(dump_yaml(values), 'f')[0] == values


@pytest.mark.parametrize(('text', 'message'), [
    ('a: 1\na: 2', "f:2: key 'a' is given twice, first in line 1"),
    ('a: &x [*x]', 'contains itself through an alias'),
    ('a: 9223372036854775808', 'must fit into 64 bits'),
    ('a: !!set {b}', 'is not allowed in a scenario'), ('"a b": 1', 'white space in it')])
def test_errors_name_file_and_line(text, message):
    with pytest.raises(InputError, match=message):
        parse_yaml(text, 'f')
