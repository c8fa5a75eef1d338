# SPDX-License-Identifier: Apache-2.0
"""``sbot.Worlds``: many independent worlds that advance in one call; ``sbot.World``: one."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sbot.controllers.neural.function_policy import FunctionPolicy
from sbot.controllers.neural.network import HOLONOMIC, Conditions, Network, checked_hold
from sbot.runner.controllers import Controlled
from sbot.runner.history import Episode
from sbot.scenario.assemble import make_turbulence
from sbot.scenario.controllers import checked_senses
from sbot.scenario.model import Scenario
from sbot.worlds.observation import Knowing, Observations, Observer
from sbot.worlds.policy import (
    check_inputs,
    columns_of,
    deciding_phases,
    exceptions_of,
    gather_infrared,
    gather_readings,
    keep_rows,
    policy_arrays,
    split,
)
from sbot.worlds.setting import (
    LARGEST_SEED,
    MOST_TICKS,
    MOST_WORLDS,
    Saved,
    Starts,
    checked_data,
    checked_seeds,
    chosen_worlds,
    enough_memory,
    flag,
    tables_of_worlds,
    warn_if_unlike,
    winds_of,
)
from sbot_common.arguments import floats, numbers, whole
from sbot_common.arrays import Floats
from sbot_common.compilation_notice import Expected
from sbot_common.compiled.jit import njit
from sbot_common.compiled.threads import threads_of
from sbot_common.errors import InputError, bad_value
from sbot_common.observation import OMEGA, VX, VY
from sbot_sim.drives.registry import SIDEWAYS
from sbot_sim.dynamics.motion import body_twists
from sbot_sim.engine.many import Simulation
from sbot_sim.sensors.registry import sensors
from sbot_sim.worlds.batch import Interpreted, Program
from sbot_sim.worlds.state import Phase, Policy, Setting
from sbot_sim.worlds.tick import Phases

_COMPILING = Expected(40, 15.0)  # with all that a world may have


Room = dict[tuple[int, ...], tuple[Floats, Floats]]


def room_for_commands(*robots: int) -> Room:
    """Return arrays for the commands of robots, K and N or N alone, without and with vy.

    By their shape, and each as a table of all robots, too.
    """
    arrays = [np.empty((*robots, columns)) for columns in (2, 3)]
    return {array.shape: (array, array.reshape(-1, array.shape[-1])) for array in arrays}


@njit
def _command(given: Floats, drive: NDArray[np.int8], command: Floats) -> int:
    """Write commands (K*N, 3), given (K*N, 2) or (K*N, 3); return -1.

    Where a robot's is not finite, or not one of its drive, return that robot; nothing is written.
    """
    whole = given.shape[1] == 3
    for i in range(len(given)):
        for value in given[i]:
            if not math.isfinite(value):
                return i
        if whole and given[i, VY] != 0.0 and not SIDEWAYS[drive[i]]:
            return i
    for i in range(len(given)):
        command[i, VX], command[i, OMEGA] = given[i, 0], given[i, -1]
        command[i, VY] = given[i, VY] if whole else 0.0
    return -1


class Worlds:
    """K independent worlds of N robots that advance together.

    World k equals, bit for bit, a run of its scenario and seed, for any K and number of threads.
    You command the robots; only those of ``controlled`` obey controllers of the scenarios.

    Parameters
    ----------
    scenarios : one for all worlds, or one for each. They may differ in obstacles, poses, bodies,
        wind and noise (domain randomisation), but not in the number of robots, sensors and rate
    count : number K of worlds; default: 1, or the length of the list of scenarios
    seeds : (K,) seeds of placement and noise; None: the scenario's, the scenario's + 1, …
    sense : names of the sensors to simulate, as in ``sbot.run``; None: all that the robots have.
        Other sensors cost nothing
    threads : number of threads, or 'auto'; changes no bit of the result
    pool : further scenarios that ``play`` gives to worlds; their obstacles do not move
    controlled : numbers of robots that their controllers drive, whatever they are commanded; the
        scenarios are loaded with these controllers

    Raises
    ------
    InputError
        one line: what was found, what was expected.

    """

    def __init__(self, scenarios: Scenario | Sequence[Scenario], count: int | None = None, *,
                 seeds: ArrayLike | None = None, sense: Collection[str] | None = None,
                 threads: int | str = 1, pool: Sequence[Scenario] = (),
                 controlled: Sequence[int] = ()) -> None:
        if count is not None:
            count = whole('count', count, 1, MOST_WORLDS)
        given = ([scenarios] * (count or 1) if isinstance(scenarios, Scenario)
                 else list(scenarios))
        if not given or (count is not None and len(given) != count):
            raise bad_value('count', count, f'the number of scenarios, {len(given)}')
        self.scenarios = given
        self.count, self.robots = len(given), len(given[0].robots)
        self.threads = threads_of(threads)
        self.controlled = Controlled(controlled, [*given, *pool])
        self.senses = _senses(given[0], sense) | self.controlled.senses
        tables = tables_of_worlds([*given, *pool])
        tables, self._pool = tables[:self.count], tables[self.count:]
        self.parameters = [table.parameters for table in tables]
        more = [table.parameters for table in self._pool]
        if more and more[0].obstacles is not None:
            raise InputError('pool: obstacles that move cannot differ from episode to episode')
        self._layouts = {key: n for n, key in enumerate(dict.fromkeys(
            id(each) for each in (*self.parameters, *more)))}
        with enough_memory(f'{self.count} worlds of {self.robots} robots'):
            self.simulation = Simulation(
                self.parameters, winds_of(tables), self.senses,
                lambda k, seed: make_turbulence(given[k], seed), self.threads, more=more)
        self.state, self.phases = self.simulation.state, self.simulation.tick
        self._room = room_for_commands(self.count, self.robots)
        self._told: set[Conditions] = set()  # of networks that learned with other values
        self._knowing = Knowing(given, self.state)
        self._deciding = self.controlled.phases(
            self.simulation, self.parameters[0].sensors.lasers)
        self._step = self.program(self.ticking())
        # Ticks before the last one of a call: nobody sees poses as they are sent.
        self._between = self.program(self.ticking(seen=False))
        self._begin = self.program([*self.phases.beginning(self.setting),
                                    *self.phases.sensing_wind(self.setting),
                                    *self._knowing.phases()])
        self._observer = Observer(self.setting, self.state, self.senses, self.phases)
        kinds = {id(scenario): scenario for scenario in (*given, *pool)}
        self._starts = [Starts(scenario) for scenario in kinds.values()]
        self._number = dict(zip(kinds, range(len(kinds)), strict=True))
        self._kind = np.array([self._number[id(scenario)] for scenario in given])
        self.seeds: NDArray[np.int64] = np.zeros(self.count, np.int64)
        self.start = np.zeros((self.count, self.robots, 3))
        first = given[0].seed
        self.reset([first + k for k in range(self.count)] if seeds is None else seeds)

    @property
    def setting(self) -> Setting:
        """Setting of the worlds: their tables, parameters and winds."""
        return self.simulation.setting

    def program(self, phases: Phases, policy: Policy | None = None) -> Program:
        """Return runnable phases; print a notice if they must be compiled first."""
        with _COMPILING.announced():
            return self.simulation.program(phases, policy)

    def ticking(self, seen: bool = True, keeping: Sequence[Phase] = ()) -> Phases:
        """Return the phases from one tick's wind to the next one's; nobody may see poses then.

        ``keeping`` : what comes once all robots have their commands
        """
        seen = seen or self._knowing.limited or bool(self._deciding)
        return [*self._deciding, *keeping, *self.phases.advancing(self.setting),
                *self.phases.sensing(self.setting, seen),
                *self.phases.sensing_wind(self.setting), *self._knowing.phases()]

    @property
    def dt(self) -> float:
        """The length of a tick (s)."""
        return self.setting.dt

    @property
    def wind_velocity(self) -> Floats:
        """Wind of each world outside a grid (m/s), (K, 3).

        You may change it; a change acts from the next tick or reset on.
        """
        return self.setting.wind_velocity

    @property
    def wind_force(self) -> Floats:
        """Mean force on every robot of a world (N), (K, 3); you may change it."""
        return self.setting.wind_force

    @property
    def gust_velocity(self) -> Floats:
        """Velocity that the gust of each world adds to its wind (m/s), (K, 3); changeable."""
        return self.setting.gust_velocity

    @property
    def gust_ticks(self) -> NDArray[np.int64]:
        """First tick of each world's gust, and the first after it, (K, 2); you may change it."""
        return self.setting.gust_ticks

    @property
    def box_start(self) -> Floats:
        """Where boxes stand at the next reset, (K, B, 3) x, y (m), yaw (rad); changeable."""
        moving = self.phases.moving
        return np.zeros((self.count, 0, 3)) if moving is None else moving.start

    @property
    def infrared_noise(self) -> Floats:
        """Greatest infrared noise as a fraction of the reading, (K,); you may change it."""
        return self.setting.infrared_noise

    @property
    def scan_noise(self) -> Floats:
        """Standard deviation of the noise of laser ranges (m), (K,); you may change it.

        With several kinds of lasers (K, L).
        """
        noise = self.setting.scan_noise
        return noise[:, 0] if noise.shape[1] == 1 else noise

    def reset(self, seeds: ArrayLike | None = None, *, start: ArrayLike | None = None,
              worlds: ArrayLike | None = None) -> Observations:
        """Reset worlds to tick 0 and return the observations of all worlds.

        Parameters
        ----------
        seeds : (K,) new seeds; None: the same seeds. Robots start where ``sbot.run`` places them
            with that seed
        start : (K, N, 3) or (N, 3) other start poses: x, y (m), yaw (rad)
        worlds : (K,) mask, or numbers, of the worlds to reset; the others continue. None: all

        Raises
        ------
        InputError
            if the start of a robot is not free; names the world.

        """
        chosen = chosen_worlds(worlds, self.count)
        values = self.seeds if seeds is None else checked_seeds(seeds, self.count)
        if start is None:
            poses = self.start.copy()
            for kind in sorted({*self._kind[chosen].tolist()}):
                alike = chosen[self._kind[chosen] == kind]
                poses[alike] = self._starts[kind](values[alike])
        else:
            shape = self.start.shape
            poses = np.broadcast_to(numbers('start', start, shape, shape[1:]), shape)
            self._check_places(chosen, poses)
        self.seeds[chosen], self.start[chosen] = values[chosen], poses[chosen]
        self.simulation.reset(chosen, self.start, self.seeds, self._begin)
        self.controlled.begin(self.scenarios, self.seeds, chosen)
        return self.observe()

    def play(self, world: int, number: int) -> None:
        """Let a world play a scenario of ``pool`` from its next reset on."""
        table = self._pool[number]
        self.scenarios[world], self.parameters[world] = table.scenario, table.parameters
        self.setting.layout[world] = self._layouts[id(table.parameters)]
        self._kind[world] = self._number[id(table.scenario)]
        self._knowing.play(world, table.scenario)

    def save(self, worlds: ArrayLike | None = None) -> Saved:
        """Return the state of worlds (a mask, or numbers; None: all).

        The state includes winds and noises that you changed, and determines the future of the
        worlds. It does not include the state of users' hooks.
        """
        everything = Saved(tuple(self.scenarios), self.senses, self.seeds, self.start,
                           self.simulation.arrays(), self._knowing.past,
                           self.controlled.robots, tuple(self.controlled.teams))
        return everything[chosen_worlds(worlds, self.count)]

    def restore(self, state: Saved, worlds: ArrayLike | None = None) -> Observations:
        """Continue worlds from a state, and return the observations of all worlds.

        If the state has another scenario, earlier views (e.g. ``v = worlds.wind_velocity``) are no
        longer valid; take them again.

        Parameters
        ----------
        state : a state of these worlds, or of others with as many robots and the same ``sense``.
            It has a world for each one that is restored, or one world for all of them
        worlds : (K,) mask, or numbers, of the worlds to restore; None: all

        Raises
        ------
        InputError
            if the state does not fit these worlds, which then do not change.

        """
        chosen = chosen_worlds(worlds, self.count)
        if not isinstance(state, Saved):
            raise bad_value('state', state, 'a state that save() of such worlds returned')
        state.check(len(chosen), self.senses, self.robots,
                    self.controlled.robots)
        playing = self._playing(state, chosen)
        playing._take(state, chosen)
        vars(self).update(vars(playing))
        self.seeds[chosen], self.start[chosen] = state.seeds, state.start
        return self.observe()

    def _playing(self, state: Saved, chosen: NDArray[np.int64]) -> Worlds:
        """Return worlds of which the chosen ones have a state's scenarios: these, or others."""
        pool = [table.scenario for table in self._pool]
        wanted = state.scenarios if len(state) > 1 else state.scenarios * len(chosen)
        new: dict[int, Scenario] = {}  # which are not of the pool
        for k, scenario in zip(chosen.tolist(), wanted, strict=True):
            if scenario in pool:
                self.play(k, pool.index(scenario))
            elif scenario is not self.scenarios[k] and scenario != self.scenarios[k]:
                new[k] = scenario
        if not new:
            return self
        given = [new.get(k, one) for k, one in enumerate(self.scenarios)]
        seeds = self.seeds.copy()
        seeds[chosen] = state.seeds
        others = Worlds(given, seeds=seeds, sense=self.senses, threads=self.threads, pool=pool,
                        controlled=self.controlled.robots)
        keep = np.setdiff1d(np.arange(self.count), chosen)
        if len(keep):
            others._take(self.save(keep), keep)
        others.seeds, others.start = self.seeds, self.start
        return others

    def _take(self, state: Saved, chosen: NDArray[np.int64]) -> None:
        """Take over a state of one or as many worlds, whose scenarios the chosen ones have."""
        arrays = self.simulation.arrays_for(state.arrays)
        for name, array in self.simulation.arrays().items():
            array[chosen] = arrays[name]
        for k in chosen.tolist():
            self.simulation.restore_rest(k)
        self._knowing.restore(chosen, state.past)
        self.controlled.restore(chosen, state.teams)

    def __getstate__(self) -> dict[str, Any]:
        """Return what makes such worlds, and their state."""
        return {'scenarios': self.scenarios, 'sense': self.senses, 'threads': self.threads,
                'state': self.save(), 'pool': [table.scenario for table in self._pool],
                'controlled': self.controlled.robots}

    def __setstate__(self, given: dict[str, Any]) -> None:
        """Make the worlds anew, and let them continue where they were."""
        state: Saved = given['state']
        Worlds.__init__(self, given['scenarios'], seeds=state.seeds, sense=given['sense'],
                        threads=given['threads'], pool=given['pool'],
                        controlled=given['controlled'])
        self.restore(state)

    def step(self, commands: ArrayLike, *, wheels: bool = False, data: ArrayLike | None = None,
             ticks: int = 1) -> Observations:
        """Advance all worlds and return the observations.

        Parameters
        ----------
        commands : (K, N, 3) vx, vy (m/s) and omega (rad/s), or (K, N, 2) vx and omega, or with
            ``wheels`` the speeds of the left and right wheel (rad/s)
        wheels : whether ``commands`` are speeds of wheels
        data : (K, N, 10) bytes that robots broadcast from the next tick on; byte 0 is the radius
        ticks : number of ticks with these commands

        Raises
        ------
        InputError
            for a wrong shape, or a command that is not finite; then the worlds do not change.

        """
        self.advance(commands, self._room, wheels, data, ticks)
        return self.observe()

    def advance(self, commands: ArrayLike, room: Room, wheels: bool = False,
                data: ArrayLike | None = None, ticks: int = 1) -> None:
        """Do the work of ``step`` but for the observations; ``room`` takes the commands."""
        bodies, count = self.simulation.setting.bodies, whole('ticks', ticks, 1, MOST_TICKS)
        if wheels is not False and flag('wheels', wheels):
            speeds = numbers('commands', commands, next(iter(room)))
            values = body_twists(bodies, speeds.reshape(-1, 2)).reshape(*speeds.shape[:-1], 3)
        else:
            values = floats('commands', commands, room)
        heard = None if data is None else checked_data(
            data, next(iter(room))[:-1], self.setting.sensing.range_and_bearing)
        shaped, given = room[values.shape]
        shaped[...] = values  # in two thirds of the time of [:]
        refused = _command(given, bodies.drive, self.state.command)
        if refused >= 0:
            numbers('commands', given[refused], given[refused].shape)
            raise bad_value('commands', f'vy = {given[refused, VY]:g} m/s', '0, as the drive of '
                            'the robot does not move to the side')
        if heard is not None:
            self.state.rab_next[:] = heard
        if count > 1:
            self.simulation.run(self._between, count - 1)
        self.simulation.run(self._step)

    def observe(self) -> Observations:
        """Return copies of the current observations."""
        return self._observer()

    def run(self, policy: Network | FunctionPolicy, weights: ArrayLike, ticks: int, *,
            goals: ArrayLike | None = None, keep: Collection[str] = ()) -> Episode:
        """Let a compiled policy drive all robots for a number of ticks, in one compiled call.

        The worlds continue from their current state. For a whole episode call ``reset`` first.

        Parameters
        ----------
        policy : from ``sbot.network`` or ``sbot.function_policy``. It decides in the first tick of
            the call, and again after as many ticks as ``hold`` of the network; a function
            decides in every tick
        weights : (K, W), or (W,) for all
        ticks : number of ticks from now on
        goals : (K, N, 2) or (N, 2) m, for the input 'goal'; None: those of the scenarios
        keep : quantities to return per tick: any of 'pose', 'command', 'collided', 'infrared',
            'wind', which are fields of the ``Episode``; each number takes 8 bytes

        Raises
        ------
        InputError
            if robots lack a sensor for an input, for weights of a wrong shape, and for a `hold`
            of the network that is no number of ticks.
        UserCodeError
            if the policy's function raises.

        """
        if not isinstance(policy, Network | FunctionPolicy):
            raise bad_value('policy', policy, 'what sbot.network or sbot.function_policy returns')
        network = policy.network if isinstance(policy, FunctionPolicy) else policy
        self.check_inputs(network)
        hold = 1 if network.hold is None else checked_hold(network.hold)
        count = whole('ticks', ticks, 1, MOST_TICKS)
        names = columns_of(keep)
        for name in ('infrared', 'wind'):
            if name in names and name not in self.senses:
                raise InputError(f'keep: {name} needs the sensor; add it to `sense`')
        with enough_memory(f'{count} ticks of {self.count} worlds'):
            arrays = policy_arrays(policy, weights, goals, names, count, self.scenarios,
                                   self.state.tick)
        gather, *deciding = deciding_phases(policy)
        ticking = self.ticking(keeping=[keep_rows] * bool(names))
        acting: Phases = [gather, *self.reading_phases(network, arrays), *deciding]
        program = self.program([*acting, *ticking], arrays)
        with exceptions_of(policy):
            if hold == 1 and gather is gather_infrared and not names:
                unseen = self.ticking(seen=False)
                self.simulation.run(self.program([*acting, *unseen], arrays), count - 1)
                self.simulation.run(program)
            elif hold == 1:
                self.simulation.run(program, count)
            else:
                self._run_held(program, self.program(ticking, arrays), count, hold)
        return split(arrays.kept, names, self.count, self.dt)

    def _run_held(self, deciding: Program, keeping: Program, ticks: int, hold: int) -> None:
        """Run a program in every ``hold``th tick, and in the others one that keeps commands."""
        for tick in range(0, ticks, hold):
            self.simulation.run(deciding)
            if ticks - tick > 1:
                self.simulation.run(keeping, min(hold, ticks - tick) - 1)

    def reading_phases(self, network: Network, policy: Policy) -> list[Interpreted]:
        """Return the phases that complete the inputs of a network after the compiled phase."""
        return [*gather_readings(network, policy, self.phases.fitted, self.robots),
                *self._knowing.input_phases(policy)]

    def check_inputs(self, network: Network) -> None:
        """Raise InputError for an input of a network that these worlds do not give.

        A warning says what differs where the network learned with other values.
        """
        if network.outputs == HOLONOMIC and not all(
                SIDEWAYS[drive] for drive in self.setting.bodies.drive.tolist()):
            raise bad_value('outputs', HOLONOMIC, 'wheels or twist, as the drive of a robot does '
                            'not move to the side')
        check_inputs(network, self.senses, self.phases.fitted.readings,
                     int(self.setting.sensing.lasers.first_beams.min()))
        warn_if_unlike(network, self.scenarios[0], self._told)

    def _check_places(self, chosen: NDArray[np.int64], poses: Floats) -> None:
        for k in chosen.tolist():
            problem = self.parameters[k].start_error(poses[k], self.box_start[k])
            if problem is not None:
                raise InputError(f'start of world {k}: {problem}')


