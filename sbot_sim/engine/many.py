# SPDX-License-Identifier: Apache-2.0
"""Simulation of many worlds: setting, state, tick in blocks and threads, saved states."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from typing import Any, NamedTuple
from weakref import WeakSet

import numpy as np
from numpy.typing import NDArray

from sbot_common.arrays import Floats
from sbot_common.compiled.threads import share_out
from sbot_common.errors import bad_value
from sbot_sim.dynamics.inertia import Inertia, Momentum
from sbot_sim.sensors.infrared import ring
from sbot_sim.sensors.odometry import most_wheels
from sbot_sim.sensors.range_and_bearing import Heard
from sbot_sim.world.bodies import BodyArrays, Shapes
from sbot_sim.world.moving import Paths
from sbot_sim.worlds.batch import Program
from sbot_sim.worlds.parameters import SimulationParameters
from sbot_sim.worlds.state import Policy, Sensing, Setting, Worlds, pack_fixed, pack_scenes
from sbot_sim.worlds.tick import Phases, Tick, no_beams
from wind_model.grid import Lattice
from wind_model.gust import Waves
from wind_model.parameters import Height

# Setting of a batch of worlds: the tables of several put together, and the wind of each.

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

    @classmethod
    def none(cls, count: int) -> Winds:
        """Return still air of ``count`` worlds."""
        velocity, force, gust_velocity, gust_force = np.zeros((4, count, 3))
        return cls(velocity, force, gust_velocity, gust_force, np.zeros((count, 2), np.int64))


def _inertia_of_worlds(each: Sequence[Inertia | None], robots: int) -> Inertia:
    """Return the limits of worlds of N ``robots``, in their order; of none if all are None."""
    n = robots if any(each) else 0
    none = np.full(n, math.inf)
    free = Inertia(none, none, none, none, none, np.zeros(n, np.int64), np.zeros(n, np.bool_))
    return Inertia(*(np.concatenate(columns)
                     for columns in zip(*(inertia or free for inertia in each), strict=True)))


def _make_setting(worlds: Sequence[SimulationParameters], winds: Winds, senses: Collection[str],
                 more: Sequence[SimulationParameters] = ()) -> Setting:
    """Return the setting of K worlds.

    Parameters
    ----------
    worlds : (K,) with as many robots and the same sensors; those of one object share a layout
    winds : of the worlds
    senses : without 'scan' and 'infrared' these are not simulated
    more : in whose layouts worlds may stand later, after those of the worlds

    """
    if any(world.obstacles is not None for world in worlds):
        kinds, layout = list(worlds), np.arange(len(worlds))
    else:
        named = {id(world): world for world in (*worlds, *more)}
        kinds = list(named.values())
        layout = np.array([list(named).index(id(world)) for world in worlds], np.int64)
    of_kind = {id(world): noises_of(world) for world in kinds}
    noises = {name: np.array([of_kind[id(world)][name] for world in worlds], np.float64)
              for name in of_kind[id(worlds[0])]}
    bodies, height = BodyArrays.joined([world.bodies for world in worlds]), kinds[0].wind_height
    where = height if isinstance(height, Height) else Height(float(height))
    return Setting(
        robots=len(kinds[0].bodies.radius), dt=kinds[0].dt,
        wheels=max(most_wheels(kind.bodies) for kind in kinds),
        bodies=bodies, **_obstacles_of(worlds, bodies.shape),
        layout=layout, fixed=pack_fixed([kind.fixed for kind in kinds]), **_scenes_of(kinds),
        sensing=_sensing(kinds[0], senses, len(worlds)), wake=kinds[0].wake,
        gridded=winds.field is not None, field=winds.field or NO_FIELD,
        wind_height=where.value, above_terrain=where.above_terrain,
        scan_noise=noises['scan_noise'], infrared_noise=noises['infrared_noise'].ravel(),
        noise_radius=noises['noise_radius'].ravel(), noise_slip=noises['noise_slip'].ravel(),
        inertia=_inertia_of_worlds([world.inertia for world in worlds],
                                   len(kinds[0].bodies.radius)),
        **{name: array for name, array in winds._asdict().items() if name != 'field'})


def noises_of(world: SimulationParameters) -> dict[str, list[float]]:
    """Return the noises of a world: of each laser, of infrared, of each robot's odometry."""
    infrared = world.sensors.infrared
    return {'scan_noise': [each.noise_std for each in world.sensors.lasers.all],
            'infrared_noise': [infrared.noise if infrared else 0.0],
            'noise_radius': [each.odometry_noise_radius for each in world.odometry],
            'noise_slip': [each.odometry_noise_slip for each in world.odometry]}


