# SPDX-License-Identifier: Apache-2.0
"""Controllers of a scenario take their turns: those of a run, and of robots in a batch."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from copy import deepcopy
from dataclasses import replace
from itertools import cycle
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot.controllers.entry import Batch
from sbot.controllers.registry import NONE, entry_of, is_outside
from sbot.scenario.controllers import controlled_robots, controller_parameters, observed_fields
from sbot.scenario.knowledge import EXACT
from sbot.scenario.model import Scenario
from sbot_common.arrays import Floats, Integers
from sbot_common.errors import InputError
from sbot_common.observation import OMEGA, VX
from sbot_common.random import CONTROLLER
from sbot_common.random.numbers import uniforms
from sbot_common.topics import RAB_DATA, Outgoing, Topic
from sbot_sim.engine.many import Simulation
from sbot_sim.engine.simulation import Snapshot
from sbot_sim.sensors.laser import Lasers
from sbot_sim.sensors.registry import sensors
from sbot_sim.worlds.batch import Interpreted


class Decisions(NamedTuple):
    """What the controllers decide at a tick."""

    commands: Floats  # (N, 3) vx, vy (m/s), omega (rad/s), as ``sbot_common.observation.Twist``
    rab_data: NDArray[np.uint8]  # (N, 10) what robots broadcast from now on
    announced: list[Outgoing]  # goals and broadcasts, as messages


class ControllerSet:
    """All controllers of a scenario, with their random numbers.

    Robots with ``none`` get the command to stand still.

    Parameters
    ----------
    scenario, lasers, threads : whose controllers, what they scan with, how many threads to use
    announcing : whether somebody wants the messages of goals and broadcasts
    batched : let followers with equal parameters take their turns in one call; changes no bit
    only : numbers of robots whose controllers these are, not batched; None: all

    """

    def __init__(self, scenario: Scenario, lasers: Lasers, threads: int = 1, *,
                 announcing: bool = True, batched: bool = True,
                 only: Collection[int] | None = None) -> None:
        self._announcing = announcing
        self._lasers = lasers
        self._n, self._seed = len(scenario.robots), scenario.seed
        self._batches = _batches(scenario, lasers, threads) if batched else []
        together = {i for ids, _ in self._batches for i in ids.tolist()}
        self.robots = controlled_robots(scenario, [
            i for i in (range(self._n) if only is None else only) if i not in together])
        self._senses = {i: observed_fields(scenario, scenario.robots[i]) for i in self.robots}

    def reasons(self) -> dict[int, str]:
        """Return why robots stand, by their ids, as far as their controllers say so."""
        said = {i: getattr(robot.controller, 'reason', '') for i, robot in self.robots.items()}
        return {i: text for i, text in said.items() if text and isinstance(text, str)}

    def invalid_turns(self) -> NDArray[np.int64]:
        """Return how many turns (N,) had no command, as the force or the pose was not a number."""
        counts = np.zeros(self._n, np.int64)
        for i, robot in self.robots.items():
            turns = getattr(robot.controller, 'invalid_turns', 0)
            counts[i] = turns if isinstance(turns, int) else 0
        for ids, followers in self._batches:
            counts[ids] = followers.invalid_turns
        return counts

    def decide(self, snapshot: Snapshot, stamp_ns: int) -> Decisions:
        """Let all controllers take a turn."""
        commands, rab_data = np.zeros((self._n, 3)), snapshot.rab_data.copy()
        announced: list[Outgoing] = []
        for i, robot in self.robots.items():
            command, goals, data = robot.step(stamp_ns, snapshot.pose, self.sensed(i, snapshot))
            commands[i] = command
            if data is not None:
                rab_data[i] = 0
                rab_data[i, 1:1 + len(data)] = np.frombuffer(data, np.uint8)
            if self._announcing and (goals or data is not None):
                announced += self._announcements(i, stamp_ns, goals, data)
        for ids, followers in self._batches:
            scan = self._lasers.of(ids[0])[0]
            draws = uniforms(self._seed, CONTROLLER, ids, snapshot.tick, 1)[:, 0]
            commands[ids[:, np.newaxis], (VX, OMEGA)] = followers.step(
                snapshot.pose, snapshot.ranges[:, :scan.beams], scan.angle_min,
                scan.angle_increment, draws)
        return Decisions(commands, rab_data, announced)

    def sensed(self, i: int, snapshot: Snapshot) -> dict[str, Any]:
        """Return the fields of an observation that robot i senses, by name."""
        known = sensors()
        return {name: known[name].observed(snapshot, self._lasers, i)
                for name in self._senses[i]}

    def _announcements(self, i: int, stamp_ns: int, goals: Iterable[tuple[Topic, Any]],
                       data: bytes | None) -> Iterator[Outgoing]:
        """Yield the messages of a robot's goals and broadcast."""
        from sbot_common.wire.messages import write_broadcast, write_pose
        for topic, goal in goals:
            yield Outgoing(topic.resolve(i, self._n), topic,
                           write_pose(stamp_ns, 'map', *goal))
        if data is not None:
            yield Outgoing(RAB_DATA.resolve(i, self._n), RAB_DATA,
                           write_broadcast(data))


