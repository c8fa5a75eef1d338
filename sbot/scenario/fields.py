# SPDX-License-Identifier: Apache-2.0
"""Types of scenario fields, and errors that say line, key, value and what is expected.

Lengths are metres, angles radians, time seconds; poses are (x, y, yaw) in frame ``map``.
"""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Callable
from copy import deepcopy
from functools import cache, partial
from types import NoneType, UnionType
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    ClassVar,
    Literal,
    NamedTuple,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from sbot.controllers.registry import is_named, names
from sbot.files.yaml_text import KeyPath, Origins
from sbot_common.clock import Rate
from sbot_common.errors import InputError, bad_value
from sbot_common.params import Check, refuse_unknown
from sbot_sim.world.geometry import LEAST_CORNERS

_MAX_COORDINATE = 1e6  # m; float64 still resolves 1e-9 m well there
MAX_SEED = 2**63 - 1
MAX_ROBOTS = 100_000  # of an entry
# Of a real-time factor: what timers can keep to.
SLOWEST, FASTEST = 1e-3, 1e6


def _require(condition: bool) -> None:
    if not condition:
        raise ValueError


def real(value: object, minimum: float = -math.inf, maximum: float = math.inf,
         *, above: float = -math.inf) -> float:
    """Return a finite number within limits; ValueError for anything else."""
    _require(isinstance(value, int | float) and not isinstance(value, bool))
    number = float(value)  # type: ignore[arg-type]
    _require(math.isfinite(number) and minimum <= number <= maximum and number > above)
    return number


def _whole(value: object, minimum: int, maximum: int) -> int:
    number = real(value)
    _require(number == int(number) and minimum <= int(value) <= maximum)  # type: ignore[call-overload]
    return int(value)  # type: ignore[call-overload,no-any-return]


def _numbers_check(expected: str, count: int,
                   good: Callable[..., bool] = lambda *_: True) -> Check:
    """Return the reader of ``count`` coordinates (m) for which ``good`` is true."""
    def read(value: object) -> tuple[float, ...]:
        _require(isinstance(value, list | tuple) and len(value) == count)
        numbers = tuple(real(item, -_MAX_COORDINATE, _MAX_COORDINATE)
                        for item in value)  # type: ignore[attr-defined]
        _require(good(*numbers))
        return numbers
    return Check(expected, read)


def _text(value: object, pattern: str = r'(?s).*') -> str:
    _require(isinstance(value, str) and re.fullmatch(pattern, value) is not None)
    return str(value)


def _controller(value: object) -> str:
    name = _text(value)
    _require(FUNCTION.fullmatch(name) is not None or is_named(name))
    return name


def _of(kind: type, value: Any) -> Any:  # noqa: ANN401
    _require(isinstance(value, kind))
    return kind(value)


def _number_field(expected: str, **limits: float) -> Check:
    return Check(expected, lambda value: real(value, **limits))


def _points(value: object, least: int = 2) -> tuple[tuple[float, float], ...]:
    _require(isinstance(value, list | tuple) and len(value) >= least)
    return tuple(Point.__metadata__[0].read(item) for item in value)  # type: ignore[attr-defined]


def _waypoints(value: object) -> tuple[tuple[float, float], ...]:
    points = _points(value)
    _require(all(a != b for a, b in zip(points, (*points[1:], points[0]), strict=True)))
    return points


# Colours of zones, which can be told apart on light and dark grounds.
COLOURS = {'red': '#d0453e', 'orange': '#e08a1e', 'yellow': '#d9b400', 'green': '#2e9e5b',
           'blue': '#3b82c4', 'purple': '#8e63b8', 'brown': '#a0703c', 'grey': '#8a9099'}


def _colour(value: object) -> str:
    name = _text(value, '[a-z]+|#[0-9a-fA-F]{6}')
    _require(name in COLOURS or name.startswith('#'))
    return name


_RATE = 'a positive number or fraction of hertz, e.g. 30 or 100/3'
_CONTROLLER = ("a name that `sbot list controllers` shows, such as navigate or none, or your "
               "own class as 'module:Class'")
_OWN = r'[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*'
FUNCTION = re.compile(_OWN)
_UNTIL = "goal_reached, collision or your own function as 'module:function'"

Point = Annotated[tuple[float, float],
                  _numbers_check('[x, y]: two numbers from -1e6 to 1e6 (m)', 2)]
