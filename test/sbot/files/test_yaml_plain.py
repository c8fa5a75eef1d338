"""YAML of recordings: plain values, dates as text, no merging."""

import pytest

from sbot.files.yaml_plain import load_mapping, load_plain
from sbot_common.errors import InputError


def test_values_are_plain_and_dates_are_text():
    assert load_plain('[1, 2.5, yes, 2026-01-01]', 'm') == [1, 2.5, True, '2026-01-01']
    assert load_mapping('a: {b: 1}', 'm') == {'a': {'b': 1}}


def test_keys_are_not_merged():
    assert load_mapping('a: &x {b: 1}\nc: {<<: *x}', 'm')['c'] == {'<<': {'b': 1}}


@pytest.mark.parametrize(('text', 'message'), [
    ('[1]', 'm: .*a mapping'), ('a: !!python/name:os.system', 'not valid YAML'),
    ('a: 1\n---\nb: 1', 'a second document')])
def test_what_is_no_mapping_of_plain_values_is_refused(text, message):
    with pytest.raises(InputError, match=message):
        load_mapping(text, 'm')
