"""Setting of a batch of worlds: the tables of several scenarios put together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot.scenario import assemble
from sbot.scenario.model import Scenario
from sbot_common.clock import Rate
from sbot_common.errors import InputError
from sbot_sim.dynamics.inertia import inertia_of_worlds
from sbot_sim.engine.parameters import SimulationParameters
from sbot_sim.sensors.infrared.sensor import RING
from sbot_sim.sensors.odometry import most_wheels
from sbot_sim.world.bodies import BodyArrays
from sbot_sim.worlds.layouts import pack_fixed, pack_scenes, replace_scene
from sbot_sim.worlds.sensing import NO_BEAMS
from sbot_sim.worlds.state import Sensing, Setting
from wind_model.grid import Lattice
from wind_model.gust import forces_act, gust_window
from wind_model.parameters import WindParameters
from wind_model.uniform import mean_velocity, unit

Floats = NDArray[np.float64]

_NO_FIELD = Lattice(*(np.zeros(2),) * 2, *(np.zeros((2, 2, 2)),) * 4)


_ROOM = 1.5  # of tables of obstacles that move, over what the first ones need


class WorldTables(NamedTuple):
    """The tables of one scenario."""

    scenario: Scenario
    parameters: SimulationParameters
    wind: assemble.WindSource


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


def make_setting(worlds: Sequence[WorldTables], laser: bool) -> Setting:
    """Return the setting of worlds; ``laser``: whether lasers are simulated."""
    if any(world.parameters.obstacles is not None for world in worlds):
        kinds, layout = list(worlds), np.arange(len(worlds))
    else:
        named = {id(world): world for world in worlds}
        kinds = list(named.values())
        layout = np.array([list(named).index(id(world)) for world in worlds], np.int64)
    scenarios = [world.scenario for world in worlds]
    return Setting(
        robots=len(scenarios[0].robots), dt=kinds[0].parameters.dt,
        wheels=max(most_wheels(kind.parameters.bodies) for kind in kinds),
        bodies=BodyArrays(*(np.concatenate(columns) for columns in zip(
            *(world.parameters.bodies for world in worlds), strict=True))),
        layout=layout, fixed=pack_fixed([kind.parameters.fixed for kind in kinds]),
        **scenes_of([kind.parameters for kind in kinds]),
        sensing=_sensing(kinds[0].parameters, laser), wake=kinds[0].parameters.wake,
        gridded=kinds[0].wind.field is not None, field=kinds[0].wind.field or _NO_FIELD,
        wind_height=kinds[0].wind.parameters.height.value,
        above_terrain=kinds[0].wind.parameters.height.above_terrain,
        scan_noise=_each(worlds, lambda p: p.sensors.scan.noise_std),
        infrared_noise=_each(
            worlds, lambda p: p.sensors.infrared.noise if p.sensors.infrared else 0.0),
        noise_radius=_each(worlds, lambda p: p.odometry.odometry_noise_radius, robots=True),
        noise_slip=_each(worlds, lambda p: p.odometry.odometry_noise_slip, robots=True),
        inertia=inertia_of_worlds([world.parameters.inertia for world in worlds],
                                  len(scenarios[0].robots)),
        **_winds(worlds))


def scenes_of(kinds: Sequence[SimulationParameters]) -> dict[str, Any]:
    """Return what sensors see, of each layout; with room where obstacles move."""
    room = _ROOM if any(kind.obstacles is not None for kind in kinds) else 1.0
    return {'scan_scenes': pack_scenes([kind.sensors.scene for kind in kinds], room),
            'infrared_scenes': pack_scenes([kind.sensors.infrared_scene for kind in kinds], room),
            'line_of_sight': pack_scenes([kind.sensors.line_of_sight for kind in kinds], room)}


def replace_scenes(setting: Setting, k: int, parameters: SimulationParameters) -> bool:
    """Write what sensors see in layout k anew; False where there is no room for it."""
    sensors = parameters.sensors
    return all([replace_scene(setting.scan_scenes, k, sensors.scene),
                replace_scene(setting.infrared_scenes, k, sensors.infrared_scene),
                replace_scene(setting.line_of_sight, k, sensors.line_of_sight)])


def _each(worlds: Sequence[WorldTables], number: Any, robots: bool = False) -> Floats:  # noqa: ANN401
    """Return a number of each world, (K,) or for each of its robots (K*N,)."""
    values = np.array([float(number(world.parameters)) for world in worlds])
    return np.repeat(values, len(worlds[0].scenario.robots)) if robots else values


def _sensing(parameters: SimulationParameters, laser: bool) -> Sensing:
    sensors, scan = parameters.sensors, parameters.sensors.scan
    infrared = sensors.infrared
    return Sensing(
        fan=sensors.fan if laser else NO_BEAMS, range_min=scan.range_min, range_max=scan.range_max,
        sees_robots=scan.sees_robots,
        mount=np.array([scan.laser_x, scan.laser_y, scan.laser_yaw], np.float64),
        infrared_fan=RING if infrared else NO_BEAMS,
        infrared_table=infrared.table if infrared else np.zeros(1),
        infrared_range=float(infrared.range) if infrared else 0.0,
        infrared_sees_robots=bool(infrared and infrared.sees_robots),
        range_and_bearing=sensors.range_and_bearing,
        heard=sensors.range_and_bearing or parameters.hooks.blocking is not None,
        rab_range=float(sensors.rab_range))


def _winds(worlds: Sequence[WorldTables]) -> dict[str, Any]:
    """Return the winds of all worlds, as ``wind_model.gust.force_at`` has them at each tick."""
    flows = [world.wind.parameters for world in worlds]
    rate = worlds[0].scenario.rate
    return {
        'wind_velocity': np.array([mean_velocity(flow) for flow in flows]),
        'wind_force': np.array([forces_act(flow) * flow.wind_force_mean * unit(flow.wind_direction)
                                for flow in flows]),
        'gust_velocity': np.array([flow.wind_gust_speed_mean * unit(flow.wind_gust_direction)
                                   for flow in flows]),
        'gust_force': np.array([forces_act(flow) * flow.wind_gust_force_mean
                                * unit(flow.wind_gust_direction) for flow in flows]),
        'gust_ticks': np.array([gust_ticks(flow, rate) for flow in flows], np.int64)}


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
            ('imu', a.sensors.imu is not None, b.sensors.imu is not None),
            ('gnss', a.sensors.gnss is not None, b.sensors.gnss is not None),
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
    return len(parameters.obstacles.discs.radius), len(parameters.obstacles.boxes.bodies)
