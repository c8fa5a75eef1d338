"""Types of scenario fields: numbers within limits, places, names; each says what it expects.

Lengths are metres, angles radians, time seconds; poses are (x, y, yaw) in frame ``map``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Annotated, Any

from pydantic import PlainSerializer
from pydantic_core import PydanticCustomError, core_schema

from sbot.controllers.registry import is_named
from sbot_common.clock import Rate, parse_rate
from sbot_common.errors import InputError
from sbot_sim.world.geometry import LEAST_CORNERS

MAX_COORDINATE = 1e6  # m; float64 still resolves 1e-9 m well there
MAX_SEED = 2**63 - 1
MAX_ROBOTS = 100_000  # of an entry
# Of a real-time factor: what timers can keep to.
SLOWEST, FASTEST = 1e-3, 1e6


class Check:
    """Validator of a field, with a description of the expected values."""

    def __init__(self, expected: str, read: Callable[[Any], Any]) -> None:
        self.expected = expected
        self.read = read

    def __call__(self, value: object) -> object:
        """Return the value as the models keep it."""
        try:
            return self.read(value)
        except (TypeError, ValueError, OverflowError):
            context = {'expected': self.expected}
            raise PydanticCustomError('expected', '{expected}', context) from None

    def __get_pydantic_core_schema__(self, source: object,
                                     handler: object) -> core_schema.CoreSchema:
        return core_schema.no_info_plain_validator_function(self)


def _require(condition: bool) -> None:
    if not condition:
        raise ValueError


def _number(value: object, minimum: float = -math.inf, maximum: float = math.inf,
            *, above: float = -math.inf) -> float:
    _require(isinstance(value, int | float) and not isinstance(value, bool))
    number = float(value)  # type: ignore[arg-type]
    _require(math.isfinite(number) and minimum <= number <= maximum and number > above)
    return number


def _whole(value: object, minimum: int, maximum: int) -> int:
    number = _number(value)
    _require(number == int(number) and minimum <= int(value) <= maximum)  # type: ignore[call-overload]
    return int(value)  # type: ignore[call-overload,no-any-return]


def _numbers_check(expected: str, count: int,
                   good: Callable[..., bool] = lambda *_: True) -> Check:
    """Return the reader of ``count`` coordinates (m) for which ``good`` is true."""
    def read(value: object) -> tuple[float, ...]:
        _require(isinstance(value, list | tuple) and len(value) == count)
        numbers = tuple(_number(item, -MAX_COORDINATE, MAX_COORDINATE)
                        for item in value)  # type: ignore[attr-defined]
        _require(good(*numbers))
        return numbers
    return Check(expected, read)


def _flag(value: object) -> bool:
    _require(isinstance(value, bool))
    return bool(value)


def _text(value: object, pattern: str = r'(?s).*') -> str:
    _require(isinstance(value, str) and re.fullmatch(pattern, value) is not None)
    return str(value)


def _controller(value: object) -> str:
    name = _text(value)
    _require(FUNCTION.fullmatch(name) is not None or is_named(name))
    return name


def _rate(value: object) -> Rate:
    try:
        return value if isinstance(value, Rate) else parse_rate(value)  # type: ignore[arg-type]
    except InputError:
        raise ValueError from None


def _mapping(value: object) -> dict[str, object]:
    _require(isinstance(value, dict))
    return dict(value)  # type: ignore[call-overload,no-any-return]


def _mappings(value: object) -> dict[str, dict[str, object]]:
    return {name: _mapping(each) for name, each in _mapping(value).items()}


def _number_field(expected: str, **limits: float) -> Check:
    return Check(expected, lambda value: _number(value, **limits))


def _pace(value: object) -> float:
    factor = _number(value, minimum=0.0, maximum=FASTEST)
    if 0 < factor < SLOWEST:
        raise ValueError
    return factor


def _waypoints(value: object) -> tuple[tuple[float, float], ...]:
    _require(isinstance(value, list | tuple) and len(value) > 1)
    points = tuple(Point.__metadata__[0].read(item) for item in value)  # type: ignore[attr-defined]
    _require(all(a != b for a, b in zip(points, (*points[1:], points[0]), strict=True)))
    return points


def _corners(value: object) -> tuple[tuple[float, float], ...]:
    _require(isinstance(value, list | tuple) and len(value) >= LEAST_CORNERS)
    return tuple(Point.__metadata__[0].read(item) for item in value)  # type: ignore[attr-defined]


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
    '-1e6 to 1e6', _corners)]
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
                                        maximum=MAX_COORDINATE)]
Mass = Annotated[float, _number_field('a number from 1e-06 to 1e+09 (kg)', minimum=1e-6,
                                     maximum=1e9)]
Angle = Annotated[float, _number_field('a number from -1e6 to 1e6 (rad)', minimum=-1e6,
                                       maximum=1e6)]
Duration = Annotated[float, _number_field('a number > 0 and <= 1e9 (s)', above=0.0, maximum=1e9)]
Interval = Annotated[float, _number_field('a number >= 0 (s)', minimum=0.0)]
Pace = Annotated[float, Check(f'0, or a number from {SLOWEST:g} to {FASTEST:g}', _pace)]
Seed = Annotated[int, Check('a whole number from 0 to 2^63 - 1', lambda v: _whole(v, 0, MAX_SEED))]
Count = Annotated[int, Check(f'a whole number from 1 to {MAX_ROBOTS}',
                             lambda v: _whole(v, 1, MAX_ROBOTS))]
Flag = Annotated[bool, Check('true or false', _flag)]
Text = Annotated[str, Check('text', _text)]
# No fonts have control characters, and no file in UTF-8 has halves of surrogate pairs.
_PLAIN = r'[^\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]'
Name = Annotated[str, Check(
    'one line of at most 100 characters, without control characters',
    lambda v: _text(v, rf'(?!\s){_PLAIN}{{1,100}}(?<!\s)'))]
Hertz = Annotated[Rate, Check(_RATE, _rate), PlainSerializer(
    lambda rate: rate.numerator if rate.denominator == 1 else str(rate))]
Controller = Annotated[str, Check(_CONTROLLER, _controller)]
Colour = Annotated[str, Check(f"{', '.join(COLOURS)}, or '#rrggbb'", _colour)]
Until = Annotated[str, Check(_UNTIL, lambda v: _text(v, rf'goal_reached|collision|{_OWN}'))]
Mapping = Annotated[dict[str, Any], Check('a mapping of names to values', _mapping)]
Mappings = Annotated[dict[str, dict[str, Any]], Check('a mapping of names to mappings', _mappings)]
Range = Annotated[tuple[float, float], _numbers_check(
    '[low, high] with low < high (rad)', 2, lambda low, high: low < high)]
Spread = Annotated[tuple[float, float], _numbers_check(
    '[mean, standard deviation >= 0] (rad)', 2, lambda _, spread: spread >= 0)]
Cloud = Annotated[tuple[float, float, float, float], _numbers_check(
    '[x, y, deviation of x, deviation of y], deviations >= 0 (m)', 4,
    lambda _x, _y, across, along: across >= 0 and along >= 0)]