Waypoints = Annotated[tuple[tuple[float, float], ...], Check(
    'two or more points [x, y] (m), each different from the next, and the last from the first; '
    'numbers from -1e6 to 1e6',
    _waypoints)]
Corners = Annotated[tuple[tuple[float, float], ...], Check(
    'three or more corners [x, y] (m) of an outline that does not touch itself; numbers from '
    '-1e6 to 1e6', partial(_points, least=LEAST_CORNERS))]
Pose = Annotated[tuple[float, float, float],
                 _numbers_check('[x, y, yaw]: three numbers from -1e6 to 1e6 (m, m, rad)', 3)]
Size = Annotated[tuple[float, float], _numbers_check(
    '[width, height]: two numbers > 0 and <= 1e6 (m)', 2,
    lambda width, height: width > 0 and height > 0)]
Box = Annotated[tuple[float, float, float, float], _numbers_check(
    '[xmin, ymin, xmax, ymax] with xmin < xmax and ymin < ymax, from -1e6 to 1e6 (m)', 4,
    lambda x_min, y_min, x_max, y_max: x_min < x_max and y_min < y_max)]
Segment = Annotated[tuple[float, float, float, float], _numbers_check(
    '[x0, y0, x1, y1]: two different points, numbers from -1e6 to 1e6 (m)', 4,
    lambda x0, y0, x1, y1: (x0, y0) != (x1, y1))]
Speed = Annotated[float, _number_field('a number > 0 and <= 1e4 (m/s)', above=0.0, maximum=1e4)]
Length = Annotated[float, _number_field('a number > 0 and <= 1e6 (m)', above=0.0,
                                        maximum=_MAX_COORDINATE)]
Mass = Annotated[float, _number_field('a number from 1e-06 to 1e+09 (kg)', minimum=1e-6,
                                     maximum=1e9)]
Angle = Annotated[float, _number_field('a number from -1e6 to 1e6 (rad)', minimum=-1e6,
                                       maximum=1e6)]
Duration = Annotated[float, _number_field('a number > 0 and <= 1e9 (s)', above=0.0, maximum=1e9)]
Interval = Annotated[float, _number_field('a number >= 0 (s)', minimum=0.0)]
Pace = Annotated[float, Check(f'0, or a number from {SLOWEST:g} to {FASTEST:g}',
                               lambda v: real(v, 0.0 if v == 0 else SLOWEST, FASTEST))]
Seed = Annotated[int, Check('a whole number from 0 to 2^63 - 1', lambda v: _whole(v, 0, MAX_SEED))]
Count = Annotated[int, Check(f'a whole number from 1 to {MAX_ROBOTS}',
                             lambda v: _whole(v, 1, MAX_ROBOTS))]
Flag = Annotated[bool, Check('true or false', partial(_of, bool))]
Text = Annotated[str, Check('text', _text)]
TopicName = Annotated[str, Check('a topic name that begins with /, e.g. /ekf/odom',
                                 lambda v: _text(v, r'(/[A-Za-z_]\w*)+'))]
# No fonts have control characters, and no file in UTF-8 has halves of surrogate pairs.
_PLAIN = r'[^\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]'
Name = Annotated[str, Check(
    'one line of at most 100 characters, without control characters',
    lambda v: _text(v, rf'(?!\s){_PLAIN}{{1,100}}(?<!\s)'))]
Hertz = Annotated[Rate, Check(_RATE, lambda v: v if isinstance(v, Rate) else Rate.parse(v))]
Controller = Annotated[str, Check(_CONTROLLER, _controller, names)]
Colour = Annotated[str, Check(f"{', '.join(COLOURS)}, or '#rrggbb'", _colour)]
Until = Annotated[str, Check(_UNTIL, lambda v: _text(v, rf'goal_reached|collision|{_OWN}'))]
Mapping = Annotated[dict[str, Any], Check(
    'a mapping of names to values', partial(_of, dict))]
Mappings = Annotated[dict[str, dict[str, Any]], Check(
    'a mapping of names to mappings',
    lambda v: {name: _of(dict, each) for name, each in _of(dict, v).items()})]
Range = Annotated[tuple[float, float], _numbers_check(
    '[low, high] with low < high (rad)', 2, lambda low, high: low < high)]
Spread = Annotated[tuple[float, float], _numbers_check(
    '[mean, standard deviation >= 0] (rad)', 2, lambda _, spread: spread >= 0)]
Cloud = Annotated[tuple[float, float, float, float], _numbers_check(
    '[x, y, deviation of x, deviation of y], deviations >= 0 (m)', 4,
    lambda _x, _y, across, along: across >= 0 and along >= 0)]


