# SPDX-License-Identifier: Apache-2.0
"""Values that a task draws (domain randomisation); what policies need to drive robots."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from sbot.learn.task import Task
from sbot.worlds.many import Worlds
from sbot.worlds.setting import wind_rows
from sbot_common.arguments import numbers
from sbot_common.arrays import Floats
from sbot_common.errors import InputError, bad_value
from sbot_common.params import Param, Spec, specs_of
from sbot_sim.engine.many import noises_of
from sbot_sim.sensors.registry import sensors
from wind_model.parameters import WindParameters

# Domain randomisation: values of a scenario that a task draws for each episode.

Ranges = dict[str, tuple[float, float]]
Drawn = dict[str, Any]  # values by key, as ``sbot.load`` takes overrides

_DIRECTIONS = ('wind.wind_direction', 'wind.wind_gust_direction')  # ranges of yaws (rad)
_WIND = (*_DIRECTIONS, 'wind.wind_speed_mean', 'wind.wind_force_mean', 'wind.wind_gust_speed_mean',
         'wind.wind_gust_force_mean', 'wind.wind_gust_start', 'wind.wind_gust_duration')
# Noises: the array of a batch that has them.
_NOISES = {f'sensors.{name}': array for array, name in (
    ('scan_noise', 'scan_noise_std'), ('infrared_noise', 'infrared_noise'),
    ('noise_radius', 'odometry_noise_radius'),
    ('noise_slip', 'odometry_noise_slip'))}
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
        if low > high:
            raise bad_value(where, [low, high], 'two numbers, the smaller one first')
        for end in (low, high):
            _allowed()[key].check(end, where)
        ranges[key] = low, high
    return ranges


@lru_cache(maxsize=1)
def _allowed() -> dict[str, Spec]:
    """Return what a scenario allows, by key."""
    declared = {f'wind.{spec.name}': spec for spec in specs_of(WindParameters)}
    for sensor in sensors().values():
        declared |= {f'sensors.{spec.name}': spec for spec in sensor.specs}
    return {**{key: declared[key] for key in KEYS},
            **dict.fromkeys(_DIRECTIONS, Param('rad', '', '', -1e6, 1e6))}


def _draw(ranges: Ranges, rng: np.random.Generator) -> Drawn:
    """Return values drawn evenly from ranges, in their order."""
    drawn: Drawn = {}
    for key, (low, high) in ranges.items():
        value = float(rng.uniform(low, high))
        drawn[key] = ([math.cos(value), math.sin(value), 0.0] if key in _DIRECTIONS else value)
    return drawn


def randomise(worlds: Worlds, world: int, task: Task, rng: np.random.Generator,
              last: Drawn) -> Drawn:
    """Draw what a task's ``randomise`` names for the next episode of a world, and write it there.

    ``last`` : what was drawn for its last episode, of which nothing stays
    """
    drawn = _draw(checked_ranges(task.randomise), rng) if task.randomise else {}
    if drawn or last:
        _apply(worlds, world, drawn)
    return drawn


def _apply(worlds: Worlds, world: int, drawn: Drawn) -> None:
    """Write drawn values to a world before a reset; all others are its scenario's."""
    scenario, setting = worlds.scenarios[world], worlds.setting
    winds: dict[str, Any] = {key.partition('.')[2]: tuple(value) if key in _DIRECTIONS else value
                             for key, value in drawn.items() if key in _WIND}
    flow = scenario.wind.flow._replace(**winds)
    for name, row in wind_rows(flow, scenario.rate).items():
        getattr(setting, name)[world] = row
    given = noises_of(worlds.parameters[world])
    for key, name in _NOISES.items():
        getattr(setting, name).reshape(worlds.count, -1)[world] = drawn.get(key, given[name])


def check_robots_have(task: Task, limits: Floats) -> None:
    """Raise InputError if a policy needs inputs or actions that a network in a robot lacks.

    ``limits`` are those (N, 2) of the robots that learn.
    """
    _check_plain(task)
    if (limits != limits[0]).any():
        raise InputError('task: robots of different bodies have different greatest speeds, and a '
                         'network has one; give the task max_speed and turn')


def controlled_of(task: Task) -> tuple[int, ...]:
    """Return the numbers of the robots that their controllers drive."""
    return () if type(task).script is not Task.script else task.scripted


def check_evaluated(task: Task) -> None:
    """Raise InputError for a task in whose scenes one policy cannot drive all that learn."""
    _check_plain(task)
    if task.scripted != controlled_of(task):
        raise InputError('task: script() needs an environment; give the robots a controller '
                         'instead')


def _check_plain(task: Task) -> None:
    """Raise InputError for a task whose actions or observations a network does not have."""
    if task.broadcast:
        raise InputError('task: broadcast cannot be combined with a network, which has only two '
                         'outputs')
    if type(task).observation is not Task.observation:
        raise InputError(f'task: observation() of {type(task).__name__} cannot be combined with a '
                         'network that drives robots; give `inputs` by name, or compute yours '
                         'from them in a function (`learned` of the Entry, docs/tasks.md)')


def gates_of(inputs: Any, units: Any, bias: Any, other: Any) -> Any:  # noqa: ANN401
    """Return the weights (..., W) of a GRU or an LSTM: unit by unit, and gate by gate within it.

    Parameters
    ----------
    inputs, units : weights from I inputs (..., G H, I) and from H units (..., G H, H) of G gates
    bias, other : the biases beside these, (..., G H)

    """
    import torch  # who has its layers has imported it
    rows = torch.cat([bias[..., None], inputs, other[..., None], units], dim=-1)
    return rows.unflatten(-2, (-1, units.shape[-1])).transpose(-3, -2).flatten(-3)
