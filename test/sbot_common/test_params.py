import math
from collections.abc import Iterator
from typing import Annotated, NamedTuple

import pytest

from sbot_common.compiled.jit import njit
from sbot_common.errors import InputError
from sbot_common.params import Param, Spec, Vector, in_words, specs_of, updated

SPEED = Spec('speed', 2.0, 'm/s', 'How fast.', minimum=0.0)
COUNT = Spec('count', 3, '', 'How many.', minimum=1, maximum=9)
MODE = Spec('mode', 'a', '', 'Which.', choices=('a', 'b'))
FLAG = Spec('flag', False, '', 'Whether.')
PLACE = Spec('place', (0.0, 0.0, 0.0), 'm', 'Where.')

A, B = range(2)


class Example(NamedTuple):
    """A declaration with every kind of parameter."""

    label: str  # no parameter
    speed: Annotated[float, Param('m/s', 'How fast.', '1', minimum=0.0)] = 2.0
    count: Annotated[int, Param('', 'How many.', minimum=1, maximum=9, at_runtime=False)] = 3
    mode: Annotated[int, Param('', 'Which.', choices=('a', 'b'))] = B
    word: Annotated[str, Param('', 'What.', choices=('x', 'y'))] = 'x'
    flag: Annotated[bool, Param('', 'Whether.')] = False
    place: Annotated[Vector, Param('m', 'Where.')] = (0.0, 1.0, 0.0)

    def contradictions(self) -> Iterator[tuple[str, object, str]]:
        """Yield a speed above the count."""
        if self.speed > self.count:
            yield 'speed', self.speed, f'at most count ({self.count})'


@pytest.mark.parametrize(('spec', 'value', 'expected'), [
    (SPEED, 3, 3.0), (SPEED, 0.0, 0.0), (COUNT, 4.0, 4), (MODE, 'b', 'b'), (FLAG, True, True),
    (PLACE, [1, 2, 3], (1.0, 2.0, 3.0))])
def test_good_values_come_back_in_the_type_of_the_default(spec, value, expected):
    found = spec.check(value)
    assert found == expected
    assert type(found) is type(spec.default)


@pytest.mark.parametrize('text', ['1 0 0', '1, 0,0'])
def test_three_numbers_in_a_string_say_how_to_write_them(text):
    with pytest.raises(InputError, match=r'as a list: \[1, 0, 0\]'):
        PLACE.check(text)
    with pytest.raises(InputError) as info:
        PLACE.check('east')
    assert 'as a list' not in str(info.value)


@pytest.mark.parametrize(('spec', 'value'), [(SPEED, -0.1), (SPEED, math.nan), (SPEED, math.inf),
    (SPEED, '3'), (SPEED, True), (SPEED, 10**400), (COUNT, 0), (COUNT, 10), (COUNT, 2.5),
    (MODE, 'c'), (FLAG, 1), (PLACE, '123'), (PLACE, [1, 2]), (PLACE, [1, 2, math.nan]),
    (PLACE, [1, 2, True])])
def test_bad_values_are_refused_with_name_value_and_expectation(spec, value):
    for where in (spec.name, 'here: it'):
        with pytest.raises(InputError) as error:
            spec.check(value, where)
        shown = repr(value)
        shown = shown if len(shown) <= 80 else shown[:77] + '...'
        if value == 10**400:  # digits would not fit, and take time
            shown = 'a whole number of 1329 bits'
        assert str(error.value) == f'{where}: got {shown}, expected {spec.expected}'
    with pytest.raises(InputError, match=f'^{spec.name}: got'):
        spec.check(value)


def test_an_open_minimum_refuses_the_minimum():
    with pytest.raises(InputError, match='expected a finite number > 0'):
        SPEED._replace(open_minimum=True).check(0.0)


def test_specs_have_the_names_and_defaults_of_the_fields():
    speed, count, mode, word, flag, place = specs_of(Example)
    assert speed == Spec('speed', 2.0, 'm/s', 'How fast.', '1', minimum=0.0)
    assert count == Spec('count', 3, '', 'How many.', minimum=1, maximum=9, at_runtime=False)
    assert mode.default == 'b'  # as a file gives it
    assert (word.default, flag.default, place.default) == ('x', False, (0.0, 1.0, 0.0))


def test_updated_checks_what_is_given_and_keeps_the_rest():
    old = Example('kept', count=5)
    new = updated(old, {'speed': 1, 'mode': 'a', 'word': 'y', 'place': [1, 2, 3]})
    assert new == Example('kept', 1.0, 5, A, 'y', False, (1.0, 2.0, 3.0))
    assert updated(old, {}) == old


@pytest.mark.parametrize(('given', 'message'), [
    ({'sped': 1}, "here.sped: unknown name 'sped'; did you mean 'speed'?"),
    ({'label': 'x'}, "here.label: unknown name 'label'; "),
    ({'count': 0}, 'here.count: got 0, expected a whole number >= 1 and <= 9'),
    ({'mode': 0}, 'here.mode: got 0, expected one of a, b'),
    ({'speed': 4.0}, 'here.speed: got 4.0, expected at most count (3)')])
def test_updated_refuses_what_is_unknown_bad_or_contradictory(given, message):
    with pytest.raises(InputError) as error:
        updated(Example('x'), given, 'here.{}'.format)
    assert str(error.value).startswith(message)


def test_words_are_read_back_equal():
    parameters = Example('x', mode=A, place=(1.0, 2.0, 3.0))
    words = in_words(parameters)
    assert words == {'speed': 2.0, 'count': 3, 'mode': 'a', 'word': 'x', 'flag': False,
                     'place': (1.0, 2.0, 3.0)}
    assert updated(Example('x'), words) == parameters


class Numbers(NamedTuple):
    """What compiled code takes."""

    speed: Annotated[float, Param('m/s', 'How fast.')] = 2.0
    mode: Annotated[int, Param('', 'Which.', choices=('a', 'b'))] = A


@njit
def _twice_if_b(numbers):
    return 2.0 * numbers.speed if numbers.mode == B else numbers.speed


def test_compiled_functions_accept_a_declaration():
    assert _twice_if_b(Numbers()) == 2.0
    assert _twice_if_b(updated(Numbers(), {'mode': 'b'})) == 4.0
    assert len(_twice_if_b.signatures) == 1