NEEDED = dataclasses.MISSING  # default of a key that must be given


def Field(default: Any = NEEDED, *, description: str = '',  # noqa: ANN401
          shown: bool = True, compared: bool = True) -> Any:  # noqa: ANN401
    """Return the declaration of a field of a ``Model``.

    ``shown`` in its representation, and ``compared`` where models are.
    """
    given = {'default_factory': default.copy} if isinstance(default, dict) else {
        'default': default}
    return dataclasses.field(**given, repr=shown, compare=compared,
                             metadata={'description': description})


_M = TypeVar('_M', bound='Model')


class Model:
    """A frozen record; annotations say what each field accepts, and ``validate`` makes it."""

    if TYPE_CHECKING:
        __dataclass_fields__: ClassVar[dict[str, Any]]

        def __init__(self, **values: Any) -> None: ...  # noqa: ANN401

    def __init_subclass__(cls) -> None:
        dataclasses.dataclass(frozen=True, kw_only=True)(cls)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values by name."""
        return {name: _plain(getattr(self, name)) for name in self.__dataclass_fields__}


def _plain(value: Any) -> Any:  # noqa: ANN401
    if isinstance(value, Model):
        return value.to_dict()
    if isinstance(value, Rate):
        return value.numerator if value.denominator == 1 else str(value)
    if type(value) is tuple:
        return tuple(_plain(item) for item in value)
    return deepcopy(value) if isinstance(value, dict) else value


class _Declared(NamedTuple):
    """A key of a model: what it accepts and means."""

    kind: Any  # a Check or a Model
    many: bool  # a list of such
    optional: bool  # or None
    default: Any  # NEEDED for none
    description: str

    @property
    def expected(self) -> str:
        """What a good value is, in words."""
        if isinstance(self.kind, Check):
            return 'a list of ' * self.many + self.kind.expected
        return 'a list of mappings' if self.many else 'a mapping'

    def read(self, value: Any, path: KeyPath, origins: Origins) -> Any:  # noqa: ANN401
        """Return a value as the model keeps it; InputError for a bad one."""
        if value is None and self.optional:
            return None
        if not self.many:
            return self._one(value, path, origins)
        if not isinstance(value, list | tuple):
            raise bad_value(origins.where(path), value, 'a list')
        return tuple(self._one(item, (*path, i), origins) for i, item in enumerate(value))

    def _one(self, value: Any, path: KeyPath, origins: Origins) -> Any:  # noqa: ANN401
        if isinstance(self.kind, Check):
            return self.kind.check(value, partial(origins.where, path))
        return validate(self.kind, value, origins, path)


@cache
def declared(model: type[Model]) -> dict[str, _Declared]:
    """Return the keys of a model by name."""
    hints, found = get_type_hints(model, include_extras=True), {}
    for name, field in model.__dataclass_fields__.items():
        parts = [part for part in get_args(hints[name]) if part is not NoneType]
        optional = get_origin(hints[name]) in (Union, UnionType)
        kind = parts[0] if optional else hints[name]
        many = get_origin(kind) is tuple
        kind = get_args(kind)[0] if many else kind
        if get_origin(kind) is Literal:
            words = get_args(kind)
            kind = Check(' or '.join(map(repr, words)), partial(_one_of, words))
        elif hasattr(kind, '__metadata__'):
            kind = kind.__metadata__[0]
        default = field.default if field.default_factory is NEEDED else field.default_factory()
        found[name] = _Declared(kind, many, optional, default, field.metadata['description'])
    return found


def _one_of(words: tuple[str, ...], value: object) -> str:
    return words[words.index(value)]  # type: ignore[arg-type]


def validate(model: type[_M], data: object, origins: Origins, path: KeyPath = ()) -> _M:
    """Return ``model`` made from ``data``, or raise InputError for the first thing wrong with it.

    An unknown key comes before a missing one: the first is often the second, mistyped.
    """
    if not isinstance(data, dict):
        raise bad_value(origins.where(path), data, 'a mapping')
    known, values = declared(model), {}  # type: ignore[arg-type]
    refuse_unknown(data, known, lambda name: origins.where((*path, name)))
    for name, field in known.items():
        if name in data:
            values[name] = field.read(data[name], (*path, name), origins)
        elif field.default is NEEDED:
            raise InputError(f"{origins.where(path)}: key '{name}' is missing; give "
                             f'{field.expected}')
    return model(**values)
