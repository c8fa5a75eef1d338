# SPDX-License-Identifier: Apache-2.0
"""Robots of a batch that controllers of their scenarios drive, as in a run: the same bits."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from copy import deepcopy
from dataclasses import replace
from itertools import cycle
from typing import NamedTuple

import numpy as np

from sbot.controllers.registry import is_outside
from sbot.runner.session import ControllerSet
from sbot.scenario.controllers import observed_fields
from sbot.scenario.model import Scenario
from sbot_common.arrays import Floats, Integers
from sbot_common.errors import InputError
from sbot_sim.engine.many import Simulation
from sbot_sim.engine.simulation import snapshot_of
from sbot_sim.sensors.laser import Lasers
from sbot_sim.worlds.batch import Interpreted


class Team(NamedTuple):
    """The controllers of one world."""

    scenario: Scenario  # with seed and goals of the episode
    controllers: ControllerSet | None = None  # made in its first turn

    def copy(self) -> Team:
        """Return a team that goes on for itself."""
        return Team(self.scenario, deepcopy(self.controllers, {id(self.scenario): self.scenario}))


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
        self.teams: list[Team] = []

    def phases(self, simulation: Simulation, lasers: Lasers) -> list[Interpreted]:
        """Return what comes before robots move: the turns of the controllers."""
        robots = np.array(self.robots, np.int64)

        def decide(first: int, end: int) -> None:
            for k in range(first, end):
                scenario, controllers = self.teams[k]
                if controllers is None:
                    controllers = ControllerSet(scenario, lasers, announcing=False, batched=False,
                                                only=self.robots)
                    self.teams[k] = Team(scenario, controllers)
                snapshot = snapshot_of(simulation, k=k)
                found = controllers.decide(snapshot, scenario.rate.stamp_ns(snapshot.tick))
                rows = k * len(scenario.robots) + robots
                simulation.state.command[rows] = found.commands[robots]
                simulation.state.rab_next[rows] = found.rab_data[robots]
        return [decide] if len(robots) else []

    def begin(self, scenarios: Sequence[Scenario], seeds: Integers, chosen: Integers) -> None:
        """Take new controllers for the chosen ones of K worlds."""
        if self.robots and not self.teams:
            self.teams = [Team(one) for one in scenarios]
        for k in chosen.tolist() if self.robots else ():
            one = scenarios[k]  # objects of the user's are of one world; classes stay
            self.teams[k] = Team(replace(one, seed=int(seeds[k]), given=deepcopy(one.given)))

    def restore(self, chosen: Integers, teams: Sequence[Team]) -> None:
        """Let the chosen worlds go on with saved teams: one, or as many as chosen."""
        for k, team in zip(chosen.tolist(), cycle(teams), strict=False):
            self.teams[k] = team.copy()

    def aim(self, k: int, goals: Floats) -> None:
        """Give the robots of world k, which is at tick 0, other goals (N, 2) m; NaN: none."""
        one = self.teams[k].scenario
        self.teams[k] = Team(replace(one, robots=tuple(
            replace(robot, goal=None if x != x else (x, y))
            for robot, (x, y) in zip(one.robots, goals.tolist(), strict=True))))
