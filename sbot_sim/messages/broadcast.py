"""All messages of a run, tick by tick: what the node publishes and every recording contains."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot_common import topics
from sbot_common.wire.messages import write_clock, write_string
from sbot_sim.engine.parameters import SimulationParameters
from sbot_sim.engine.state import Snapshot
from sbot_sim.messages.markers import OBSTACLE_PERIOD, obstacle_markers, robot_markers, robot_roles
from sbot_sim.messages.occupancy import fitting_resolution, map_message
from sbot_sim.messages.snapshot import EncoderOptions, Outgoing, SnapshotEncoder

Point = tuple[float, float]

MARKER_PERIOD = 0.1  # s


class BroadcastOptions(NamedTuple):
    """What is told beside the world itself."""

    scenario: str  # the scenario as run (YAML)
    goals: Sequence[Point | None]  # (N,) m
    tf_namespaced: bool = False
    poses_topic: bool = False  # all poses on `/poses`, too


class Broadcast:
    """Encodes a run's messages; ``goals`` may change while it runs."""

    def __init__(self, parameters: SimulationParameters, options: BroadcastOptions) -> None:
        self._world = parameters.world
        self._radius = parameters.bodies.radius
        self._options = options
        self._encoder = SnapshotEncoder(EncoderOptions(
            len(self._radius), parameters.sensors.scan, parameters.dt, self._radius,
            options.tf_namespaced, options.poses_topic))
        self._marker_ticks = max(1, round(MARKER_PERIOD / parameters.dt))
        self._obstacle_ticks = max(1, round(OBSTACLE_PERIOD / parameters.dt))
        self.goals: NDArray[np.float64] = np.array(
            [(np.nan, np.nan) if goal is None else goal for goal in options.goals])

    def latched(self, stamp_ns: int) -> Iterator[Outgoing]:
        """Yield what is published once, at the start."""
        yield Outgoing(topics.SCENARIO.name, topics.SCENARIO, write_string(self._options.scenario))
        yield Outgoing(topics.MAP.name, topics.MAP,
                       map_message(stamp_ns, self._world, fitting_resolution(self._world)))
        yield from self._encoder.static(stamp_ns)

    def clock(self, stamp_ns: int) -> Outgoing:
        """Return the time of a tick."""
        return Outgoing(topics.CLOCK.name, topics.CLOCK, write_clock(stamp_ns))

    def snapshot(self, snapshot: Snapshot, stamp_ns: int) -> Iterator[Outgoing]:
        """Yield a tick's poses and scans, then the rest."""
        yield from self._encoder.snapshot(snapshot, stamp_ns)
        if snapshot.tick % self._marker_ticks == 0:
            roles = robot_roles(snapshot.twist, snapshot.wind, snapshot.free_wind)
            yield Outgoing(topics.MARKERS.name, topics.MARKERS, robot_markers(
                stamp_ns, snapshot.pose, self._radius, roles, snapshot.wind, self.goals))
        if snapshot.tick % self._obstacle_ticks == 0:
            yield Outgoing(topics.MARKERS.name, topics.MARKERS,
                           obstacle_markers(stamp_ns, self._world))

    def inputs(self, snapshot: Snapshot, robot: int, stamp_ns: int) -> Iterator[Outgoing]:
        """Yield again what one robot's controller waits for at a tick."""
        yield from self._encoder.inputs(snapshot, robot, stamp_ns)
