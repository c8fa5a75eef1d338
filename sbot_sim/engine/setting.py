"""Setting of a batch of worlds: the tables of several put together, and the wind of each."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot_sim.dynamics.inertia import inertia_of_worlds
from sbot_sim.sensors.infrared.sensor import ring
from sbot_sim.sensors.odometry import most_wheels
from sbot_sim.world.body_arrays import bodies_of_worlds
from sbot_sim.world.moving import make_paths, paths_of_worlds
from sbot_sim.worlds.layouts import pack_fixed, pack_scenes, replace_scene
from sbot_sim.worlds.parameters import SimulationParameters
from sbot_sim.worlds.sensing import no_beams
from sbot_sim.worlds.state import Sensing, Setting
from wind_model.grid import Lattice
from wind_model.parameters import Height

Floats = NDArray[np.float64]

NO_FIELD = Lattice(*(np.zeros(2),) * 2, *(np.zeros((2, 2, 2)),) * 4)
_ROOM = 1.5  # of tables of obstacles that move, over what the first ones need


class Winds(NamedTuple):
    """The winds of K worlds at all ticks, as ``wind_model.gust`` has them."""

    wind_velocity: Floats  # (K, 3) m/s outside the grid
    wind_force: Floats  # (K, 3) N
    gust_velocity: Floats  # (K, 3) m/s, added during a gust
    gust_force: Floats  # (K, 3) N, added during a gust
    gust_ticks: NDArray[np.int64]  # (K, 2) the gust's first tick, and the first one after it
    field: Lattice | None = None


def no_winds(count: int) -> Winds:
    """Return still air of ``count`` worlds."""
    velocity, force, gust_velocity, gust_force = np.zeros((4, count, 3))
    return Winds(velocity, force, gust_velocity, gust_force, np.zeros((count, 2), np.int64))


def make_setting(worlds: Sequence[SimulationParameters], winds: Winds,
                 senses: Collection[str]) -> Setting:
    """Return the setting of K worlds.

    Parameters
    ----------
    worlds : (K,) with as many robots and the same sensors; those of one object share a layout
    winds : of the worlds
    senses : without 'scan' and 'infrared' these are not simulated

    """
    if any(world.obstacles is not None for world in worlds):
        kinds, layout = list(worlds), np.arange(len(worlds))
    else:
        named = {id(world): world for world in worlds}
        kinds = list(named.values())
        layout = np.array([list(named).index(id(world)) for world in worlds], np.int64)
    height = kinds[0].wind_height
    where = height if isinstance(height, Height) else Height(float(height))
    return Setting(
        robots=len(kinds[0].bodies.radius), dt=kinds[0].dt,
        wheels=max(most_wheels(kind.bodies) for kind in kinds),
        bodies=bodies_of_worlds([world.bodies for world in worlds]), **_obstacles_of(worlds),
        layout=layout, fixed=pack_fixed([kind.fixed for kind in kinds]), **scenes_of(kinds),
        sensing=_sensing(kinds[0], senses), wake=kinds[0].wake,
        gridded=winds.field is not None, field=winds.field or NO_FIELD,
        wind_height=where.value, above_terrain=where.above_terrain,
        scan_noise=_each(worlds, lambda p: p.sensors.scan.noise_std),
        infrared_noise=_each(
            worlds, lambda p: p.sensors.infrared.noise if p.sensors.infrared else 0.0),
        noise_radius=_each(worlds, lambda p: p.odometry.odometry_noise_radius, robots=True),
        noise_slip=_each(worlds, lambda p: p.odometry.odometry_noise_slip, robots=True),
        inertia=inertia_of_worlds([world.inertia for world in worlds],
                                  len(kinds[0].bodies.radius)),
        **{name: array for name, array in winds._asdict().items() if name != 'field'})


def _obstacles_of(worlds: Sequence[SimulationParameters]) -> dict[str, Any]:
    """Return the shapes of all that is displaced, how many boxes a world has, and the paths."""
    each = [world.obstacles for world in worlds]
    return {'boxes': len(each[0].start) if each[0] else 0,
            'shapes': bodies_of_worlds([found.bodies if found else world.bodies for found, world
                                        in zip(each, worlds, strict=True)]).shape,
            'paths': paths_of_worlds([found.paths if found else make_paths((), 1.0)
                                      for found in each])}


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


def _each(worlds: Sequence[SimulationParameters],
          number: Callable[[SimulationParameters], float], robots: bool = False) -> Floats:
    """Return a number of each world, (K,) or for each of its robots (K*N,)."""
    values = np.array([float(number(world)) for world in worlds])
    return np.repeat(values, len(worlds[0].bodies.radius)) if robots else values


def _sensing(parameters: SimulationParameters, senses: Collection[str]) -> Sensing:
    sensors, scan = parameters.sensors, parameters.sensors.scan
    infrared = sensors.infrared
    return Sensing(
        fan=sensors.fan if 'scan' in senses else no_beams(),
        range_min=scan.range_min, range_max=scan.range_max,
        sees_robots=scan.sees_robots,
        mount=np.array([scan.laser_x, scan.laser_y, scan.laser_yaw], np.float64),
        infrared_fan=ring() if infrared and 'infrared' in senses else no_beams(),
        infrared_table=infrared.table if infrared else np.zeros(1),
        infrared_range=float(infrared.range) if infrared else 0.0,
        infrared_sees_robots=bool(infrared and infrared.sees_robots),
        range_and_bearing=sensors.range_and_bearing,
        heard=sensors.range_and_bearing or parameters.hooks.blocking is not None,
        rab_range=float(sensors.rab_range))
