"""Domain randomisation: values of a scenario that a task draws for each episode."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from sbot.scenario.model import Scenario
from sbot.worlds.many import Worlds
from sbot.worlds.setting import wind_rows
from sbot_common.arguments import numbers
from sbot_common.errors import InputError, bad_value
from sbot_common.params import Param, Spec, specs_of
from sbot_sim.sensors.registry import sensors
from wind_model.parameters import WindParameters

Ranges = dict[str, tuple[float, float]]
Drawn = dict[str, Any]  # values by key, as ``sbot.load`` takes overrides

_DIRECTIONS = ('wind.wind_direction', 'wind.wind_gust_direction')  # ranges of yaws (rad)
_WIND = (*_DIRECTIONS, 'wind.wind_speed_mean', 'wind.wind_force_mean', 'wind.wind_gust_speed_mean',
         'wind.wind_gust_force_mean', 'wind.wind_gust_start', 'wind.wind_gust_duration')
# Noises, and the arrays of a batch that have them.
_NOISES = {'sensors.scan_noise_std': 'scan_noise', 'sensors.infrared_noise': 'infrared_noise',
           'sensors.odometry_noise_radius': 'noise_radius',
           'sensors.odometry_noise_slip': 'noise_slip'}
KEYS = (*_WIND, *_NOISES)


def checked_ranges(given: Any) -> Ranges:  # noqa: ANN401
    """Return the ranges of a task's ``randomise``.

    Raises
    ------
    InputError
        for an unknown key, anything but a pair of numbers, the smaller one first, and numbers
        that a scenario may not have there.

    """
    if not isinstance(given, Mapping):
        raise bad_value('randomise of the task', given, 'ranges by key of a scenario')
    ranges: Ranges = {}
    for key, pair in given.items():
        where = f'randomise of the task: {key}'
        if key not in KEYS:
            raise InputError(f'{where}: cannot be drawn for each episode; use one of '
                             f'{", ".join(KEYS)}')
        low, high = numbers(where, pair, (2,)).tolist()
        if low > high or (low < 0.0 and key not in _DIRECTIONS):
            raise bad_value(where, [low, high], 'two numbers, the smaller one first' + (
                '' if key in _DIRECTIONS else ', none below 0'))
        limits = _limits()[key]
        for end in (low, high):
            limits.check(end, where)
        ranges[key] = low, high
    return ranges


@lru_cache(maxsize=1)
def _limits() -> dict[str, Spec]:
    """Return what a scenario allows, by key."""
    declared = {f'wind.{spec.name}': spec for spec in specs_of(WindParameters)}
    for sensor in sensors().values():
        declared |= {f'sensors.{spec.name}': spec for spec in sensor.specs}
    return {**{key: declared[key] for key in KEYS},
            **dict.fromkeys(_DIRECTIONS, Param('rad', '', '', -1e6, 1e6))}


def draw(ranges: Ranges, rng: np.random.Generator) -> Drawn:
    """Return values drawn evenly from ranges, in their order."""
    drawn: Drawn = {}
    for key, (low, high) in ranges.items():
        value = float(rng.uniform(low, high))
        drawn[key] = ([math.cos(value), math.sin(value), 0.0] if key in _DIRECTIONS else value)
    return drawn


def apply(worlds: Worlds, world: int, drawn: Drawn) -> None:
    """Write drawn values to a world before a reset; all others are its scenario's."""
    scenario, setting = worlds.scenarios[world], worlds.setting
    winds: dict[str, Any] = {key.partition('.')[2]: tuple(value) if key in _DIRECTIONS else value
                             for key, value in drawn.items() if key in _WIND}
    flow = scenario.wind.flow._replace(**winds)
    for name, row in wind_rows(flow, scenario.rate).items():
        getattr(setting, name)[world] = row
    n = worlds.robots
    for key, name in _NOISES.items():
        array = getattr(setting, name)
        rows = slice(world, world + 1) if len(array) == worlds.count else slice(
            world * n, (world + 1) * n)
        array[rows] = drawn.get(key, _noise_of(scenario, name))


def _noise_of(scenario: Scenario, name: str) -> float:
    """Return a noise of a scenario."""
    sensors = scenario.sensors
    if name == 'scan_noise':
        return float(sensors.scan.scan_noise_std)
    if name == 'infrared_noise':
        return float(sensors.infrared.infrared_noise)
    key = {'noise_radius': 'odometry_noise_radius', 'noise_slip': 'odometry_noise_slip'}[name]
    return float(getattr(sensors.odometry, key))
