"""Scenario models (pydantic): world, robots, settings.

Lengths are metres, angles radians, time seconds; poses are (x, y, yaw) in frame ``map``. Groups of
parameters (bodies, controllers, sensors, wind) are mappings as written in a ``ScenarioFile``, and
typed in a ``Scenario`` (``groups``).
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, InstanceOf, PlainSerializer
from pydantic_core import PydanticCustomError, core_schema

from sbot.controllers.registry import is_named
from sbot.files.limits import limits, too_large
from sbot.files.yaml_text import count_values, dump_yaml
from sbot.scenario import groups
from sbot.scenario.knowledge import EXACT, Knowledge
from sbot.scenario.paths import portable_paths
from sbot_common.clock import Rate, parse_rate
from sbot_common.errors import InputError
from sbot_common.params import in_words
from sbot_sim.world.bodies import Body, body_in_words
from sbot_sim.world.polygons import LEAST_CORNERS

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
    'points [x, y] (m), two or more, each different from the one before, the last from the first; '
    'numbers from -1e6 to 1e6',
    _waypoints)]
Corners = Annotated[tuple[tuple[float, float], ...], Check(
    'corners [x, y] (m), three or more, of an outline that does not meet itself; numbers from '
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
Name = Annotated[str, Check('one line of at most 100 characters',
                            lambda v: _text(v, r'[^\s](.{0,98}\S)?'))]
Hertz = Annotated[Rate, Check(_RATE, _rate), PlainSerializer(
    lambda rate: rate.numerator if rate.denominator == 1 else str(rate))]
Controller = Annotated[str, Check(_CONTROLLER, _controller)]
Colour = Annotated[str, Check(f"{', '.join(COLOURS)}, or '#rrggbb'", _colour)]
Until = Annotated[str, Check(_UNTIL, lambda v: _text(v, rf'goal_reached|collision|{_OWN}'))]
Mapping = Annotated[dict[str, Any], Check('a mapping of names to values', _mapping)]
Mappings = Annotated[dict[str, dict[str, Any]], Check('a mapping of names to mappings', _mappings)]


class _Model(BaseModel):
    # Built when they are first needed: most are only parts of others, never built alone.
    model_config = ConfigDict(frozen=True, extra='forbid', arbitrary_types_allowed=True,
                              defer_build=True)


class Circle(_Model):
    """A round obstacle."""

    center: Point = Field(description='Centre.')
    radius: Length = Field(description='Radius.')


class Rectangle(_Model):
    """A solid rectangle, turned by ``yaw`` about its centre."""

    center: Point = Field(description='Centre.')
    size: Size = Field(description='Width along its own x axis, height along its own y axis.')
    yaw: Angle = Field(0.0, description='Direction of its own x axis, counter-clockwise.')


class Polygon(_Model):
    """A solid polygon, convex or not."""

    corners: Corners = Field(description='Its corners in order, in either direction. An edge '
                                         'joins the last to the first.')


class MovingObstacle(_Model):
    """A round obstacle that goes along a path."""

    radius: Length = Field(description='Radius.')
    path: Waypoints = Field(description='The path of its centre, in straight lines. It starts at '
                                        'the first point.')
    speed: Speed = Field(description='Speed along the path.')
    at_end: Literal['turn', 'loop'] = Field(
        'turn', description='`turn`: back along the path; `loop`: straight to its first point.')


class PushableBox(_Model):
    """A rectangle or a disc that rests until something pushes it."""

    center: Point = Field(description='Where its centre starts.')
    size: Size | None = Field(
        None, description='Size of a rectangle: width along its own x axis, height along its own '
                          'y axis. Give this or `radius`.')
    radius: Length | None = Field(None, description='Radius of a round box.')
    yaw: Angle = Field(0.0, description='Direction of its own x axis at the start, '
                                        'counter-clockwise.')
    mass: Mass = Field(1.0, description='Its mass. A box and the body that pushes it share an '
                                        'overlap by their inverse masses.')


class Zone(_Model):
    """A named place on the floor: drawn, and without any other effect."""

    name: Name = Field(description='Shown beside it: nest, lamp, charging station.')
    center: Point = Field(description='Centre.')
    radius: Length | None = Field(None, description='Radius. Default: a point.')
    color: Colour = Field('yellow', description='Its colour in pictures, films and the viewer.')


class World(_Model):
    """The arena: walls, obstacles, boxes and zones."""

    bounds: Box | None = Field(
        None, description='The four outer walls. Default: the edges of the `map`; without a map '
                          'they are needed.')
    segments: tuple[Segment, ...] = Field((), description='Thin walls.')
    circles: tuple[Circle, ...] = Field((), description='Round obstacles.')
    rectangles: tuple[Rectangle, ...] = Field((), description='Rectangular obstacles.')
    polygons: tuple[Polygon, ...] = Field((), description='Polygonal obstacles, convex or not.')
    moving: tuple[MovingObstacle, ...] = Field((), description='Obstacles that move.')
    boxes: tuple[PushableBox, ...] = Field((), description='Boxes that robots can push.')
    zones: tuple[Zone, ...] = Field(
        (), description='Named places on the floor. Pictures, films and the viewer show them; '
                        'they have no other effect.')
    open: Flag = Field(
        False, description='The bounds are not walls; they set the area of pictures and maps.')
    map: Text | None = Field(
        None, description='A map_server map (`map.yaml`); occupied cells are obstacles. A path.')


class _AnyRobot(_Model):
    body: Name = Field(
        'robot', description='A shipped body (`robot`, `s-bot`, `e-puck2`, `foot-bot`) or one of '
                             '`bodies`.')
    controller: Controller = Field('potential_field', description='Its controller.')
    goal: Point | None = Field(
        None, description='Its goal. Robot 0 needs one if its controller is `potential_field`.')
    goal_tolerance: Length | None = Field(
        None, description='A robot closer to its goal than this has arrived. Default: the '
                          'tolerance of its controller, or else the radius of the body.')
    parameters: Mapping = Field(
        {}, description='Parameters of its controller. They override those in `controllers`.')


class Robot(_AnyRobot):
    """One robot; its id is its place in the list, and robot 0 leads."""

    pose: Pose = Field(description='Where it starts.')


Range = Annotated[tuple[float, float], _numbers_check(
    '[low, high] with low < high (rad)', 2, lambda low, high: low < high)]
Spread = Annotated[tuple[float, float], _numbers_check(
    '[mean, standard deviation >= 0] (rad)', 2, lambda _, spread: spread >= 0)]
Cloud = Annotated[tuple[float, float, float, float], _numbers_check(
    '[x, y, deviation of x, deviation of y], deviations >= 0 (m)', 4,
    lambda _x, _y, across, along: across >= 0 and along >= 0)]


class RobotEntry(_AnyRobot):
    """An entry of a file's list of robots: one robot, or ``count`` robots in an area."""

    pose: Pose | None = Field(
        None, description='Where one robot starts. Needed unless `count` is given.')
    count: Count | None = Field(None, description='Place this many robots of this kind in `area`.')
    area: Box | None = Field(
        None, description='With `count`: the collision circles start inside this area; default: '
                          'the bounds of the world.')
    layout: Literal['random', 'grid'] | None = Field(
        None, description='With `count`: `random` (default; free places, drawn from the seed) or '
                          '`grid` (even rows).')
    yaw: Angle | None = Field(
        None, description='With `count`: heading of all robots; default: random, or 0 with '
                          '`grid`.')
    yaw_uniform: Range | None = Field(
        None, description='Headings are drawn between these two, instead of `yaw`.')
    yaw_gaussian: Spread | None = Field(
        None, description='Headings are drawn about this mean with this standard deviation, '
                          'instead of `yaw`.')
    position_gaussian: Cloud | None = Field(
        None, description='With `count`: positions are drawn about this mean with these standard '
                          'deviations, instead of uniformly in `area`.')


