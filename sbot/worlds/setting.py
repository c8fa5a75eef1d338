"""Tables and winds of several scenarios that are stepped together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot.scenario import assemble
from sbot.scenario.model import Scenario
from sbot_common.clock import Rate
from sbot_common.errors import InputError
from sbot_sim.engine.setting import Winds
from sbot_sim.worlds.parameters import SimulationParameters
from wind_model.gust import gust_force, gust_velocity, gust_window, mean_force
from wind_model.parameters import WindParameters
from wind_model.source import WindSource
from wind_model.uniform import mean_velocity


class WorldTables(NamedTuple):
    """The tables of one scenario."""

    scenario: Scenario
    parameters: SimulationParameters
    wind: WindSource


def tables_of_worlds(scenarios: Sequence[Scenario]) -> list[WorldTables]:
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
    tables: dict[int, WorldTables] = {}
    for scenario in scenarios:
        if id(scenario) not in tables:
            tables[id(scenario)] = WorldTables(
                scenario, assemble.simulation_parameters(scenario),
                assemble.wind_source(scenario))
    for kind in tables.values():
        _check_alike(tables[id(scenarios[0])], kind)
    return [tables[id(scenario)] for scenario in scenarios]


def winds_of(worlds: Sequence[WorldTables]) -> Winds:
    """Return the winds of all worlds, as ``WindSource.at`` computes them at each tick."""
    rate = worlds[0].scenario.rate
    rows = [wind_rows(world.wind.parameters, rate) for world in worlds]
    return Winds(**{name: np.array([row[name] for row in rows]) for name in rows[0]},
                 field=worlds[0].wind.field)


def wind_rows(flow: WindParameters, rate: Rate) -> dict[str, NDArray[Any]]:
    """Return the wind of one world: its row of each array of ``Winds``."""
    return {'wind_velocity': np.asarray(mean_velocity(flow)),
            'wind_force': mean_force(flow), 'gust_velocity': gust_velocity(flow),
            'gust_force': gust_force(flow),
            'gust_ticks': np.array(gust_ticks(flow, rate), np.int64)}


def gust_ticks(flow: WindParameters, rate: Rate) -> tuple[int, int]:
    """Return the first tick of the gust and the first one after it."""
    start, end = (max(0, rate.tick(stamp_ns - 1) + 1) for stamp_ns in gust_window(flow))
    return start, end


def _check_alike(one: WorldTables, other: WorldTables) -> None:
    """Raise InputError where two worlds cannot be stepped together."""
    a, b = one.parameters, other.parameters
    for what, x, y in (
            ('number of robots', len(one.scenario.robots), len(other.scenario.robots)),
            ('rate', one.scenario.rate, other.scenario.rate),
            ('wakes', a.wake, b.wake), ('wind_height', a.wind_height, b.wind_height),
            *((name, name in a.sensors.fitted, name in b.sensors.fitted)
              for name in {**a.sensors.fitted, **b.sensors.fitted}),
            ('hooks', a.hooks, b.hooks), ('obstacles that move', *map(_moving, (a, b))),
            ('laser', a.sensors.scan._replace(noise_std=0.0),
             b.sensors.scan._replace(noise_std=0.0)),
            ('infrared', _infrared_of(a), _infrared_of(b)),
            ('range and bearing', (a.sensors.range_and_bearing, a.sensors.rab_range),
             (b.sensors.range_and_bearing, b.sensors.rab_range)),
            ('wind field', one.wind.parameters.custom_wind_field_path * one.wind.parameters
             .use_custom_static_wind_field, other.wind.parameters.custom_wind_field_path
             * other.wind.parameters.use_custom_static_wind_field)):
        if x != y:
            raise InputError(f'worlds of one batch: {what}: got {x} and {y}, expected the same')


def _infrared_of(parameters: SimulationParameters) -> object:
    infrared = parameters.sensors.infrared
    return infrared and (infrared.table.tolist(), infrared.sees_robots, infrared.range)


def _moving(parameters: SimulationParameters) -> tuple[int, int]:
    """Return how many obstacles are on paths, and how many are pushed."""
    if parameters.obstacles is None:
        return 0, 0
    return len(parameters.obstacles.paths.radius), len(parameters.obstacles.start)
