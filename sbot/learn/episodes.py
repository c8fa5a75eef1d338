# SPDX-License-Identifier: Apache-2.0
"""Episodes of a task in a batch of worlds: the base of all environments."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from itertools import cycle
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sbot.controllers.neural.network import WHEELS, Network, make_network
from sbot.learn.task import (
    Actions,
    Answers,
    Draws,
    Interface,
    Kept,
    Moment,
    Task,
    find_ends,
)
from sbot.learn.task_checks import Drawn, controlled_of, randomise
from sbot.learn.tasks.entry import Scene
from sbot.learn.tasks.registry import home_of, make_task
from sbot.scenario.assemble import robot_bodies
from sbot.scenario.load import Sources, load_uncontrolled, loaded
from sbot.scenario.model import Scenario
from sbot.worlds.many import Worlds
from sbot.worlds.observation import Observations
from sbot.worlds.setting import (
    LARGEST_SEED,
    MOST_WORLDS,
    Saved,
    chosen_worlds,
    flag,
    learned_in,
    senses_of,
)
from sbot_common.arguments import whole
from sbot_common.arrays import Flags, Floats, Integers
from sbot_common.errors import InputError, bad_value
from sbot_sim.sensors.registry import sensors
from sbot_sim.world.bodies import Body

_LOG = logging.getLogger(__name__)


def _warn_of_idle(scenarios: Sequence[Scenario], seconds: float, ticks: int) -> None:
    """Log a warning for keys that end runs of scenarios but not episodes, one for each key."""
    lasting = [one for one in scenarios if (one.source is None or 'duration' in one.source.data)
               and one.rate.ticks(one.duration) != ticks]
    ending = [one for one in scenarios if one.until is not None]
    for found, key, instead in (
            (lasting, 'duration', f'the task ends them after {seconds:g} s (its attribute '
             'seconds)'),
            (ending, 'until', "the task's method ended(now) says when a robot is done")):
        if found:
            value = f'{found[0].duration:g} s' if key == 'duration' else found[0].until
            name = found[0].name + (f' and {len(found) - 1} more' if found[1:] else '')
            _LOG.warning('%s: %s: %s has no effect on episodes: %s', name, key, value, instead)


def _limits_of(task: Task, body: Body) -> tuple[float, float]:
    """Return a robot's greatest speed, and distance of the wheels or turn rate."""
    rim = body.max_wheel_speed * body.wheel_radius  # m/s
    wide = body.wheel_distance if task.outputs == WHEELS else 2.0 * rim / body.wheel_distance
    return (rim if task.max_speed is None else task.max_speed,
            wide if task.turn is None else task.turn)


def _network_of(task: Task, scenario: Scenario) -> Network:
    """Return inputs and outputs of a task, with the greatest speeds of robot 0 by default."""
    speed, turn = _limits_of(task, robot_bodies(scenario)[0])
    return make_network('perceptron', task.inputs, outputs=task.outputs, max_speed=speed,
                        turn=turn, hold=task.hold)


def _common_limits(task: Task, scenarios: Sequence[Scenario]) -> Floats:
    """Return the limits (N, 2) of robots in scenarios that are played together."""
    limits = np.array([[_limits_of(task, body) for body in robot_bodies(scenario)]
                       for scenario in scenarios])
    if (limits != limits[0]).any():
        raise InputError('scenario: the robots of these scenarios have different greatest speeds; '
                         'give the task max_speed and turn')
    return np.asarray(limits[0])


def _goals_of(scenario: Scenario, task: Task, network: Network) -> Floats:
    """Return the goals (N, 2) m; robots without one have the leader's."""
    first = scenario.robots[0].goal
    if first is None and 'goal' in network.inputs and type(task).goals is Task.goals:
        raise InputError('robots.0: needs a goal, since the task has the input goal and no '
                         'goals() of its own')
    return np.array([robot.goal or first or (np.nan, np.nan) for robot in scenario.robots])


class Outcome(NamedTuple):
    """What a step of K worlds of N robots gave, those alone that learn."""

    reward: Floats  # (K, N); 0 for robots that were done before
    all_ended: Flags  # (K,) all robots are done
    late: Flags  # (K,) the episode's time is over, and some robot is not done


