# SPDX-License-Identifier: Apache-2.0
"""What worlds are stepped with: checked arguments, tables, winds, starts, saved states."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sbot.controllers.neural.inputs import field_of
from sbot.controllers.neural.network import Conditions, Network, warning_of
from sbot.files.yaml_text import Origins
from sbot.scenario import assemble
from sbot.scenario.fields import validate
from sbot.scenario.model import Scenario, ScenarioFile
from sbot.scenario.place import Placement
from sbot.scenario.warnings import BODY, RATE, SENSORS, conditions_of
from sbot_common.arguments import as_array
from sbot_common.arrays import Integers
from sbot_common.clock import Rate
from sbot_common.errors import InputError, bad_value
from sbot_sim.engine.many import Arrays, Winds
from sbot_sim.sensors.range_and_bearing import DATA_BYTES
from sbot_sim.sensors.registry import sensors
from sbot_sim.worlds.parameters import SimulationParameters
from wind_model.gust import (
    WindSource,
)
from wind_model.parameters import WindParameters

# Arguments of worlds, checked: names, numbers of worlds, seeds, poses, bytes.

MOST_WORLDS = 1_000_000
MOST_TICKS = 10_000_000  # of one call, which no signal interrupts
LARGEST_SEED = 2**63 - 1


def flag(where: str, given: Any) -> bool:  # noqa: ANN401
    """Return True or False."""
    if not isinstance(given, (bool, np.bool_)):
        raise bad_value(where, given, 'True or False')
    return bool(given)


def checked_seeds(given: ArrayLike, count: int) -> Integers:
    """Return the seeds (K,) of worlds."""
    values = as_array('seeds', given)
    if values.dtype.kind not in 'iu' or values.shape != (count,) or (
            (values < 0) | (values > LARGEST_SEED)).any():
        raise bad_value('seeds', given, f'{count} whole numbers from 0 to {LARGEST_SEED}')
    return values.astype(np.int64)


def chosen_worlds(given: ArrayLike | None, count: int) -> Integers:
    """Return the numbers of the worlds that a mask (K,) or a list of numbers chooses."""
    if given is None:
        return np.arange(count)
    chosen = as_array('worlds', given)
    if chosen.dtype == np.bool_ and chosen.shape == (count,):
        return np.flatnonzero(chosen)
    if chosen.shape == (0,):
        return np.zeros(0, np.int64)
    if chosen.dtype.kind not in 'iu' or chosen.ndim != 1 or not (
            (chosen >= 0) & (chosen < count)).all():
        raise bad_value('worlds', given, f'a mask of {count} values, or numbers below {count}')
    return chosen.astype(np.int64)


def checked_data(given: ArrayLike, robots: tuple[int, ...], heard: bool) -> NDArray[Any]:
    """Return the bytes (K*N, 10) that robots broadcast; ``heard``: robots can hear them."""
    data = as_array('data', given)
    if not heard:
        raise InputError('data needs range and bearing; add sensors.range_and_bearing: true to '
                         'the '
                         'scenario')
    whole = data.dtype.kind in 'iu' and ((data >= 0) & (data <= 255)).all()
    if data.shape != (*robots, DATA_BYTES) or not whole:
        raise bad_value('data', f'{data.dtype} of shape {data.shape}',
                        f'whole numbers of 0 to 255, shape {(*robots, DATA_BYTES)}')
    return data.reshape(-1, DATA_BYTES)


@contextmanager
def enough_memory(what: str) -> Iterator[None]:
    """Turn a lack of memory into an InputError that names its purpose."""
    try:
        yield
    except MemoryError:
        raise InputError(f'{what}: need more memory than the machine has; use fewer') from None


# Scenarios in which networks learn: what a network keeps of them, and a warning elsewhere.

LOG = logging.getLogger(__name__)


def senses_of(inputs: Sequence[str]) -> list[str]:
    """Return the sensors that inputs need."""
    return [field for field in map(field_of, inputs) if field is not None]


def learned_in(network: Network, scenarios: Sequence[Scenario]) -> Network:
    """Return a network that says what its inputs meant in the scenarios in which it learned.

    It keeps the rate, the body, and the settings of the sensors of its inputs. Values that differ
    between the scenarios are left out.
    """
    fields = senses_of(network.inputs)
    keys = {RATE, BODY, *(SENSORS + spec.name for name, sensor in sensors().items()
                          if name in fields for spec in sensor.specs)}
    first, *others = (conditions_of(one) for one in {id(one): one for one in scenarios}.values())
    return network._replace(learned_with=tuple(
        (key, value) for key, value in first.items()
        if key in keys and all(other.get(key) == value for other in others)))


def warn_if_unlike(network: Network, scenario: Scenario, told: set[Conditions]) -> None:
    """Log a warning, once, for a network that learned with other values than a scenario has."""
    if not network.learned_with or network.learned_with in told:
        return
    told.add(network.learned_with)
    text = warning_of(f'{scenario.name}: network', network.learned_with, conditions_of(scenario))
    if text is not None:
        LOG.warning('%s', text)


# Saved state of worlds: what ``worlds.save()`` returns and ``worlds.restore()`` takes.

@dataclass(frozen=True)
class Saved:
    """The state of M worlds, as copies; it can be pickled, and ``saved[k]`` is one world's.

    A restored world continues with the same bits as the saved one.
    """

    scenarios: tuple[Scenario, ...]  # of each world
    senses: frozenset[str]
    seeds: Integers  # (M,)
    start: NDArray[np.float64]  # (M, N, 3)
    arrays: Arrays  # (M, ...) each
    past: NDArray[np.float64]  # (M, ages, N, 3) poses of the last ticks, where delays need them
    controlled: tuple[int, ...]  # robots that controllers drive
    teams: tuple[Any, ...]  # of each world: the ``Team`` of controllers; (): there are none

    def __len__(self) -> int:
        """Return M."""
        return len(self.scenarios)

    def __getitem__(self, which: ArrayLike | slice) -> Saved:
        """Return the state of one world, or of several by numbers, a mask or a slice."""
        if isinstance(which, slice):
            chosen = np.arange(len(self))[which]
        elif isinstance(which, int | np.integer):
            chosen = np.arange(len(self))[np.array([which])]
        else:
            chosen = chosen_worlds(which, len(self))
        return Saved(tuple(self.scenarios[k] for k in chosen.tolist()), self.senses,
                     self.seeds[chosen], self.start[chosen],
                     {name: array[chosen] for name, array in self.arrays.items()},
                     self.past[chosen], self.controlled,
                     tuple(self.teams[k].copy() for k in chosen.tolist() if self.teams))

    def check(self, worlds: int, senses: frozenset[str], robots: int,
              controlled: tuple[int, ...]) -> None:
        """Raise InputError where a state is not one of such worlds."""
        if len(self) not in (1, worlds):
            raise bad_value('state', f'{len(self)} worlds',
                            f'1 or {worlds}, the number of worlds to restore')
        if self.senses != senses:
            raise bad_value('state', f"sense {', '.join(sorted(self.senses)) or 'nothing'}",
                            f"sense {', '.join(sorted(senses)) or 'nothing'}")
        if self.controlled != controlled:
            raise bad_value('state', f'controllers of the robots {self.controlled}',
                            f'{controlled}')
        if self.start.shape[1] != robots:
            raise bad_value('state', f'{self.start.shape[1]} robots', f'{robots} robots')


class _WorldTables(NamedTuple):
    """The tables of one scenario."""

    scenario: Scenario
    parameters: SimulationParameters
    wind: WindSource


def tables_of_worlds(scenarios: Sequence[Scenario]) -> list[_WorldTables]:
    """Return the tables of worlds, one a scenario; the same object may be there several times.

    Parameters
    ----------
    scenarios : with as many robots, the same sensors, rate and wakes; what may differ is where
        obstacles and robots stand, bodies, wind and noise

    Raises
    ------
    InputError
        naming what differs and must not.

    """
    tables: dict[int, _WorldTables] = {}
    for scenario in scenarios:
        if id(scenario) not in tables:
            tables[id(scenario)] = _WorldTables(
                scenario, assemble.simulation_parameters(scenario),
                assemble.wind_source(scenario))
    for kind in tables.values():
        _check_alike(tables[id(scenarios[0])], kind)
    return [tables[id(scenario)] for scenario in scenarios]


def winds_of(worlds: Sequence[_WorldTables]) -> Winds:
    """Return the winds of all worlds, as ``WindSource.at`` computes them at each tick."""
    rate = worlds[0].scenario.rate
    rows = [wind_rows(world.wind.parameters, rate) for world in worlds]
    return Winds(**{name: np.array([row[name] for row in rows]) for name in rows[0]},
                 field=worlds[0].wind.field)


def wind_rows(flow: WindParameters, rate: Rate) -> dict[str, NDArray[Any]]:
    """Return the wind of one world: its row of each array of ``Winds``."""
    return {'wind_velocity': flow.mean_velocity,
            'wind_force': flow.mean_force, 'gust_velocity': flow.gust_velocity,
            'gust_force': flow.gust_force,
            'gust_ticks': np.array(flow.gust_ticks(rate), np.int64)}


def _check_alike(one: _WorldTables, other: _WorldTables) -> None:
    """Raise InputError where two worlds cannot be stepped together."""
    a, b = one.parameters, other.parameters
    for what, x, y in (
            ('number of robots', len(one.scenario.robots), len(other.scenario.robots)),
            ('rate', one.scenario.rate, other.scenario.rate),
            ('wakes', a.wake, b.wake), ('wind_height', a.wind_height, b.wind_height),
            *((name, name in a.sensors.fitted, name in b.sensors.fitted)
              for name in {**a.sensors.fitted, **b.sensors.fitted}),
            ('hooks', a.hooks, b.hooks), ('obstacles that move', *map(_moving, (a, b))),
            ('laser', *map(_lasers_of, (a, b))),
            ('infrared', _infrared_of(a), _infrared_of(b)),
            ('range and bearing', (a.sensors.range_and_bearing, a.sensors.rab_range),
             (b.sensors.range_and_bearing, b.sensors.rab_range)),
            ('wind field', one.wind.parameters.custom_wind_field_path * one.wind.parameters
             .use_custom_static_wind_field, other.wind.parameters.custom_wind_field_path
             * other.wind.parameters.use_custom_static_wind_field)):
        if x != y:
            raise InputError(f'worlds of one batch: {what}: got {x} and {y}, expected the same')


def _lasers_of(parameters: SimulationParameters) -> object:
    lasers = parameters.sensors.lasers
    kits = [[each._replace(noise_std=0.0) for each in kit] for kit in lasers.kits]
    return kits[0][0] if len(lasers.all) == 1 else (kits, lasers.kit.tolist())


def _infrared_of(parameters: SimulationParameters) -> object:
    infrared = parameters.sensors.infrared
    return infrared and (infrared.table.tolist(), infrared.sees_robots, infrared.range)


def _moving(parameters: SimulationParameters) -> tuple[int, int]:
    """Return how many obstacles are on paths, and how many are pushed."""
    if parameters.obstacles is None:
        return 0, 0
    return len(parameters.obstacles.paths.radius), len(parameters.obstacles.start)


# Start poses of worlds by scenario and seed.

def _placement_of(scenario: Scenario) -> Placement:
    """Return the start poses of a loaded scenario by seed, without loading it for each."""
    assert scenario.source is not None
    origins = Origins('scenario', {}, set())
    written = validate(ScenarioFile, deepcopy(scenario.source.data), origins)
    return Placement(replace(written, world=scenario.world), scenario.bodies,
                     origins)


class Starts:
    """Where robots of a scenario stand at tick 0 for a seed, as ``sbot.load`` places them."""

    def __init__(self, scenario: Scenario) -> None:
        self._scenario = scenario
        self._random = _placed_at_random(scenario)
        self._first = assemble.initial_poses(scenario)

    @cached_property
    def _placement(self) -> Placement:
        return _placement_of(self._scenario)

    def __call__(self, seeds: Integers) -> NDArray[np.float64]:
        """Return poses x, y (m), yaw (rad) of seeds (M,): (M, N, 3), or (1, N, 3) for all."""
        own = seeds == self._scenario.seed
        if not self._random or own.all():
            return self._first[None]
        poses = self._placement(seeds)
        poses[own] = self._first
        return poses


def _placed_at_random(scenario: Scenario) -> bool:
    """Tell whether a seed may move robots."""
    if scenario.source is None:
        return False
    entries = scenario.source.data.get('robots', ())
    return any(isinstance(entry, dict) and (
        ('count' in entry and entry.get('layout') != 'grid')
        or any(entry.get(key) is not None for key in ('yaw_uniform', 'yaw_gaussian')))
        for entry in entries)
