"""The controllers of an in-process run: snapshot in, commands out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot.controllers.entry import Batch
from sbot.controllers.registry import NONE, entry_of
from sbot.scenario.controllers import controlled_robots, controller_parameters, observed_fields
from sbot.scenario.knowledge import EXACT
from sbot.scenario.model import Scenario
from sbot_common import topics
from sbot_common.observation import Inputs
from sbot_common.random.numbers import uniforms
from sbot_common.random.purposes import CONTROLLER
from sbot_common.twist import OMEGA, VX
from sbot_sim.engine.state import Snapshot
from sbot_sim.messages.outgoing import Outgoing
from sbot_sim.sensors.registry import sensors
from sbot_sim.sensors.scan import ScanParameters

Array = NDArray[np.float64]


class Decisions(NamedTuple):
    """What the controllers decide at a tick."""

    commands: Array  # (N, 3) as in ``StepInputs``
    announced: list[Outgoing]  # goals and broadcasts, as messages
    broadcasts: dict[int, bytes]  # robots' new ones


class ControllerSet:
    """All controllers of a scenario, with their random numbers.

    Robots with ``none`` get the command to stand still.

    Parameters
    ----------
    scenario, scan, threads : whose controllers, what they scan with, how many threads to use
    announcing : whether somebody wants the messages of goals and broadcasts

    """

    def __init__(self, scenario: Scenario, scan: ScanParameters, threads: int = 1, *,
                 announcing: bool = True) -> None:
        self._announcing = announcing
        self._scan = scan
        self._n, self._seed = len(scenario.robots), scenario.seed
        self._batches = _batches(scenario, threads)
        batched = {i for ids, _ in self._batches for i in ids.tolist()}
        self._robots = controlled_robots(
            scenario, [i for i in range(self._n) if i not in batched])
        self._senses = {i: [sensors()[field] for field in observed_fields(
            scenario, scenario.robots[i])] for i in self._robots}

    def invalid_turns(self) -> NDArray[np.int64]:
        """Return how many turns (N,) had no command, as the force or the pose was not a number."""
        counts = np.zeros(self._n, np.int64)
        for i, robot in self._robots.items():
            turns = getattr(robot.controller, 'invalid_turns', 0)
            counts[i] = turns if isinstance(turns, int) else 0
        for ids, followers in self._batches:
            counts[ids] = followers.invalid_turns
        return counts

    def decide(self, snapshot: Snapshot, stamp_ns: int) -> Decisions:
        """Let all controllers take a turn."""
        commands = np.zeros((self._n, 3))
        announced: list[Outgoing] = []
        broadcasts: dict[int, bytes] = {}
        for i, robot in self._robots.items():
            sensed = {sensor.name: sensor.observed(snapshot, self._scan, i)
                      for sensor in self._senses[i]}
            command, goals, data = robot.step(Inputs(stamp_ns, snapshot.pose, sensed))
            commands[i] = command
            if data is not None:
                broadcasts[i] = data
            if self._announcing and (goals or data is not None):
                announced += self._announcements(i, stamp_ns, goals, data)
        for ids, followers in self._batches:
            draws = uniforms(self._seed, CONTROLLER, ids, snapshot.tick, 1)[:, 0]
            commands[ids[:, np.newaxis], (VX, OMEGA)] = followers.step(
                snapshot.pose, snapshot.ranges, self._scan.angle_min, self._scan.angle_increment,
                draws)
        return Decisions(commands, announced, broadcasts)

    def _announcements(self, i: int, stamp_ns: int, goals: Iterable[tuple[topics.Topic, Any]],
                       data: bytes | None) -> Iterator[Outgoing]:
        """Yield the messages of a robot's goals and broadcast."""
        from sbot_common.wire.messages import write_broadcast, write_pose
        for topic, goal in goals:
            yield Outgoing(topics.resolve(topic, i, self._n), topic,
                           write_pose(stamp_ns, 'map', *goal))
        if data is not None:
            yield Outgoing(topics.resolve(topics.RAB_DATA, i, self._n), topics.RAB_DATA,
                           write_broadcast(data))


def _batches(scenario: Scenario, threads: int) -> list[tuple[NDArray[np.int64], Batch]]:
    """Return ids of followers that share a controller and its parameters, and what moves them."""
    groups: dict[tuple[str, str], list[int]] = {}
    if scenario.knowledge != EXACT:  # each knows something else
        return []
    for i, robot in enumerate(scenario.robots):
        if i > 0 and robot.controller != NONE and entry_of(robot.controller).batch is not None:
            parameters = controller_parameters(scenario, robot)
            groups.setdefault((robot.controller, repr(parameters)), []).append(i)
    batches = []
    for (name, _), ids in groups.items():
        batch = entry_of(name).batch
        if batch is not None:
            parameters = controller_parameters(scenario, scenario.robots[ids[0]])
            batches.append((np.array(ids, np.int64), batch(ids, parameters, threads)))
    return batches
