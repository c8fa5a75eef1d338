"""One description for each parameter, read by scenarios, ROS parameters, --help and the docs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from sbot_common.errors import bad_value, unknown_name

Value = bool | int | float | str
Vector = tuple[float, float, float]


class Spec(NamedTuple):
    """A parameter: what it is, its unit, what is allowed, and where the document defines it."""

    name: str
    default: Value
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
        words = 'a whole number' if isinstance(self.default, int) else 'a finite number'
        if self.minimum > -math.inf:
            words += f' {">" if self.open_minimum else ">="} {self.minimum:g}'
        if self.maximum < math.inf:
            words += f'{" and" if self.minimum > -math.inf else ""} <= {self.maximum:g}'
        return words + (f' ({self.unit})' if self.unit else '')

    def check(self, value: object, where: str = '') -> Value:
        """Return ``value`` in the default's type, or raise InputError at ``where`` + name."""
        error = bad_value(f'{where}{self.name}', value, self.expected)
        if isinstance(self.default, bool):
            if not isinstance(value, bool):
                raise error
            return value
        if isinstance(self.default, str):
            if not isinstance(value, str) or (self.choices and value not in self.choices):
                raise error
            return value
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise error
        if isinstance(self.default, int):
            if value != value or math.isinf(value) or int(value) != value:
                raise error
            number: int | float = int(value)
        else:
            number = float(value)
        inside = self.minimum <= number <= self.maximum and math.isfinite(number)
        if not inside or (self.open_minimum and number == self.minimum):
            raise error
        return number


class VectorSpec(NamedTuple):
    """A parameter of three numbers; what ``Spec`` is for one. A ROS parameter of doubles."""

    name: str
    default: Vector
    unit: str
    text: str
    source: str = ''
    at_runtime: bool = True

    @property
    def expected(self) -> str:
        """What a good value is, in words."""
        return 'three finite numbers' + (f' ({self.unit})' if self.unit else '')

    def check(self, value: object, where: str = '') -> Vector:
        """Return three floats, or raise InputError naming ``where`` and the name."""
        error = bad_value(f'{where}{self.name}', value, self.expected)
        if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
            raise error
        numbers = list(value)
        if len(numbers) != 3:
            raise error
        for number in numbers:
            if isinstance(number, bool) or not isinstance(number, int | float):
                raise error
            if not math.isfinite(number):
                raise error
        return float(numbers[0]), float(numbers[1]), float(numbers[2])


def check_all(specs: Iterable[Spec], given: Mapping[str, object],
              where: str = '') -> dict[str, Any]:
    """Return a value for every spec: the given one, checked, or the default.

    Raises
    ------
    InputError
        for an unknown name (with the nearest known one) or a bad value.

    """
    table = {spec.name: spec for spec in specs}
    for name in given:
        if name not in table:
            raise unknown_name(where.rstrip('.: ') or 'parameters', name, table)
    return {name: spec.check(given[name], where) if name in given else spec.default
            for name, spec in table.items()}