def _senses(scenario: Scenario, wanted: Collection[str] | None) -> frozenset[str]:
    if wanted is None:
        return frozenset(name for name, sensor in sensors().items()
                         if sensor.is_on(scenario.sensors))
    return frozenset(checked_senses(wanted, scenario))


# ``sbot.World``: one world.

class World:
    """One world of N robots, stepped from Python in one compiled call per step.

    Arrays are those of ``Worlds`` without the first axis.

    Parameters
    ----------
    scenario : what is simulated; its controllers are not used
    seed : of placement and noise; None: the scenario's
    sense : as in ``Worlds``

    """

    def __init__(self, scenario: Scenario, *, seed: int | None = None,
                 sense: Collection[str] | None = None) -> None:
        self.worlds = Worlds(scenario, 1, sense=sense, seeds=_seeds_of(seed))
        self.robots, self.dt = self.worlds.robots, self.worlds.dt

    @cached_property
    def _room(self) -> Room:
        return room_for_commands(self.robots)

    @cached_property
    def _observer(self) -> Observer:
        return Observer(self.worlds.setting, self.worlds.state, self.worlds.senses,
                        self.worlds.phases, only=True)

    def reset(self, seed: int | None = None, *, start: ArrayLike | None = None) -> Observations:
        """Reset to tick 0, with a new seed or the same; ``start`` (N, 3) m, m, rad: poses."""
        self.worlds.reset(_seeds_of(seed), start=start)
        return self._observer()

    def step(self, commands: ArrayLike, *, wheels: bool = False, data: ArrayLike | None = None,
             ticks: int = 1) -> Observations:
        """Advance by commands (N, 3) or (N, 2), as ``Worlds.step``."""
        self.worlds.advance(commands, self._room, wheels, data, ticks)
        return self._observer()

    def observe(self) -> Observations:
        """Return the present observations, as copies."""
        return self._observer()

    def save(self) -> Saved:
        """Return the state of the world as a value, as ``Worlds.save``."""
        return self.worlds.save()

    def restore(self, state: Saved) -> Observations:
        """Continue from a state of such a world or of one of ``Worlds``, as ``Worlds.restore``."""
        self.worlds.restore(state)
        vars(self).pop('_observer', None)  # the worlds may be others
        return self._observer()

    def __getstate__(self) -> dict[str, Any]:
        """Return all but what has no value of its own."""
        return {name: value for name, value in vars(self).items()
                if name not in ('_observer', '_room')}

    def run(self, policy: Network | FunctionPolicy, weights: ArrayLike, ticks: int, *,
            goals: ArrayLike | None = None, keep: Collection[str] = ()) -> Episode:
        """Let a compiled policy drive all robots, as ``Worlds.run`` (arrays (T, N, …))."""
        episode = self.worlds.run(policy, weights, ticks, goals=goals, keep=keep)
        kept: dict[str, Any] = {name: rows[:, 0] for name, rows in episode._asdict().items()
                                if isinstance(rows, np.ndarray)}
        return episode._replace(**kept)


def _seeds_of(seed: int | None) -> list[int] | None:
    """Return the seeds of one world; None: its own."""
    return None if seed is None else [whole('seed', seed, 0, LARGEST_SEED)]