def _paths_of_worlds(each: Sequence[Paths]) -> Paths:
    """Return the paths of several worlds, one world after the other."""
    before = np.cumsum([0, *(len(paths.way) for paths in each)])
    moved = [paths._replace(first=paths.first + offset, end=paths.end + offset)
             for paths, offset in zip(each, before.tolist(), strict=False)]
    return Paths(*(np.concatenate(columns) for columns in zip(*moved, strict=True)))


def _obstacles_of(worlds: Sequence[SimulationParameters], robots: Shapes) -> dict[str, Any]:
    """Return the shapes of all that is displaced, how many boxes a world has, and the paths."""
    each = [world.obstacles for world in worlds]
    return {'boxes': len(each[0].start) if each[0] else 0,
            'shapes': BodyArrays.joined([found.bodies if found else world.bodies for found, world
                                        in zip(each, worlds, strict=True)]).shape
            if any(each) else robots,
            'paths': _paths_of_worlds([found.paths if found else Paths.of((), 1.0)
                                      for found in each])}


def _scenes_of(kinds: Sequence[SimulationParameters]) -> dict[str, Any]:
    """Return the scene of each layout for sensors, with room if obstacles move."""
    room = _ROOM if any(kind.obstacles is not None for kind in kinds) else 1.0
    return {'scan_scenes': pack_scenes([kind.sensors.scene for kind in kinds], room),
            'infrared_scenes': pack_scenes([kind.sensors.infrared_scene for kind in kinds], room),
            'line_of_sight': pack_scenes([kind.sensors.line_of_sight for kind in kinds], room)}


def _sensing(parameters: SimulationParameters, senses: Collection[str], worlds: int) -> Sensing:
    sensors, infrared = parameters.sensors, parameters.sensors.infrared
    lasers = sensors.lasers.table(worlds)
    return Sensing(
        lasers=lasers if 'scan' in senses else lasers._replace(columns=0),
        infrared_fan=ring() if infrared and 'infrared' in senses else no_beams(),
        infrared_table=infrared.table if infrared else np.zeros(1),
        infrared_range=float(infrared.range) if infrared else 0.0,
        infrared_sees_robots=bool(infrared and infrared.sees_robots),
        range_and_bearing=sensors.range_and_bearing,
        heard=sensors.range_and_bearing or parameters.hooks.blocking is not None,
        rab_range=float(sensors.rab_range))


_BLOCK = 512  # robots stepped together: what they need stays in the processor's cache
# When threads share the robots of a world: what is less costs more than it saves.
_WORTH = 1000  # robots, each with its beams
_WORTH_A_CALL = 10_000  # of these, in all ticks of a call, for which a thread wakes up
_BEAMS = 15  # that take as long as the rest of a robot's tick
_LARGE = 1000  # robots of one of a few worlds


