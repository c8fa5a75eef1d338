"""Episodes of a task in a batch of worlds: what all environments are made of."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from neural_controller.inputs import field_of
from neural_controller.network import Network, make_network
from neural_controller.outputs import WHEELS
from sbot.api.loading import Source, load_uncontrolled
from sbot.api.worlds import Worlds
from sbot.learn.interface import Interface
from sbot.learn.shipped import TASKS
from sbot.learn.task import Flags, Floats, Moment, Task
from sbot.scenario.assemble import robot_bodies
from sbot.scenario.model import Scenario
from sbot.worlds.arguments import LARGEST_SEED, MOST_TICKS, MOST_WORLDS
from sbot.worlds.observation import Observations
from sbot_common.arguments import numbers, whole
from sbot_common.errors import InputError, bad_value

_SEEDS = LARGEST_SEED + 1
_LONGEST = 1e9  # s, of an episode

LOG = logging.getLogger(__name__)


class Outcome(NamedTuple):
    """What a step of K worlds of N robots gave."""

    reward: Floats  # (K, N); 0 for robots that were done before
    ended: Flags  # (K, N) done now or before
    late: Flags  # (K,) the episode's time is over


class Episodes:
    """Worlds in which a task goes on; robots that are done stand still.

    Parameters
    ----------
    scenario, overrides : as ``sbot.load`` takes them
    count : K
    task : a ``Task``, the name of a shipped one, or None: one that suits the scenario
    threads : how many to use

    """

    def __init__(self, scenario: Source, count: int, task: Task | str | None,
                 overrides: Mapping[str, object], threads: int = 1) -> None:
        count = whole('count', count, 1, MOST_WORLDS)
        self.scenario = load_uncontrolled(scenario, overrides)
        self.task = make_task(task, self.scenario)
        network = network_of(self.task, self.scenario)
        fields = map(field_of, network.inputs)
        senses = [*(field for field in fields if field is not None), *self.task.senses]
        self.worlds = Worlds(self.scenario, count, sense=senses, threads=threads)
        self.worlds.check_inputs(network)
        self.count, self.robots = self.worlds.count, self.worlds.robots
        self.network, self._scenario_goal = network, _goals(self.scenario, network)
        self.goal = np.tile(self._scenario_goal, (count, 1, 1))
        self.ticks = max(1, round(self.task.seconds / self.worlds.dt))
        _warn_of_idle(self.scenario, self.task.seconds, self.ticks)
        self._interface = Interface(self.worlds, network, self.goal)
        self._generators = [np.random.default_rng() for _ in range(count)]
        self._first: list[int | None] = [None] * count
        self.active = np.ones((count, self.robots), np.bool_)
        self.now = self._moment(self.worlds.observe(), np.zeros((count, self.robots, 3)))
        self.columns = self.observation().shape[2]

    def seed(self, seed: int | None) -> int | None:
        """Seed world k by seed + k: the next episode's seed, and all that is drawn after.

        None leaves the seeds as they are. Returns the seed as an int.

        Raises
        ------
        InputError
            for anything but a whole number from 0 to 2**63 - K.

        """
        if seed is None:
            return None
        seed = whole('seed', seed, 0, LARGEST_SEED + 1 - self.count)
        self._generators = [np.random.default_rng(seed + k) for k in range(self.count)]
        self._first = [seed + k for k in range(self.count)]
        return seed

    def reset(self, chosen: Flags | None = None) -> None:
        """Begin new episodes in the chosen worlds (K,), or in all."""
        if chosen is not None and (type(chosen) is not np.ndarray or chosen.dtype != np.bool_
                                   or chosen.shape != (self.count,)):
            raise bad_value('reset_mask', chosen, f'an array of {self.count} truth values')
        rows = range(self.count) if chosen is None else np.flatnonzero(chosen).tolist()
        seeds, starts = self.worlds.seeds.copy(), self.worlds.start.copy()
        placed: list[int] = []
        for k in rows:
            rng, first = self._generators[k], self._first[k]
            seeds[k] = rng.integers(_SEEDS) if first is None else first
            self._first[k] = None
            start = self.task.begin(self.worlds, k, rng)
            if start is not None:
                starts[k] = _given('begin', start, ((self.robots, 3),))
                placed.append(k)
        others = [k for k in rows if k not in placed]
        seen = self.now.seen
        if others:
            seen = self.worlds.reset(seeds, worlds=others)
        if placed:
            seen = self.worlds.reset(seeds, start=starts, worlds=placed)
        self.active[rows] = True
        commands = self.now.commands.copy()
        commands[rows] = 0.0
        self._aim(rows)
        self.now = self._moment(seen, commands)

    def observation(self) -> NDArray[np.float32]:
        """Return what robots observe now, (K, N, columns)."""
        seen = np.asarray(self.task.observation(self.now))
        if seen.ndim != 3 or seen.shape[:2] != (self.count, self.robots):
            raise bad_value(f'{type(self.task).__name__}.observation()', f'shape {seen.shape}',
                            f'shape ({self.count}, {self.robots}, columns)')
        return seen.astype(np.float32)

    def step(self, actions: ArrayLike) -> Outcome:
        """Act (K, N, 2), shares in [-1, 1], for as long as the task says.

        Raises
        ------
        InputError
            for another shape, or an action that is not finite.

        """
        values = numbers('actions', actions, (self.count, self.robots, 2))
        commands = self._interface.commands(np.where(self.active[..., None], values, 0.0))
        before, hold = self.now, self.task.hold
        self.now = self._moment(self.worlds.step(commands, ticks=hold), commands)
        reward = np.where(self.active, self._answer('reward', before, self.now), 0.0)
        self.active &= ~self._answer('ended', self.now).astype(np.bool_)
        return Outcome(reward, ~self.active, self.now.seen.tick >= self.ticks)

    def _answer(self, method: str, *moments: Moment) -> NDArray[Any]:
        """Return what a method of the task says of each robot, (K, N)."""
        where = f'{type(self.task).__name__}.{method}()'
        answer = np.asarray(getattr(self.task, method)(*moments))
        if answer.shape != (self.count, self.robots):
            raise bad_value(where, f'shape {answer.shape}', f'shape {(self.count, self.robots)}: '
                            'a value for each robot of each world')
        if answer.dtype.kind not in 'biuf' or not np.isfinite(answer[self.active]).all():
            raise bad_value(where, answer.tolist(), 'finite numbers')
        return answer

    def _aim(self, rows: Sequence[int]) -> None:
        """Ask the task for the goals of worlds (numbers) that begin anew."""
        changed = self.goal.copy()  # moments keep theirs
        for k in rows:
            goals = self.task.goals(self.worlds, k, self._generators[k])
            changed[k] = self._scenario_goal if goals is None else _given(
                'goals', goals, ((2,), (self.robots, 2)))
            if 'goal' in self.network.inputs and not np.isfinite(changed[k]).all():
                raise bad_value('goals', changed[k].tolist(), 'finite numbers (m), for the input '
                                'goal of the task')
        self.goal = changed
        self._interface.aim(changed)

    def _moment(self, seen: Observations, commands: Floats) -> Moment:
        return Moment(seen, self._interface.inputs(), commands, self.goal, self.network,
                      self.worlds.dt)


def _warn_of_idle(scenario: Scenario, seconds: float, ticks: int) -> None:
    """Log a warning for what ends runs of a scenario and does not end episodes."""
    written = scenario.source is None or 'duration' in scenario.source.data
    if written and scenario.rate.ticks(scenario.duration) != ticks:
        LOG.warning('%s: duration: %g s has no effect on episodes: the task ends them after %g s '
                    '(its attribute seconds)', scenario.name, scenario.duration, seconds)
    if scenario.until is not None:
        LOG.warning("%s: until: %s has no effect on episodes: the task's method ended(now) says "
                    'when a robot is done', scenario.name, scenario.until)


def _given(what: str, values: ArrayLike, shapes: Sequence[tuple[int, ...]]) -> Floats:
    """Return what a task gave as an array of one of the shapes."""
    array = np.asarray(values, np.float64)
    if array.shape not in shapes:
        raise bad_value(f'{what} of the task', f'shape {array.shape}',
                        ' or '.join(f'shape {shape}' for shape in shapes))
    return array


def make_task(task: Task | str | None, scenario: Scenario) -> Task:
    """Return a task; None: the shipped one that a scenario's goals and sensors suggest.

    Raises
    ------
    InputError
        for an unknown name, or something else.

    """
    if task is None:
        if scenario.robots[0].goal is not None:
            task = 'reach_goal' if len(scenario.robots) == 1 else 'follow_leader'
        else:
            task = 'avoid_obstacles'
    if isinstance(task, str):
        if task not in TASKS:
            raise bad_value('task', task, f"a Task, or one of {', '.join(TASKS)}")
        return TASKS[task]()
    if not isinstance(task, Task):
        raise bad_value('task', task, f"a Task, or one of {', '.join(TASKS)}")
    whole('hold of the task (ticks)', task.hold, 1, MOST_TICKS)
    if not isinstance(task.seconds, int | float) or not 0.0 < task.seconds <= _LONGEST:
        raise bad_value('seconds of the task', task.seconds,
                        f'a number > 0 and <= {_LONGEST:g} (s)')
    return task


def network_of(task: Task, scenario: Scenario) -> Network:
    """Return inputs and outputs of a task, with the greatest speeds of robot 0 by default."""
    body = robot_bodies(scenario)[0]
    rim = body.max_wheel_speed * body.wheel_radius  # m/s
    wide = body.wheel_distance if task.outputs == WHEELS else 2.0 * rim / body.wheel_distance
    return make_network('perceptron', task.inputs, outputs=task.outputs,
                        max_speed=rim if task.max_speed is None else task.max_speed,
                        turn=wide if task.turn is None else task.turn)


def _goals(scenario: Scenario, network: Network) -> Floats:
    """Return the goals (N, 2) m; robots without one have the leader's."""
    first = scenario.robots[0].goal
    if first is None and 'goal' in network.inputs:
        raise InputError('robots.0: needs a goal, since the task has the input goal')
    return np.array([robot.goal or first or (np.nan, np.nan) for robot in scenario.robots])
