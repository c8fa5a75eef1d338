"""The groups of a scenario that ``Spec`` tables describe: bodies, controllers, sensors, wind."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from potential_field_bot.parameters import SPECS as POTENTIAL_FIELD_SPECS
from potential_field_bot.parameters import make_parameters
from sbot.scenario.yaml_text import KeyPath, Origins
from sbot_common.clock import Rate
from sbot_common.errors import InputError, bad_value, unknown_name
from sbot_common.params import Spec
from sbot_sim.sensors.infrared.sensor import INFRARED_SPECS
from sbot_sim.sensors.odometry import ODOMETRY_SPECS
from sbot_sim.sensors.range_and_bearing import RAB_SPECS
from sbot_sim.sensors.scan import SCAN_SPECS, make_scan_parameters
from sbot_sim.world.bodies import BODIES, BODY_SPECS, Body
from wind_model.parameters import (
    HEIGHT_SPEC,
    VECTOR_SPECS,
    WAKE_SPECS,
    VectorSpec,
    make_wind_parameters,
)
from wind_model.parameters import SPECS as MACRO_SPECS
from wind_model.wind_aware import WIND_AWARE_SPECS

AnySpec = Spec | VectorSpec

# The loop rate of the controller is the scenario's `rate`.
CONTROLLER_SPECS: dict[str, tuple[AnySpec, ...]] = {
    'potential_field': tuple(s for s in POTENTIAL_FIELD_SPECS if s.name != 'loop_rate'),
    'wind_aware': WIND_AWARE_SPECS,
}
SENSOR_SPECS: tuple[AnySpec, ...] = (
    *SCAN_SPECS, *INFRARED_SPECS, *RAB_SPECS, *ODOMETRY_SPECS)
WIND_SPECS: tuple[AnySpec, ...] = (*VECTOR_SPECS, *MACRO_SPECS, HEIGHT_SPEC, *WAKE_SPECS)


def check_group(specs: Iterable[AnySpec], given: Mapping[str, object], path: KeyPath,
                origins: Origins, *, complete: bool = True) -> dict[str, Any]:
    """Return the given values checked, and the defaults of the others if ``complete``.

    Raises
    ------
    InputError
        naming the place in the file, for an unknown name or a bad value.

    """
    table = {spec.name: spec for spec in specs}
    for name in given:
        if name not in table:
            raise unknown_name(origins.where((*path, name)), name, table)
    values: dict[str, Any] = {}
    for name, spec in table.items():
        if name in given:
            where = origins.where((*path, name)).removesuffix(name)
            values[name] = spec.check(given[name], where)
        elif complete:
            values[name] = spec.default
    return values


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
        checked = check_group(BODY_SPECS, own, path, origins, complete=False)
        bodies[name] = bodies[like]._replace(name=name, **checked)
    return bodies


def check_sensors(given: Mapping[str, object], origins: Origins) -> dict[str, Any]:
    """Return every sensor parameter, each checked and all of them together."""
    values = check_group(SENSOR_SPECS, given, ('sensors',), origins)
    scan = {spec.name: values[spec.name] for spec in SCAN_SPECS}
    check_together(make_scan_parameters, scan, ('sensors',), origins)
    return values


def check_wind(given: Mapping[str, object], origins: Origins) -> dict[str, Any]:
    """Return every wind parameter, each checked and all of them together."""
    values = check_group(WIND_SPECS, given, ('wind',), origins)
    macro = {spec.name: values[spec.name] for spec in (*MACRO_SPECS, *VECTOR_SPECS)}
    check_together(make_wind_parameters, macro, ('wind',), origins)
    return values


def check_together(make: Callable[[dict[str, Any]], object], values: dict[str, Any],
                   path: KeyPath, origins: Origins) -> None:
    """Call ``make`` for its checks; the name that its message begins with gets its line."""
    try:
        make(values)
    except InputError as error:
        name, _, reason = str(error).partition(': ')
        raise InputError(f'{origins.where((*path, name))}: {reason}') from None


def check_common_parameters(name: str, given: Mapping[str, object], rate: Rate,
                            origins: Origins) -> dict[str, Any]:
    """Return every parameter for all robots with this controller; a user's class: those given."""
    path: KeyPath = ('controllers', name)
    if name not in CONTROLLER_SPECS:
        _refuse_for_none(name, given, path, origins)
        return dict(given)
    values = check_group(CONTROLLER_SPECS[name], given, path, origins)
    _check_constants(name, values, rate, path, origins)
    return values


def check_own_parameters(name: str, common: Mapping[str, Any], given: Mapping[str, object],
                         rate: Rate, path: KeyPath, origins: Origins) -> dict[str, Any]:
    """Return what differs for one robot, ``given`` at ``path``, from ``common``, checked."""
    if name not in CONTROLLER_SPECS:
        _refuse_for_none(name, given, path, origins)
        return dict(given)
    changes = check_group(CONTROLLER_SPECS[name], given, path, origins, complete=False)
    _check_constants(name, {**common, **changes}, rate, path, origins)
    return changes


def _refuse_for_none(name: str, given: Mapping[str, object], path: KeyPath,
                     origins: Origins) -> None:
    if name == 'none' and given:
        raise bad_value(origins.where(path), dict(given), 'nothing: none takes no parameters')


def _check_constants(name: str, values: Mapping[str, Any], rate: Rate, path: KeyPath,
                     origins: Origins) -> None:
    if name == 'potential_field':
        check_together(make_parameters, {**values, 'loop_rate': rate.hz}, path, origins)
