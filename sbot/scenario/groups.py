"""Parameter groups of a scenario: bodies, controllers, sensors, wind; checked and typed."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from sbot.controllers.entry import RATE
from sbot.controllers.registry import NONE, entry_of
from sbot.files.yaml_text import KeyPath, Origins
from sbot_common.clock import Rate
from sbot_common.errors import InputError, bad_value, unknown_name
from sbot_common.params import Spec, Value, Where, in_words, refuse_unknown, specs_of, updated
from sbot_sim.dynamics.hooks import HookNames
from sbot_sim.sensors.registry import Sensor, sensors
from sbot_sim.world.bodies import BODIES, Body, circle_around, updated_body
from wind_model.parameters import TurbulenceParameters, WakeParameters, WindParameters


class SensorSettings(tuple[Any, ...]):
    """The group ``sensors``: the settings of each sensor that has some, by its name."""

    __slots__ = ()

    def __new__(cls, parts: Iterable[Any] | None = None) -> SensorSettings:
        """Return these settings, or all at their defaults."""
        return super().__new__(cls, (sensor.settings for sensor in _settable())
                               if parts is None else parts)

    _make = classmethod(lambda cls, parts: cls(parts))

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - of the sensor's type
        for sensor, settings in zip(_settable(), self, strict=True):
            if sensor.name == name:
                return settings
        raise AttributeError(f'no sensor {name!r} has settings')


def _settable() -> list[Sensor]:
    """Return the sensors that have settings, in the order in which files give them."""
    return sorted((sensor for sensor in sensors().values() if sensor.settings is not None),
                  key=lambda sensor: (sensor.order[1], sensor.name))


class WindSettings(NamedTuple):
    """The group ``wind``."""

    flow: WindParameters = WindParameters()
    wakes: WakeParameters = WakeParameters()
    turbulence: TurbulenceParameters = TurbulenceParameters()
    hooks: HookNames = HookNames()


_G = TypeVar('_G', bound=tuple[Any, ...])  # of parameters' tuples
# A tuple of the type that the controller's entry declares, or what a class of one's own takes.
ControllerParameters = Any


def group_specs(group: tuple[NamedTuple, ...]) -> tuple[Spec, ...]:
    """Return the specs of all parameters of a group, in the order of a file."""
    return tuple(spec for part in group for spec in specs_of(type(part)))


def group_in_words(group: tuple[NamedTuple, ...]) -> dict[str, Value]:
    """Return a group as a file gives it."""
    return {name: value for part in group for name, value in in_words(part).items()}


def controller_in_words(parameters: ControllerParameters) -> dict[str, Any]:
    """Return a controller's parameters as a file gives them."""
    if isinstance(parameters, dict):
        return parameters
    return {name: value for name, value in in_words(parameters).items() if name != RATE}


def refuse_misplaced(keys: Iterable[str], origins: Origins) -> None:
    """Raise InputError for a scenario's key that belongs into a group, and name that."""
    places = {spec.name: group for group, known in (('sensors', SensorSettings()),
                                                    ('wind', WindSettings()))
              for spec in group_specs(known)}
    for key in keys:
        if key in places:
            raise unknown_name(origins.where((key,)), key, [f'{places[key]}.{key}'])


def check_finite(value: object, path: KeyPath, origins: Origins) -> None:
    """Refuse NaN and infinities wherever they are."""
    if isinstance(value, float) and not math.isfinite(value):
        raise bad_value(origins.where(path), value, 'a finite number')
    if isinstance(value, Mapping):
        for key, item in value.items():
            check_finite(item, (*path, key), origins)
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for i, item in enumerate(value):
            check_finite(item, (*path, i), origins)


def below(path: KeyPath, origins: Origins) -> Where:
    """Return how errors call the keys below a path."""
    return lambda name: origins.where((*path, name))


def check_bodies(given: Mapping[str, Mapping[str, object]], origins: Origins) -> dict[str, Body]:
    """Return all bodies by name: the shipped ones and the file's, which may change shipped ones.

    What a body of the file leaves out is as in the shipped body of that name, else as in the body
    that it names under ``like`` (default ``robot``).
    """
    bodies = dict(BODIES)
    for name, values in given.items():
        path: KeyPath = ('bodies', name)
        own = dict(values)
        like = own.pop('like', name if name in BODIES else 'robot')
        if not isinstance(like, str) or like not in bodies:
            raise unknown_name(origins.where((*path, 'like')), str(like), bodies)
        body = updated_body(bodies[like], own, below(path, origins))._replace(name=name)
        bodies[name] = _shaped(body, own, below(path, origins))
    return bodies


def _shaped(body: Body, given: Mapping[str, object], where: Where) -> Body:
    """Return a body, a rectangular one with the radius that follows from its size.

    Raises
    ------
    InputError
        where length, width, offset and radius do not go together.

    """
    for key, other in (('length', 'width'), ('width', 'length')):
        if getattr(body, key) == 0.0 and getattr(body, other) > 0.0:
            raise bad_value(where(key), 0.0, f'a number > 0 (m), since {other} is given')
    if not body.is_rectangle:
        return body
    if not abs(body.offset) < 0.5 * body.length:
        raise bad_value(where('offset'), body.offset, 'less than half the length, '
                        f'{0.5 * body.length:g} m, ahead or behind')
    radius = circle_around(body)
    if given.get('radius', radius) != radius:
        raise InputError(f'{where("radius")} cannot be combined with length and width; leave it '
                         f'out (the circle around the body has {radius:g} m)')
    return body._replace(radius=radius)


def check_group(defaults: _G, given: Mapping[str, object], name: str, origins: Origins) -> _G:
    """Return a group with a file's values, each checked and those that belong together.

    Raises
    ------
    InputError
        naming the place in the file, for an unknown name or a bad value.

    """
    where = below((name,), origins)
    refuse_unknown(given, [spec.name for spec in group_specs(defaults)], where)
    group: Any = defaults
    return group._make(  # type: ignore[no-any-return]
        updated(part, {key: given[key] for key in part._fields if key in given}, where)
        for part in defaults)


def check_common_parameters(name: str, given: Mapping[str, object], rate: Rate,
                            origins: Origins) -> ControllerParameters:
    """Return the parameters of all robots with this controller; a user's class: those given."""
    defaults: ControllerParameters = {}
    if name != NONE:
        entry = entry_of(name)
        defaults = {} if entry.parameters is None else entry.parameters
        if hasattr(defaults, RATE):
            defaults = defaults._replace(**{RATE: rate.hz})
    return check_own_parameters(name, defaults, given, ('controllers', name), origins)


def check_own_parameters(name: str, common: ControllerParameters, given: Mapping[str, object],
                         path: KeyPath, origins: Origins) -> ControllerParameters:
    """Return ``common`` with the parameters of a file at ``path``, checked."""
    if isinstance(common, dict):
        if name == NONE and given:
            raise InputError(f'{origins.where(path)}: parameters cannot be combined with '
                             'controller none; leave them out')
        return {**common, **given}
    where = below(path, origins)
    refuse_unknown(given, [spec.name for spec in entry_of(name).specs], where)
    return updated(common, given, where)
