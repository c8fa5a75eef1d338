# SPDX-License-Identifier: Apache-2.0
"""Parameter declarations: annotated fields of a NamedTuple with unit, range and text.

>>> class Laser(NamedTuple):
...     beams: Annotated[int, Param('', 'Number of beams.', minimum=1)] = 180
...     noise: Annotated[float, Param('m', 'Standard deviation.', minimum=0.0)] = 0.0

``Laser()`` holds the defaults, ``updated(Laser(), {'beams': 90})`` checked values, and compiled
functions accept either. Scenarios, ROS parameters, --help and the docs read ``specs_of(Laser)``.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache, partial
from typing import Any, NamedTuple, TypeGuard, TypeVar, get_type_hints

from sbot_common.errors import bad_value, question, unknown_name

Vector = tuple[float, float, float]
Value = bool | int | float | str | Vector
Where = Callable[[str], str]  # from a parameter's name to how an error calls it

P = TypeVar('P', bound=NamedTuple)


class Spec(NamedTuple):
    """A parameter: its meaning, unit, allowed values and source in a document."""

    name: str
    default: Value  # as a file gives it: one of ``choices`` if there are any
    unit: str  # 'm', 'rad/s', '' for a pure number
    text: str  # one sentence
    source: str = ''  # document and section, e.g. '001 section 5'
    minimum: float = -math.inf
    maximum: float = math.inf
    open_minimum: bool = False  # the minimum itself is refused
    choices: tuple[str, ...] = ()
    at_runtime: bool = True  # may change while the node runs

    @property
    def expected(self) -> str:
        """What a good value is, in words."""
        if self.choices:
            return 'one of ' + ', '.join(self.choices)
        if isinstance(self.default, bool):
            return 'true or false'
        if isinstance(self.default, str):
            return 'a string'
        if isinstance(self.default, tuple):
            words = 'three finite numbers'
        else:
            words = 'a whole number' if isinstance(self.default, int) else 'a finite number'
        if self.minimum > -math.inf:
            words += f' {">" if self.open_minimum else ">="} {self.minimum:g}'
        if self.maximum < math.inf:
            words += f'{" and" if self.minimum > -math.inf else ""} <= {self.maximum:g}'
        return words + (f' ({self.unit})' if self.unit else '')

    def check(self, value: object, where: str = '') -> Value:
        """Return ``value`` in the default's type.

        Raises
        ------
        InputError
            for a bad value; begins with ``where``, or else with the name.

        """
        good = self._converted(value)
        if good is None:
            raise bad_value(where or self.name, value, self.expected + self._hint(value))
        return good

    def _hint(self, value: object) -> str:
        """Return how to write what SDF and XML write as a string of three numbers."""
        if isinstance(self.default, tuple) and isinstance(value, str):
            words = value.replace(',', ' ').split()
            with suppress(ValueError):
                if len([float(word) for word in words]) == len(self.default):
                    return f', as a list: [{", ".join(words)}]'
        return ''

    def _converted(self, value: object) -> Value | None:
        """Return ``value`` in the default's type; None for a bad one."""
        if isinstance(self.default, bool):
            return value if isinstance(value, bool) else None
        if isinstance(self.default, str):
            good = isinstance(value, str) and (not self.choices or value in self.choices)
            return str(value) if good else None
        if isinstance(self.default, tuple):
            return _vector(value)
        if not _is_number(value):
            return None
        number = int(value) if isinstance(self.default, int) else float(value)
        if isinstance(number, int) and number != value:
            return None
        inside = self.minimum <= number <= self.maximum
        return number if inside and not (self.open_minimum and number == self.minimum) else None


class Check(NamedTuple):
    """What a field accepts that is no parameter: words for it, and the function that reads it."""

    expected: str
    read: Callable[[Any], Any]  # raises an error for a bad value
    names: Callable[[], Sequence[str]] = tuple  # of which a near one is asked about

    def check(self, value: object, where: Callable[[], str]) -> Any:  # noqa: ANN401
        """Return the value as it is kept; InputError for a bad one, beginning with ``where``."""
        try:
            return self.read(value)
        except (TypeError, ValueError, LookupError, ArithmeticError):
            near = question(value, sorted(self.names())) if isinstance(value, str) else ''
            raise bad_value(where(), value, self.expected + f'; {near}' * bool(near)) from None


# For annotations: the name and the default are those of the field.
Param = partial(Spec, '', 0.0)


def _is_number(value: object) -> TypeGuard[int | float]:
    """Tell whether it is a number, finite as a double; a bool is none."""
    return (isinstance(value, int | float) and not isinstance(value, bool)
            and abs(value) <= sys.float_info.max)


def _vector(value: object) -> Vector | None:
    """Return three floats, None if that is not what ``value`` holds."""
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
        return None
    numbers = list(value)
    if len(numbers) != 3 or not all(map(_is_number, numbers)):
        return None
    return float(numbers[0]), float(numbers[1]), float(numbers[2])


@lru_cache
def specs_of(declaration: type[NamedTuple]) -> tuple[Spec, ...]:
    """Return the specs of a class's parameters: of the fields that have a ``Param``.

    A parameter with ``choices`` whose default is a number is held as the number of the choice,
    which compiled code can test; files and specs have the word.
    """
    specs = []
    for name, hint in get_type_hints(declaration, include_extras=True).items():
        for spec in getattr(hint, '__metadata__', ()):
            default = _word(spec, declaration._field_defaults[name])
            specs.append(spec._replace(name=name, default=default))
    return tuple(specs)


def _word(spec: Spec, held: Value) -> Value:
    return spec.choices[held] if spec.choices and isinstance(held, int) else held


def in_words(parameters: NamedTuple) -> dict[str, Value]:
    """Return the parameters by name, each as a file gives it."""
    return {spec.name: _word(spec, getattr(parameters, spec.name))
            for spec in specs_of(type(parameters))}


def refuse_unknown(given: Iterable[str], known: Iterable[str], where: Where = str) -> None:
    """Raise InputError, with the nearest known name, for the first name that is not known."""
    known = set(known)
    for name in given:
        if name not in known:
            raise unknown_name(where(name), name, known)


def updated(parameters: P, given: Mapping[str, object], where: Where = str) -> P:
    """Return the parameters with the given values, as a file gives them, checked.

    Raises
    ------
    InputError
        for an unknown name (with the nearest known one), a bad value, or values that do not go
        together: the class may have a method ``contradictions`` that yields the name of a
        parameter, its value and what was expected.

    """
    specs = {spec.name: spec for spec in specs_of(type(parameters))}
    refuse_unknown(given, specs, where)
    values: dict[str, Value] = {}
    for name, spec in specs.items():
        if name in given:
            value = spec.check(given[name], where(name))
            coded = spec.choices and isinstance(getattr(parameters, name), int)
            values[name] = spec.choices.index(str(value)) if coded else value
    result = parameters._replace(**values)
    if hasattr(result, 'contradictions'):
        for name, bad, expected in result.contradictions():
            raise bad_value(where(name), bad, expected)
    return result
