import pytest

from sbot.sweeps.values import parse_range, seeds_of, values_of
from sbot_common.errors import InputError


@pytest.mark.parametrize(('text', 'expected'), [
    ('0:5', [0, 1, 2, 3, 4]), ('0:0.4:0.1', [0.0, 0.1, 0.2, 0.3]), ('1:0:-0.5', [1.0, 0.5]),
    ('0:5:2', [0, 2, 4]), ('0:4:2', [0, 2]), ('5:0:-2', [5, 3, 1]), ('-1:1', [-1, 0]),
    ('1e-3:3e-3:1e-3', [0.001, 0.002]), ('0:1:0.3', [0.0, 0.3, 0.6, 0.9])])
def test_a_range_has_exact_steps_and_not_its_end(text, expected):
    found = parse_range(text, 'here')
    assert list(found) == expected
    assert all(type(a) is type(b) for a, b in zip(found, expected, strict=True))


@pytest.mark.parametrize('text', ['robot', '1', 'module:Class', '1:2:3:4', '', 'a:b', ':'])
def test_other_texts_are_no_ranges(text):
    assert parse_range(text, 'here') is None
    assert values_of(text, 'here') == [text]


@pytest.mark.parametrize('text', ['0:5:0', '5:0', '0:0', '0:1:-1', '0:1e12'])
def test_empty_and_endless_ranges_are_refused(text):
    with pytest.raises(InputError, match=r'^here: got .* expected a range first:end:step of 1 to'):
        parse_range(text, 'here')


def test_a_list_holds_values_and_a_list_in_it_is_one():
    assert values_of([[28, 12], [20, 5]], 'here') == [[28, 12], [20, 5]]
    assert values_of([1, 'a'], 'here') == [1, 'a']
    assert values_of(3, 'here') == [3]
    with pytest.raises(InputError, match='at least one'):
        values_of([], 'here')


@pytest.mark.parametrize(('given', 'expected'), [
    (3, [3]), ('3', [3]), ('0:3', [0, 1, 2]), ('1,5', [1, 5]), ([1, '5:7'], [1, 5, 6]),
    (range(2), [0, 1]), ('4,7:9', [4, 7, 8])])
def test_seeds(given, expected):
    assert list(seeds_of(given, 'seeds')) == expected


@pytest.mark.parametrize('given', [-1, 1.5, True, 'x', [], [1, 1], '0:2:0.5', None, '-3:0',
                                   2**63, range(0)])
def test_bad_seeds_are_refused(given):
    with pytest.raises(InputError, match=r'^seeds: got'):
        seeds_of(given, 'seeds')


def test_many_seeds_take_no_memory():
    assert isinstance(seeds_of('0:1000000', 'seeds'), range)