class Simulation:
    """K worlds of N robots: ``setting``, ``state`` and the phases of their ``tick``.

    World k is, bit for bit, what it is alone, whatever K and threads.

    Parameters
    ----------
    parameters : (K,) of each world
    winds : of the worlds
    senses : what is simulated of what the robots sense
    waves_of : the waves of world k with a seed; None: no turbulence there
    threads : how many to use; they share the worlds, or the robots of large ones
    hears : as in ``Worlds.make``
    more : as in ``_make_setting``

    """

    def __init__(self, parameters: Sequence[SimulationParameters], winds: Winds,
                 senses: Collection[str], waves_of: Callable[[int, int], Waves | None],
                 threads: int = 1, *, hears: bool = True,
                 more: Sequence[SimulationParameters] = ()) -> None:
        self.count, self.threads = len(parameters), threads
        self.setting = _make_setting(parameters, winds, senses, more)
        n = self.setting.robots
        beams = self.setting.sensing.lasers.columns + self.setting.sensing.infrared_fan.beams
        work = n * (1.0 + beams / _BEAMS)
        self._least_ticks = math.ceil(_WORTH_A_CALL / max(1.0, work))
        self.share_rows = threads > 1 and work >= _WORTH and (
            self.count == 1 or (n >= _LARGE and self.count < threads))
        self.state = Worlds.make(self.count, self.setting, hears, self.share_rows, threads > 1)
        self.tick = Tick(parameters, self.setting, self.state, senses, waves_of,
                         self._replace_scenes, shared=self.share_rows)
        self._size = max(1, _BLOCK // max(1, n))
        self._programs: WeakSet[Program] = WeakSet()

    def program(self, phases: Phases, policy: Policy | None = None) -> Program:
        """Return phases that can be run, compiled."""
        program = Program(phases, self.setting, self.state, policy,
                          self.threads if self.share_rows else 1, self._least_ticks)
        self._programs.add(program)
        return program

    def run(self, program: Program, ticks: int = 1) -> None:
        """Run a program on all worlds, in blocks; several threads share these."""
        if self.count <= self._size:
            program.run(0, self.count, ticks)
            return

        def work(first: int) -> None:
            program.run(first, min(self.count, first + self._size), ticks)

        alone = self.share_rows or self.tick.in_one_thread
        share_out(1 if alone else self.threads, range(0, self.count, self._size), work)

    def run_some(self, program: Program, chosen: NDArray[np.int64]) -> None:
        """Run a program once on some worlds (their numbers)."""
        if len(chosen) == self.count:
            self.run(program)
            return
        for k in chosen.tolist():
            program.run(k, k + 1)

    def reset(self, chosen: NDArray[np.int64], start: Floats, seeds: NDArray[np.int64],
              program: Program) -> None:
        """Put worlds to tick 0.

        Parameters
        ----------
        chosen : which worlds
        start : (K, N, 3) poses at tick 0: x, y (m), yaw (rad)
        seeds : (K,) of the sensors' noise
        program : of ``tick.beginning``, and what is to be sensed then

        """
        self.state.seed[chosen] = seeds[chosen]
        self.state.pose.reshape(start.shape)[chosen] = start[chosen]
        # Before sensors begin: what they draw once is of tick 0, whenever a world is reset.
        self.state.tick[chosen] = 0
        for rows in (self.state.twist, self.state.collided):
            rows.reshape(self.count, -1)[chosen] = 0
        self.tick.reset(chosen.tolist(), seeds)
        self.run_some(program, chosen)

    def set_field(self, field: Lattice | None) -> None:
        """Replace the wind's grid; programs of ``tick.sensing_wind`` must be made again."""
        if field is not None:  # one type of arrays, one compiled version
            field = Lattice(*(np.array(array, np.float64, order='C') for array in field))
            self._replace(field=field, gridded=True)
        else:
            self._replace(gridded=False)

    def _replace(self, **fields: object) -> None:
        self.setting = self.setting._replace(**fields)  # type: ignore[arg-type]
        for program in self._programs:
            program.replace(self.setting)

    def _replace_scenes(self, k: int, parameters: SimulationParameters,
                        circles_alone: bool) -> None:
        """Take over what sensors see of world k, after its obstacles have moved."""
        setting, sensors = self.setting, parameters.sensors
        if not all([
                setting.scan_scenes.replace(k, sensors.scene, circles_alone),
                setting.infrared_scenes.replace(k, sensors.infrared_scene, circles_alone),
                setting.line_of_sight.replace(k, sensors.line_of_sight, circles_alone)]):
            assert self.tick.moving is not None  # there is no room for one
            self._replace(**_scenes_of(self.tick.moving.parameters))

    def arrays(self) -> Arrays:
        """Return views of all that changes in K worlds, (K, ...) each, by name."""
        state, setting, tick = self.state, self.setting, self.tick
        found: Arrays = {name: getattr(setting, name) for name in _SET}
        for name, value in state._asdict().items():
            if name in _ROOM_ONLY or (name == 'driven' and value is state.command):
                continue
            if isinstance(value, Momentum):
                found |= {f'{name}.{part}': array for part, array in value._asdict().items()}
            else:
                found[name] = value
        found |= {f'reading.{name}': rows for name, rows in tick.fitted.readings.items()}
        found |= {f'memory.{name}': rows for name, rows in tick.fitted.memories.items()}
        count, n = self.count, setting.robots
        for name in ('boxes', 'moved'):  # rows of a world's obstacles, not of its robots
            if found[name].size:
                found[name] = found[name].reshape(count, -1, *found[name].shape[1:])
        return {name: (array.reshape(count, n, *array.shape[1:]) if len(array) == count * n
                       else array) for name, array in found.items() if array.size}

    def arrays_for(self, given: Arrays) -> Arrays:
        """Return the state (M, ...) of worlds of another batch as arrays of this batch.

        Which arrays there are, and some of their sizes, depend on all worlds of a batch: on
        whether any robot has inertia, on the longest delay of commands, on the greatest number of
        wheels.

        Raises
        ------
        InputError
            for arrays that are missing, or too many, or of another size.

        """
        wanted = self.arrays()
        found = {name: array for name, array in given.items() if name in wanted}
        for name in given:
            if name not in wanted and name not in _OF_OTHERS:  # which nobody here needs
                raise bad_value('state', f'an array {name}', 'the arrays of these worlds')
        for name, array in wanted.items():
            if name in _OF_OTHERS and name not in given:
                found[name] = (given['command'] if name == 'driven'
                               else _rows_with(given, array, 0.0))
            elif name == 'wheel_scale':
                found[name] = _common_wheels(given, array)
            elif name == 'momentum.asked':
                found[name] = _last_commands(given, array)
            if name not in found or found[name].shape[1:] != array.shape[1:]:
                got = f'of {found[name].shape[1:]}' if name in found else 'missing'
                raise bad_value('state', f'{name} {got}', f'{name} of {array.shape[1:]}')
        return found

    def restore_rest(self, k: int, heard: Heard | None = None) -> None:
        """Restore the state of world k outside the arrays, after its arrays.

        ``heard`` : who hears whom, of a batch whose arrays have no room for it
        """
        tick = self.tick
        tick.restore(k, self.state.seed, heard)
        self.forget_cells(k)
        if tick.moving is not None:
            tick.moving.place(k, k + 1)

    def forget_cells(self, k: int) -> None:
        """Choose new cells for the robots of world k, which were elsewhere."""
        for room in (self.state.laser_discs, self.state.infrared_discs, self.state.crowd):
            room.shape[k:k + 1] = 0


# Saved state of worlds: copies of their arrays, and everything else that a tick keeps.

Arrays = dict[str, NDArray[Any]]

# Of a setting: what may be written to between episodes, a row for each world.
_SET = ('wind_velocity', 'wind_force', 'gust_velocity', 'gust_force', 'gust_ticks', 'scan_noise',
        'infrared_noise', 'noise_radius', 'noise_slip')

# Of a state: room to work in, of which nothing is kept from tick to tick.
_ROOM_ONLY = ('row', 'scratch', 'laser_discs', 'infrared_discs', 'crowd')

# What worlds have only as another of their batch has inertia.
_OF_OTHERS = ('driven', 'momentum.twist', 'momentum.asked')


def _rows_with(given: Arrays, like: NDArray[Any], value: float) -> NDArray[Any]:
    """Return an array (M, ...) with rows like those of another, of one value."""
    return np.full((len(given['tick']), *like.shape[1:]), value)


def _common_wheels(given: Arrays, like: NDArray[Any]) -> NDArray[Any]:
    """Return the errors of the wheels (M, N, wheels): of those that both batches count."""
    scale, out = given['wheel_scale'], _rows_with(given, like, 1.0)
    common = min(scale.shape[2], out.shape[2])
    out[:, :, :common] = scale[:, :, :common]
    return out


def _last_commands(given: Arrays, like: NDArray[Any]) -> NDArray[Any]:
    """Return the last commands (M, N, D + 1, 3), that of tick t at t modulo this D + 1."""
    asked, out = given['momentum.asked'], _rows_with(given, like, 0.0)
    before, after = asked.shape[2], out.shape[2]
    if before == after:
        return asked
    for row, tick in enumerate(given['tick'].tolist()):
        for t in range(tick - min(before, after), tick):
            out[row, :, t % after] = asked[row, :, t % before]
    return out