def _batches(scenario: Scenario, lasers: Lasers,
             threads: int) -> list[tuple[NDArray[np.int64], Batch]]:
    """Return ids of followers that share controller, parameters and lasers; what moves them."""
    # Each knows something else, or not all of them are there.
    if scenario.knowledge != EXACT or any(robot.reserved for robot in scenario.robots):
        return []
    groups: dict[tuple[str, str, int], tuple[Callable[..., Batch], Any, list[int]]] = {}
    for i, robot in enumerate(scenario.robots):
        batch = entry_of(robot.controller).batch if robot.controller != NONE else None
        if i > 0 and batch is not None:
            parameters = controller_parameters(scenario, robot)
            key = robot.controller, repr(parameters), int(lasers.kit[i])
            groups.setdefault(key, (batch, parameters, []))[2].append(i)
    return [(np.array(ids, np.int64), batch(ids, parameters, threads))
            for batch, parameters, ids in groups.values()]


# Robots of a batch that controllers drive, as in a run: the same bits.

class _Team(NamedTuple):
    """The controllers of one world."""

    scenario: Scenario  # with seed and goals of the episode
    controllers: ControllerSet | None = None  # made in its first turn

    def copy(self) -> _Team:
        """Return a team that goes on for itself."""
        return _Team(self.scenario, deepcopy(self.controllers, {id(self.scenario): self.scenario}))


class Controlled:
    """The robots of K worlds that controllers drive.

    Parameters
    ----------
    robots : their numbers, the same in all worlds
    scenarios : all that the worlds may play, loaded with their controllers

    Raises
    ------
    InputError
        for a robot without a controller that we make.

    """

    def __init__(self, robots: Sequence[int], scenarios: Collection[Scenario]) -> None:
        self.robots = tuple(robots)
        self.senses: set[str] = set()  # names of the sensors that the controllers read
        for scenario in scenarios:
            for robot in (scenario.robots[i] for i in self.robots):
                if is_outside(robot.controller):
                    raise InputError(f'{scenario.name}: controller {robot.controller} drives no '
                                     'robots of worlds; give another one')
                self.senses |= {*observed_fields(scenario, robot)}
        self.teams: list[_Team] = []

    def phases(self, simulation: Simulation, lasers: Lasers) -> list[Interpreted]:
        """Return what comes before robots move: the turns of the controllers."""
        robots = np.array(self.robots, np.int64)

        def decide(first: int, end: int) -> None:
            for k in range(first, end):
                scenario, controllers = self.teams[k]
                if controllers is None:
                    controllers = ControllerSet(scenario, lasers, announcing=False, batched=False,
                                                only=self.robots)
                    self.teams[k] = _Team(scenario, controllers)
                snapshot = Snapshot.of(simulation, k=k)
                found = controllers.decide(snapshot, scenario.rate.stamp_ns(snapshot.tick))
                rows = k * len(scenario.robots) + robots
                simulation.state.command[rows] = found.commands[robots]
                simulation.state.rab_next[rows] = found.rab_data[robots]
        return [decide] if len(robots) else []

    def begin(self, scenarios: Sequence[Scenario], seeds: Integers, chosen: Integers) -> None:
        """Take new controllers for the chosen ones of K worlds."""
        if self.robots and not self.teams:
            self.teams = [_Team(one) for one in scenarios]
        for k in chosen.tolist() if self.robots else ():
            one = scenarios[k]  # objects of the user's are of one world; classes stay
            self.teams[k] = _Team(replace(one, seed=int(seeds[k]), given=deepcopy(one.given)))

    def restore(self, chosen: Integers, teams: Sequence[_Team]) -> None:
        """Let the chosen worlds go on with saved teams: one, or as many as chosen."""
        for k, team in zip(chosen.tolist(), cycle(teams), strict=False):
            self.teams[k] = team.copy()

    def aim(self, k: int, goals: Floats) -> None:
        """Give the robots of world k, which is at tick 0, other goals (N, 2) m; NaN: none."""
        one = self.teams[k].scenario
        self.teams[k] = _Team(replace(one, robots=tuple(
            replace(robot, goal=None if x != x else (x, y))
            for robot, (x, y) in zip(one.robots, goals.tolist(), strict=True))))