class Settings(_Model):
    """Settings of a scenario: all but the robots."""

    name: Name = Field(description='Shown in summaries; default: the file name without `.yaml`.')
    description: Text = Field('', description='One or two sentences about the scenario.')
    rate: Hertz = Field(Rate(30, 1), description='Ticks per second.')
    duration: Duration = Field(60.0, description='Simulated time of a run.')
    until: Until | None = Field(
        None, description='Ends a run before its duration: when every robot with a goal has '
                          'reached it, at the first collision, or when the function returns '
                          'true. Not over ROS.')
    seed: Seed = Field(
        1, description='Seed of all random numbers; `null`: drawn once, then recorded.')
    lockstep: Flag = Field(
        True, description='The nodes wait for each other; `false`: they run by the wall clock.')
    lockstep_timeout: Duration = Field(
        10.0, description='In lockstep: the run ends if a robot is silent for longer than this.')
    target_real_time_factor: Pace = Field(
        0.0, description='Simulated seconds per second of wall time; 0: as fast as possible, '
                         'and 1 without lockstep.')
    cmd_vel_timeout: Interval = Field(
        0.2, description='Free-running: a robot stops when its last `cmd_vel` is older (simulated '
                         'time); 0: never.')
    cmd_vel_stamped: Flag = Field(
        False, description='`cmd_vel` is a TwistStamped instead of a Twist.')
    poses_topic: Flag = Field(
        False, description='Publish all poses also in one message on `/poses`; controllers take '
                           'them '
                           "from there instead of from every robot's own topic.")
    tf_namespaced: Flag = Field(
        False, description='Several robots: `/robot_<i>/tf` with plain frame names, as the '
                           'multi-robot bring-up of Nav2 expects.')
    python_path: tuple[Text, ...] = Field(
        ('.',), description='Folders that contain the modules of `module:Class`. Paths.')
    world: World = Field(description='Walls and obstacles.')


