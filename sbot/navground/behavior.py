"""Behaviours of navground: their names, their parameters, and one made for a body."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from sbot_common.errors import InputError, bad_value, install_command, unknown_name
from sbot_common.params import refuse_unknown
from sbot_sim.world.bodies import BODIES, Body

PREFIX = 'navground:'
# Attributes of every behaviour that may be given beside its own properties, with our defaults.
# radius, wheels and largest speed are the body's.
COMMON: dict[str, float] = {'optimal_speed': 1.5, 'max_speed': 2.0, 'max_angular_speed': math.pi,
                            'horizon': 5.0, 'safety_margin': 0.1, 'rotation_tau': 0.5}
FOLLOW = 'follow_distance'  # m, our own: how near a robot without a goal comes to robot 0
_FOLLOW = 1.5


def is_navground(name: str) -> bool:
    """Tell whether a controller's name is one of a behaviour."""
    return name.startswith(PREFIX)


def navground_core(where: str) -> Any:  # noqa: ANN401 - an optional module
    """Return the module ``navground.core``; raise InputError if it is not installed."""
    try:
        from navground import core
    except ImportError as error:
        raise InputError(f'{where}: needs the library navground ({error}): '
                         f'{install_command("navground")}') from None
    return core


def behavior_names(where: str) -> list[str]:
    """Return the names of all behaviours that can be used, e.g. 'navground:HL'.

    Raises
    ------
    InputError
        if navground is not installed; the message begins with ``where``.

    """
    return [PREFIX + each for each in navground_core(where).Behavior.types
            if each and not each.endswith('Dummy')]


def check_behavior(name: str, parameters: Mapping[str, object], where: str) -> None:
    """Raise InputError if there is no such behaviour, or it does not take the parameters.

    Parameters
    ----------
    name : 'navground:ORCA'
    parameters : by name
    where : what messages call it

    """
    make_behavior(name, BODIES['robot'], parameters, where)


def make_behavior(name: str, body: Body, parameters: Mapping[str, object],
                  where: str = 'controller') -> Any:  # noqa: ANN401 - of an optional module
    """Return a behaviour for a body; raise InputError as ``check_behavior``."""
    core, usable = navground_core(where), behavior_names(where)
    if name not in usable:
        raise unknown_name(where, name, usable)
    behavior = core.Behavior.make_type(name.removeprefix(PREFIX))
    refuse_unknown(parameters, [FOLLOW, *COMMON, *behavior.properties],
                   lambda each: f'{where}: {each}')
    values = {**COMMON, **parameters}
    behavior.kinematics = core.kinematics.TwoWheelsDifferentialDriveKinematics(
        max_speed=body.max_wheel_speed * body.wheel_radius, wheel_axis=body.wheel_distance,
        max_angular_speed=_number(values, 'max_angular_speed', where),
        max_forward_speed=_number(values, 'max_speed', where), max_backward_speed=0.0)
    behavior.radius = body.radius + body.collision_distance
    for each in ('optimal_speed', 'horizon', 'safety_margin', 'rotation_tau'):
        setattr(behavior, each, _number(values, each, where))
    behavior.optimal_angular_speed = _number(values, 'max_angular_speed', where)
    for each, declared in behavior.properties.items():
        if each in parameters:
            behavior.set(each, _as_declared(parameters[each], declared.default_value,
                                            f'{where}: {each}'))
    return behavior


def _as_declared(value: object, default: object, where: str) -> object:
    """Return a value in the type of a property's default; the library takes any without a word."""
    kind = type(default)
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    if type(value) is not kind:
        raise bad_value(where, value, f'a {kind.__name__}, e.g. {default}')
    return value


def follow_distance(parameters: Mapping[str, object], where: str) -> float:
    """Return how near (m) a robot without a goal comes to robot 0."""
    return _number({FOLLOW: _FOLLOW, **parameters}, FOLLOW, where)


def _number(values: Mapping[str, object], name: str, where: str) -> float:
    value = values[name]
    if isinstance(value, bool) or not isinstance(value, int | float) or value < 0:
        raise bad_value(f'{where}: {name}', value, 'a number >= 0')
    return float(value)