class SavedEpisodes(NamedTuple):
    """State of the episodes of M worlds, as copies; the value of ``save`` of an environment."""

    worlds: Saved
    goal: Floats  # (M, N, 2) m
    active: Flags  # (M, N)
    commands: Floats  # (M, N, 3)
    generators: list[Mapping[str, Any]]  # states
    drawn: list[Drawn]
    first: list[int | None]  # seeds of the next episodes, where they are given
    kept: Kept  # (M, …) of the task


class Episodes:
    """Worlds that play episodes of a task; robots that are done stand still.

    Parameters
    ----------
    scenario, overrides : as ``sbot.load`` takes them; or a list: world k plays number k modulo
        their number; None: the task's own scenes
    count : K
    task : a ``Task``, the name of a shipped one, or None: one that suits the scenario
    threads : how many to use
    discrete : actions are numbers of the task's moves

    """

    def __init__(self, scenario: Sources | None, count: int, task: Task | str | None,
                 overrides: Mapping[str, object], threads: int = 1,
                 discrete: bool = False) -> None:
        count = whole('count', count, 1, MOST_WORLDS)
        if scenario is None:
            scenario, task = home_of(task)
        several: list[Any] = list(scenario) if isinstance(scenario, list | tuple) else [scenario]
        if not 1 <= len(several) <= count:
            raise bad_value('scenario', f'{len(several)} scenarios', f'1 to {count}, as many as '
                            'worlds')
        scenarios = [load_uncontrolled(one, overrides) for one in several]
        self.task = make_task(task, scenarios[0])
        robots, controlled = np.arange(len(scenarios[0].robots)), controlled_of(self.task)
        self._scripted = np.isin(robots, self.task.scripted)
        self.learners = np.flatnonzero(~self._scripted)  # robots that have agents
        self.robots = len(self.learners)
        if not self.robots or [*self.task.scripted] != np.flatnonzero(self._scripted).tolist():
            raise bad_value('scripted of the task', self.task.scripted, 'some of the numbers of '
                            f'{len(robots)} robots, in ascending order')
        pool = self.task.pool() if isinstance(self.task, Scene) else []
        if controlled:  # with the classes of their controllers
            scenarios = [loaded(one, overrides, None) for one in several]
        self.scenario = scenarios[0]  # world k plays number k modulo their number
        self.network = _network_of(self.task, self.scenario)
        senses = [*senses_of(self.network.inputs), *self.task.senses]
        self.actions = Actions(self.task, flag('discrete', discrete),
                               sensors()['neighbours'].is_on(self.scenario.sensors))
        senses += ['neighbours'] * bool(self.actions.bytes)
        self.worlds = Worlds([scenarios[k % len(scenarios)] for k in range(count)],
                             sense=senses, threads=threads, controlled=controlled,
                             pool=[loaded(one, overrides, None, controlled=bool(controlled))
                                   for one in pool])
        self.worlds.check_inputs(self.network)
        self.count = self.worlds.count
        self._all = np.arange(self.count)
        self._answers = Answers(self.task, self.count, self.worlds.robots)
        self._play(self.worlds.scenarios)
        self.goal = self._scenario_goal.copy()
        _warn_of_idle(scenarios, self.task.seconds, self.ticks)
        self._interface = Interface(self.worlds, self.network, self.goal, self.limits)
        self._generators = [np.random.default_rng() for _ in range(count)]
        self._first: list[int | None] = [None] * count
        self.drawn: list[Drawn] = [{} for _ in range(count)]  # by ``randomise``, of each world
        self.begun = False  # whether there was a reset
        self._active = np.tile(~self._scripted, (count, 1))
        self.now = self._moment(self.worlds.observe(), np.zeros((count, self.worlds.robots, 3)),
                                {})
        self.now = self.now._replace(kept=self._answers.kept('keep', self.now, self._draws()))
        self.columns = self.observation().shape[2]
        self._find_ends()

    def __getstate__(self) -> dict[str, Any]:
        """Return all but compiled programs, for copies that continue bit for bit."""
        return {name: value for name, value in vars(self).items() if name != '_interface'}

    def __setstate__(self, given: dict[str, Any]) -> None:
        """Take over a copy's attributes, and compile programs for its worlds."""
        vars(self).update(given)
        self._interface = Interface(self.worlds, self.network, self.goal, self.limits)
        self._interface.inputs(self._all)

    def save(self, worlds: ArrayLike | None = None) -> SavedEpisodes:
        """Return the state of the episodes of worlds (a mask, or numbers; None: all)."""
        chosen = chosen_worlds(worlds, self.count)
        generators = [self._generators[k].bit_generator.state for k in chosen.tolist()]
        return SavedEpisodes(
            self.worlds.save(chosen), self.goal[chosen], self._active[chosen],
            self.now.commands[chosen], generators,
            [dict(self.drawn[k]) for k in chosen.tolist()],
            [self._first[k] for k in chosen.tolist()],
            {name: values[chosen] for name, values in self.now.kept.items()})

    def restore(self, state: SavedEpisodes, worlds: ArrayLike | None = None) -> None:
        """Let worlds continue from a state, bit for bit: as many as it has, or one for all.

        Raises
        ------
        InputError
            for a state of other environments; nothing has changed then.

        """
        robots = self.worlds.robots
        if not isinstance(state, SavedEpisodes) or state.goal.shape[1] != robots:
            raise bad_value('state', state if not isinstance(state, SavedEpisodes) else
                            f'{state.goal.shape[1]} robots', f'what save() of an environment of '
                            f'{robots} robots returned')
        chosen = chosen_worlds(worlds, self.count)
        scenarios = list(self.worlds.scenarios)
        for k, one in zip(chosen.tolist(), cycle(state.worlds.scenarios), strict=False):
            scenarios[k] = one
        self._play(scenarios)
        before, commands = self.worlds.simulation, self.now.commands.copy()
        seen = self.worlds.restore(state.worlds, chosen)
        self.begun = True
        self.goal = self.goal.copy()
        self.goal[chosen], self._active[chosen] = state.goal, state.active
        commands[chosen] = state.commands
        for k, generator, first, drawn in zip(chosen.tolist(), cycle(state.generators),
                                              cycle(state.first), cycle(state.drawn),
                                              strict=False):
            self._generators[k].bit_generator.state = generator
            self._first[k], self.drawn[k] = first, dict(drawn)
        if self.worlds.simulation is not before:
            self._interface = Interface(self.worlds, self.network, self.goal, self.limits)
        self._interface.aim(self.goal)
        self.now = self._moment(seen, commands, self.now.kept)
        self._keep(chosen, state.kept)
        self._find_ends()

    def _play(self, scenarios: Sequence[Scenario]) -> None:
        """Take goals, limits and length of episodes from the scenarios of all worlds."""
        kinds = {id(one): one for one in scenarios}  # each once
        network = learned_in(_network_of(self.task, scenarios[0]), scenarios)
        limits = _common_limits(self.task, [*kinds.values()])
        goals = {key: _goals_of(one, self.task, network) for key, one in kinds.items()}
        self.scenario, self.network, self.limits = scenarios[0], network, limits
        self._scenario_goal = np.array([goals[id(one)] for one in scenarios])
        self.ticks = max(1, round(self.task.seconds / scenarios[0].rate.dt))

    @property
    def active(self) -> Flags:
        """Which robots (K, N) that learn are not done."""
        return np.array(self._of_learners(self._active))

    @property
    def ended(self) -> Flags:
        """Which robots (K, N) that learn are done."""
        return np.asarray(~self._of_learners(self._active))

    def _of_learners(self, rows: Any) -> Any:  # noqa: ANN401
        """Return the rows (K, N, …) of the robots that have agents."""
        return rows if self.robots == self.worlds.robots else rows[:, self.learners]

    @property
    def over(self) -> Flags:
        """Worlds (K,) whose episode is over, since all robots are done or its time is."""
        return np.asarray(self.all_ended | self.late)

    def _find_ends(self) -> None:
        """Find where all robots are done, where else the time is over (K,), and whether."""
        self.all_ended, self.late = np.empty((2, self.count), np.bool_)
        self.some_over = find_ends(self._active, self.now.seen.tick, self.ticks, self.all_ended,
                                   self.late)

    @property
    def fps(self) -> int:
        """Decisions a second of simulated time, rounded."""
        return max(1, round(self.scenario.rate.hz / self.task.hold))

    def seed(self, seed: int | Sequence[int | None] | None) -> int | None:
        """Seed all worlds: the next episode's seed, and all that is drawn after.

        World k has number k of ``world_seeds``. A list has a seed for each world; None leaves
        seeds as they are. Returns world 0's as an int.

        Raises
        ------
        InputError
            for anything but whole numbers from 0 to 2**63 - 1, or as many of them as worlds.

        """
        if seed is None:
            return None
        if isinstance(seed, list | tuple) or (isinstance(seed, np.ndarray) and seed.ndim):
            if len(seed) != self.count:
                raise bad_value('seed', f'{len(seed)} seeds', f'one for each of {self.count} '
                                'worlds')
            seeds = [None if one is None else whole(f'seed of world {k}', one, 0, LARGEST_SEED)
                     for k, one in enumerate(seed)]
        else:
            seeds = [*world_seeds(whole('seed', seed, 0, LARGEST_SEED), self.count)]
        for k, one in enumerate(seeds):
            if one is not None:
                self._generators[k], self._first[k] = np.random.default_rng(one), one
        return seeds[0]

    def reset(self, chosen: ArrayLike | None = None) -> None:
        """Begin new episodes in worlds (a mask, or numbers; None: all)."""
        anew = chosen_worlds(chosen, self.count)
        rows = anew.tolist()
        seeds, starts = self.worlds.seeds.copy(), self.worlds.start.copy()
        placed: list[int] = []
        for k in rows:
            rng, first = self._generators[k], self._first[k]
            # As integers() of as many, in a tenth of its time.
            seeds[k] = rng.bit_generator.random_raw() >> 1 if first is None else first
            self._first[k] = None
            self.drawn[k] = randomise(self.worlds, k, self.task, rng, self.drawn[k])
            start = self._answers.drawn('begin', self.worlds, k, rng, (self.worlds.robots, 3))
            if start is not None:
                starts[k] = start
                placed.append(k)
        seen = self.now.seen
        if others := [k for k in rows if k not in placed]:
            seen = self.worlds.reset(seeds, worlds=others)
        if placed:
            seen = self.worlds.reset(seeds, start=starts, worlds=placed)
        self.begun = True
        self._active[rows] = ~self._scripted
        commands = self.now.commands.copy()
        commands[rows] = 0.0
        self._aim(rows)
        self.now = self._moment(seen, commands, self.now.kept, anew)
        fresh = self._answers.kept('keep', self.now, self._draws())
        self._keep(rows, {name: values[rows] for name, values in fresh.items()})
        self._find_ends()

    def _draws(self) -> Draws:
        return Draws(self.worlds.seeds, self.now.seen.tick)

    def _keep(self, chosen: Any, given: Kept) -> None:  # noqa: ANN401
        """Give worlds their rows (M, …) of what the task keeps; earlier moments keep theirs."""
        kept = {name: values.copy() for name, values in self.now.kept.items()}
        for name, values in given.items():
            kept[name][chosen] = values
        self.now = self.now._replace(kept=kept)

    def observation(self) -> NDArray[np.float32]:
        """Return the present observations of the robots, (K, N, columns)."""
        return self._of_learners(self._answers.observation(self.now))  # type: ignore[no-any-return]

    def step(self, actions: NDArray[Any], anew: bool = False) -> Outcome:
        """Act for as many ticks as the task holds an action.

        Parameters
        ----------
        actions : of robots that learn: (K, N, 2 or 3) shares in [-1, 1] and the bytes that the
            task broadcasts, as shares, too; or (K, N) numbers of moves; of ``actions.checked``
        anew : whether worlds whose episode is over begin another instead, at a reward of 0

        Raises
        ------
        InputError
            for an action that the task's mask forbids, and before the first reset; nothing has
            changed then.

        Where ``reward`` or ``ended`` of the task raises, worlds have moved and robots are done as
        before; the next step continues there.

        """
        if not self.begun:
            raise InputError('step() needs an episode; call reset() first')
        active, over = self._active, self.over if anew and self.some_over else None
        if over is not None:
            active = active & ~over[:, np.newaxis]
        if self.actions.discrete:
            self._check_allowed(actions, self._of_learners(active))
        data, before = self._act(actions, active), self.now
        self._active = active  # robots of worlds that begin anew do nothing more
        seen, inputs, commands = self._interface.advance(self.task.hold, data)
        self.now = tuple.__new__(Moment, (seen, inputs, commands, *before[3:]))
        if type(self.task).update is not Task.update:
            changed = self._answers.kept('update', before, self.now, self._draws())
            self.now = self.now._replace(kept={**before.kept, **changed})
        reward, self.all_ended, self.late, self.some_over = self._answers.settled(
            active, before, self.now, self.ticks)
        if over is not None:
            self.reset(over)
        return Outcome(self._of_learners(reward), self.all_ended, self.late)

    def _act(self, actions: NDArray[Any], active: Flags) -> NDArray[Any] | None:
        """Write the shares of all robots; return the bytes (K, N, 10) they send."""
        shares = self._interface.shares
        if self.task.scripted:
            given, actions = actions, self.actions.none(*active.shape)
            actions[:, self.learners] = given
        data = self.actions.split(actions, active, shares)
        if self.task.scripted and not self.worlds.controlled.robots:
            shares[:, self._scripted] = self._answers.script(self.now, self.actions.shares)
        return data

    def mask(self) -> Flags | None:
        """Return which moves robots may choose now, (K, N, moves); None: all."""
        if not self.actions.discrete:
            return None
        mask = self._answers.mask(self.now, len(self.actions.moves))
        return None if mask is None else self._of_learners(mask)

    def state(self) -> NDArray[np.float32]:
        """Return the state of whole worlds for critics, (K, columns)."""
        return self._answers.state(self.now)

    def _check_allowed(self, actions: NDArray[Any], active: Flags) -> None:
        mask = self.mask()
        if mask is None:
            return
        wrong = ~np.take_along_axis(mask, actions[..., None], axis=2)[..., 0] & active
        if wrong.any():
            k, i = np.argwhere(wrong)[0].tolist()
            raise bad_value('actions', f'{int(actions[k, i])} of robot {i} in world {k}',
                            "a move that the task's mask allows")

    def _aim(self, rows: Sequence[int]) -> None:
        """Ask the task for the goals of worlds (numbers) that begin anew."""
        changed = self.goal.copy()  # moments keep theirs
        changed[rows] = self._scenario_goal[rows]
        for k in rows if self._answers.has('goals') else ():
            goals = self._answers.drawn('goals', self.worlds, k, self._generators[k], (2,),
                                        (self.worlds.robots, 2))
            if goals is not None:
                changed[k] = goals
                if self.worlds.controlled.robots:
                    self.worlds.controlled.aim(k, changed[k])
        if 'goal' in self.network.inputs and not np.isfinite(changed[rows]).all():
            wrong = next(k for k in rows if not np.isfinite(changed[k]).all())
            raise bad_value('goals', changed[wrong].tolist(), 'finite numbers (m), for the input '
                            'goal of the task')
        self.goal = changed
        self._interface.aim(changed)

    def _moment(self, seen: Observations, commands: Floats, kept: Mapping[str, NDArray[Any]],
                changed: Integers | None = None) -> Moment:
        """Return the present moment; other worlds than those ``changed`` are as at the last."""
        inputs = self._interface.inputs(self._all if changed is None else changed)
        return Moment(seen, inputs, commands, self.goal, self.network, self.worlds.dt,
                      self.limits, kept)


def world_seeds(seed: int, count: int) -> list[int]:
    """Return the seeds of K worlds: ``seed``, and then what NumPy spawns from it.

    World k > 0 has the upper 63 bits of the first 64-bit word of
    ``SeedSequence(seed, spawn_key=(k,))``, whatever K is. So worlds of two seeds share no scene.
    With seed + k, world k of a seed would be world k + 1 of the seed before.
    """
    spawned = (np.random.SeedSequence(seed, spawn_key=(k,)) for k in range(1, count))
    return [seed, *(int(one.generate_state(1, np.uint64)[0]) >> 1 for one in spawned)]
