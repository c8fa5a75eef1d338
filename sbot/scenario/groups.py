# SPDX-License-Identifier: Apache-2.0
"""Parameter groups of a scenario: bodies, controllers, sensors, wind; checked and typed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from sbot.controllers.entry import RATE
from sbot.files.yaml_text import Origins
from sbot.scenario.shipped import DRIVER, sold_names, sold_robot
from sbot_common.errors import bad_value, unknown_name
from sbot_common.params import Spec, Value, Where, in_words, refuse_unknown, specs_of, updated
from sbot_sim.dynamics.hooks import HookNames
from sbot_sim.sensors.laser import ScanSettings
from sbot_sim.sensors.registry import Sensor, sensors
from sbot_sim.world.bodies import BODIES, Body, body_specs
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

    def of(self, body: Body) -> SensorSettings:
        """Return the settings of the sensors of robots with a body."""
        return _changed(self, body.own.get('sensors', {}))

    def lasers_of(self, body: Body) -> list[ScanSettings]:
        """Return the settings of each laser of robots with a body; controllers see the first."""
        scan = self.of(body).scan
        return [scan._replace(**own) for own in body.own.get('lasers', [{}])]

    def shared_by(self, bodies: dict[str, Body]) -> tuple[SensorSettings, dict[str, Body]]:
        """Return the same sensors, in the group if all bodies have the same for themselves."""
        own = [body.own.get('sensors', {}) for body in bodies.values()]
        if not own[0] or any(each != own[0] for each in own):
            return self, bodies
        return _changed(self, own[0]), {
            name: body._replace(own={key: value for key, value in body.own.items()
                                     if key != 'sensors'}) for name, body in bodies.items()}


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


_MOST_LASERS = 8  # of a robot
# A tuple of the type that the controller's entry declares, or what a class of one's own takes.
ControllerParameters = Any


def group_specs(group: tuple[NamedTuple, ...]) -> tuple[Spec, ...]:
    """Return the specs of all parameters of a group, in the order of a file."""
    return tuple(spec for part in group for spec in specs_of(type(part)))


def updated_parts(group: Sequence[NamedTuple], given: Mapping[str, object],
                  where: Where) -> list[Any]:
    """Return the parts of a group with a file's values, each checked and those that go together.

    Raises
    ------
    InputError
        naming the place in the file, for an unknown name or a bad value.

    """
    refuse_unknown(given, [spec.name for part in group for spec in specs_of(type(part))], where)
    return [updated(part, {key: given[key] for key in part._fields if key in given}, where)
            for part in group]


def group_in_words(group: tuple[NamedTuple, ...]) -> dict[str, Value]:
    """Return a group as a file gives it."""
    return {name: value for part in group for name, value in in_words(part).items()}


def controller_in_words(parameters: ControllerParameters) -> dict[str, Any]:
    """Return a controller's parameters as a file gives them."""
    if isinstance(parameters, dict):
        return parameters
    return {name: value for name, value in in_words(parameters).items() if name != RATE}


# What a body has beside ``body_specs``.
_OWN = ('sensors', 'lasers', *DRIVER)


def check_bodies(given: Mapping[str, Mapping[str, object]], origins: Origins,
                 used: Iterable[str] = (), sensors: SensorSettings | None = None,
                 general: Iterable[str] = ()) -> dict[str, Body]:
    """Return all bodies by name: the shipped ones and the file's, which may change shipped ones.

    What a body of the file leaves out is as in the shipped body of that name, else as in the body
    that it names under ``like`` (default ``robot``).

    Parameters
    ----------
    given : the file's, by name
    origins : of the file
    used : names of the robots' bodies: of robots as they are sold, only those in use are read
    sensors : the file's, which a body's own settings change
    general : the keys among these that the file gives; they replace those of shipped bodies

    """
    bodies, every = dict(BODIES), sensors or SensorSettings()
    wanted = {*used, *given, *(str(values.get('like')) for values in given.values())}
    for name in sold_names():
        if name in wanted:
            values = sold_robot(name).body
            bodies[name] = _body(name, {**values, 'sensors': {
                key: value for key, value in values.get('sensors', {}).items()
                if key not in general}}, bodies, every, Origins(f'robots/{name}.yaml', {}, set()))
    for name, own in given.items():
        bodies[name] = _body(name, own, bodies, every, origins)
    return bodies


def _body(name: str, given: Mapping[str, object], bodies: Mapping[str, Body],
          sensors: SensorSettings, origins: Origins) -> Body:
    """Return a body as a file gives it; see ``check_bodies``."""
    values, where = dict(given), origins.below(('bodies', name))
    like = values.pop('like', name if name in bodies else 'robot')
    if not isinstance(like, str) or like not in bodies:
        raise unknown_name(where('like'), str(like), {*bodies, *sold_names()})
    refuse_unknown(values, [*(spec.name for spec in body_specs()), *_OWN], where)
    own = {**bodies[like].own, **{key: values.pop(key) for key in _OWN if key in values}}
    own['sensors'] = {**bodies[like].own.get('sensors', {}), **_checked_settings(
        own.get('sensors', {}), sensors, ('scan', 'odometry'), where('sensors'))}
    every = _changed(sensors, own['sensors'])
    lasers = own.get('lasers', [])
    if not isinstance(lasers, list | tuple) or len(lasers) > _MOST_LASERS:
        raise bad_value(where('lasers'), lasers, f'a list of at most {_MOST_LASERS} mappings')
    own['lasers'] = [_checked_settings(each, every, ('scan',), f"{where('lasers')}.{k}")
                     for k, each in enumerate(lasers)]
    for key in DRIVER:
        if key in own and not isinstance(own[key], bool):
            raise bad_value(where(key), own[key], 'true or false')
    return bodies[like].updated(values, where)._replace(
        name=name, own={key: value for key, value in own.items() if value not in ({}, [])})


def _checked_settings(given: object, sensors: SensorSettings, names: Sequence[str],
                      place: str) -> dict[str, Value]:
    """Return settings of a body's sensors, checked together with those of all robots."""
    if not isinstance(given, Mapping):
        raise bad_value(place, given, 'a mapping')
    changed = updated_parts([getattr(sensors, name) for name in names], given,
                            lambda name: f'{place}.{name}')
    return {key: getattr(part, key) for part in changed for key in part._fields if key in given}


def _changed(sensors: SensorSettings, own: Mapping[str, object]) -> SensorSettings:
    """Return settings with other values, which are checked."""
    return SensorSettings(part._replace(**{key: own[key] for key in part._fields if key in own})
                          for part in sensors)
