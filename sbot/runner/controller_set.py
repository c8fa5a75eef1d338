"""The controllers of an in-process run: snapshot in, commands out, the same as the nodes give."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from potential_field_bot.bot import PotentialField
from potential_field_bot.parameters import Parameters
from potential_field_bot.swarm import Followers
from sbot.scenario.assemble import controller_parameters, goals, make_controller
from sbot.scenario.model import Scenario
from sbot.scenario.user_controller import ask
from sbot_common import topics
from sbot_common.observation import Controller, Neighbours, Observation, Scan
from sbot_common.rng import CONTROLLER, generator
from sbot_common.topics import Topic
from sbot_common.wire.messages import write_pose
from sbot_sim.engine.state import Snapshot
from sbot_sim.messages.snapshot import Outgoing
from sbot_sim.sensors.scan import ScanParameters

Array = NDArray[np.float64]
Point = tuple[float, float]

# From so many followers with common parameters on, one compiled call for all of them pays.
_CROWD = 8


def observation(snapshot: Snapshot, scan: ScanParameters, robot: int, stamp_ns: int, dt: float,
                goal: Point | None) -> Observation:
    """Return what one robot's controller sees of a snapshot; it cannot change the snapshot."""
    neighbours = None
    if snapshot.heard_sent:
        starts, indexes, ranges, bearings = snapshot.heard
        row = slice(int(starts[robot]), int(starts[robot + 1]))
        neighbours = Neighbours(ranges[row].astype(np.float32), bearings[row].astype(np.float32),
                                snapshot.rab_data[indexes[row]])
    infrared = None if snapshot.infrared is None else _locked(snapshot.infrared[robot, :, -1])
    wx, wy = snapshot.wind[robot].tolist()
    vx, vy, omega = snapshot.twist[robot].tolist()
    return Observation(
        robot, len(snapshot.pose), snapshot.tick, stamp_ns, dt, _locked(snapshot.pose),
        Scan(_locked(snapshot.ranges[robot]), scan.angle_min, scan.angle_increment, scan.range_min,
             scan.range_max), goal, infrared, neighbours, (wx, wy), (vx, vy, omega))


def _locked(array: NDArray[Any]) -> NDArray[Any]:
    """Return a view that cannot be written to."""
    view = array.view()
    view.flags.writeable = False
    return view


class Team:
    """All controllers of a scenario, with their generators.

    Robots with ``none`` get the command (0, 0).
    """

    def __init__(self, scenario: Scenario, scan: ScanParameters, threads: int = 1) -> None:
        self._scenario = scenario
        self._scan = scan
        self._n = len(scenario.robots)
        self._goals = goals(scenario)
        self._crowds = self._form_crowds(threads)
        in_crowds = {i for ids, _ in self._crowds for i in ids}
        self._controllers: list[Controller | None] = [
            None if i in in_crowds else make_controller(scenario, robot)
            for i, robot in enumerate(scenario.robots)]
        self._generators = [generator(scenario.seed, i, CONTROLLER) for i in range(self._n)]

    def _form_crowds(self, threads: int) -> list[tuple[list[int], Followers]]:
        """Return the potential-field followers that share all parameters, in groups."""
        groups: dict[str, tuple[Parameters, list[int]]] = {}
        for i, robot in enumerate(self._scenario.robots):
            parameters = controller_parameters(self._scenario, robot)
            if i > 0 and isinstance(parameters, Parameters):
                groups.setdefault(repr(parameters), (parameters, []))[1].append(i)
        return [(ids, Followers(ids, parameters, threads))
                for parameters, ids in groups.values() if len(ids) >= _CROWD]

    def decide(self, snapshot: Snapshot, stamp_ns: int) -> tuple[Array, list[Outgoing]]:
        """Return the commands (N, 2) m/s, rad/s, and what the leader announces."""
        commands = np.zeros((self._n, 2))
        announced: list[Outgoing] = []
        dt = self._scenario.rate.dt
        for i, controller in enumerate(self._controllers):
            if controller is None:
                continue
            seen = observation(snapshot, self._scan, i, stamp_ns, dt, self._goals[i])
            known_goals = controller.goals if isinstance(controller, PotentialField) else 0
            commands[i] = ask(controller, seen, self._generators[i])
            if not isinstance(controller, PotentialField):
                if snapshot.tick == 0 and self._goals[i] is not None:
                    announced.append(self._pose(topics.GOAL, i, stamp_ns, self._goals[i]))
            elif i == 0:
                announced += self._announcements(controller, known_goals, stamp_ns)
        for ids, crowd in self._crowds:
            commands[ids] = crowd.step(snapshot.pose, snapshot.ranges, self._scan.angle_min,
                                       self._scan.angle_increment,
                                       [self._generators[i] for i in ids])
        return commands, announced

    def _announcements(self, bot: PotentialField, known_goals: int,
                       stamp_ns: int) -> Iterator[Outgoing]:
        """Yield what the node `potfield_bot` publishes beside its command."""
        events = ((topics.GOAL_REACHED, bot.just_reached),
                  (topics.GOAL, bot.goal if bot.goals != known_goals else None))
        for topic, goal in events:
            if goal is not None:
                yield self._pose(topic, 0, stamp_ns, goal)

    def _pose(self, topic: Topic, robot: int, stamp_ns: int, goal: Point | None) -> Outgoing:
        assert goal is not None
        return Outgoing(topics.resolve(topic, robot, self._n), topic,
                        write_pose(stamp_ns, 'map', *goal))