class ScenarioFile(Settings):
    """A scenario as written: with groups of robots still to be placed."""

    bodies: Mappings = Field(
        {}, description='Bodies of your own, and changes to the shipped ones.')
    controllers: Mappings = Field(
        {}, description='Parameters for all robots with that controller.')
    sensors: Mapping = Field({}, description='The sensors of the robots.')
    knowledge: Mapping = Field(
        {}, description='What controllers know of poses; default: all poses, exactly.')
    wind: Mapping = Field({}, description='The wind; default: none.')
    robots: tuple[RobotEntry, ...] = Field(
        min_length=1, description='The robots. The first one, robot 0, is the leader.')


@dataclass(frozen=True, eq=False)
class Source:
    """What a scenario was made from, to make it again with other values.

    All sources are equal: where scenarios come from does not make them different.
    """

    data: dict[str, Any]  # values of a ``ScenarioFile``, groups of robots not placed yet
    directory: Path  # where relative paths start

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Source | None)

    def __hash__(self) -> int:
        return 0


class Scenario(Settings):
    """A scenario as run: complete, checked, every robot placed.

    ``bodies`` holds each body in use, ``controllers`` the parameters of each controller in use,
    and ``robots[i].parameters`` only what differs for that robot, as written. Paths are absolute.
    """

    bodies: dict[str, Annotated[Body, PlainSerializer(body_in_words)]]
    controllers: dict[str, Annotated[groups.ControllerParameters,
                                     PlainSerializer(groups.controller_in_words)]]
    sensors: Annotated[InstanceOf[groups.SensorSettings], PlainSerializer(groups.group_in_words)]
    wind: Annotated[groups.WindSettings, PlainSerializer(groups.group_in_words)]
    robots: tuple[Robot, ...]
    knowledge: Annotated[Knowledge, PlainSerializer(in_words)] = EXACT
    source: Source | None = Field(None, exclude=True, repr=False)
    """The scenario as written; None where only the complete one is known."""
    given: dict[str, Any] = Field({}, exclude=True, repr=False)
    """Controllers that came as classes or objects from Python, by name; never in the YAML."""

    def to_yaml(self) -> str:
        """Return the complete scenario as YAML text; loading it gives an equal Scenario.

        Files that come with the package are named relative to its configuration folder, others by
        absolute path, so that the text can be loaded from any folder.

        Raises
        ------
        InputError
            if it has more values than ``limits().text_values``, and so could not be read back.

        """
        values = self.model_dump(mode='python')
        for group, key in ((values, 'until'), *((each, 'goal_tolerance')
                                                for each in values['robots'])):
            if group[key] is None:
                del group[key]
        if not self.world.zones:  # so recordings without zones keep their bytes
            del values['world']['zones']
        if (size := count_values(values)) > limits().text_values:
            raise too_large(self.name, 'values of the complete scenario, which could not be '
                            'read back', size, 'text_values')
        return dump_yaml(portable_paths(values))
