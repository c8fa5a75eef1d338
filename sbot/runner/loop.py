"""The in-process run: a pure function of scenario and seed, without ROS."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Collection
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sbot.runner.controller_set import Team
from sbot.runner.history import History, Run
from sbot.runner.recording import open_recorder
from sbot.runner.summary import Tally
from sbot.scenario.assemble import (
    WindSource,
    broadcast_options,
    initial_poses,
    simulation_parameters,
    wind_source,
)
from sbot.scenario.model import Scenario
from sbot_common import signals, topics
from sbot_common.threads import in_background
from sbot_common.wire.messages import write_twist, write_twist_stamped
from sbot_sim.engine.simulation import Engine
from sbot_sim.engine.state import StepInputs, Wind
from sbot_sim.messages.broadcast import Broadcast
from sbot_sim.messages.snapshot import Outgoing
from wind_model import messages as wind_messages
from wind_model.gust import force_at
from wind_model.uniform import mean_velocity

Array = NDArray[np.float64]


def run_scenario(scenario: Scenario, *, record: str | Path | None = None, threads: int = 1,
                 progress: Callable[[int, int], None] | None = None,
                 keep: bool = True, sense: Collection[str] = ()) -> Run:
    """Run a scenario to its end.

    Parameters
    ----------
    scenario : from ``load_scenario``
    record : directory of the bag to write
    threads : how many to use; changes no bit of the result
    progress : called with (ticks done, all ticks) after each tick
    keep : keep poses, commands and wind of every tick; without it those arrays are empty
    sense : which of ``history.SENSORS`` to keep, too

    Raises
    ------
    InputError
        if the bag or a file that the scenario names cannot be used, or ``sense`` names what the
        robots do not have.

    """
    parameters = simulation_parameters(scenario, threads)
    source = wind_source(scenario)
    engine = Engine(parameters, initial_poses(scenario), scenario.seed)
    team = Team(scenario, parameters.sensors.scan, threads)
    tally = Tally(scenario, parameters)
    ticks = scenario.rate.ticks(scenario.duration)
    history = History(scenario, ticks if keep else -1, sense)
    recorder = told = None
    started = time.perf_counter()
    with contextlib.ExitStack() as stack:
        heed_signals = stack.enter_context(signals.held())
        if record is not None:
            recorder = open_recorder(record, scenario)
            stack.callback(recorder.close)
            told = _Told(scenario, Broadcast(parameters, broadcast_options(scenario)))
        for k in range(ticks + 1):
            heed_signals()
            stamp_ns = scenario.rate.stamp_ns(k)
            snapshot = engine.snapshot
            wind = wind_at(source, stamp_ns)
            tallied = in_background(threads, len(scenario.robots), tally.add, snapshot.pose,
                                    engine.state)
            commands, announced = team.decide(snapshot, stamp_ns)
            history.add(snapshot, engine.state, commands)
            if recorder is not None and told is not None:
                for name, topic, payload in told.tick(engine, source, wind, commands, announced,
                                                      stamp_ns):
                    recorder.write(name, topic, stamp_ns, payload)
            if k < ticks:
                engine.advance(StepInputs(commands, wind, engine.state.rab_data))
                if progress is not None:
                    progress(k + 1, ticks)
            tallied()
    return history.run(tally.summary(time.perf_counter() - started))


def wind_at(source: WindSource, stamp_ns: int) -> Wind:
    """Return the wind of a stamp as `wind_model` publishes it."""
    return Wind(mean_velocity(source.parameters), force_at(source.parameters, stamp_ns),
                source.field)


class _Told:
    """What all nodes together would have published, for the recorder."""

    def __init__(self, scenario: Scenario, broadcast: Broadcast) -> None:
        self._scenario = scenario
        self._broadcast = broadcast
        self._n = len(scenario.robots)

    def tick(self, engine: Engine, source: WindSource, wind: Wind, commands: Array,
             announced: list[Outgoing], stamp_ns: int) -> list[Outgoing]:
        """Return one tick's messages in the order of a lockstep run."""
        out: list[Outgoing] = []
        if engine.state.tick == 0:
            out += self._broadcast.latched(stamp_ns)
            height = self._scenario.wind.flow.wind_height
            out.append(Outgoing(topics.WIND_FIELD.name, topics.WIND_FIELD,
                                wind_messages.encode_field(0, source.field)))
            out.append(Outgoing(topics.WIND_MARKERS.name, topics.WIND_MARKERS,
                                wind_messages.encode_markers(0, source.field, wind.velocity,
                                                             height)))
        out.append(self._broadcast.clock(stamp_ns))
        out.append(Outgoing(topics.WIND_VELOCITY.name, topics.WIND_VELOCITY,
                            wind_messages.encode_vector(stamp_ns, wind.velocity)))
        out.append(Outgoing(topics.WIND_FORCE.name, topics.WIND_FORCE,
                            wind_messages.encode_vector(stamp_ns, wind.force)))
        out += self._broadcast.snapshot(engine.snapshot, stamp_ns)
        out += announced
        out += [self.command(i, stamp_ns, *commands[i].tolist()) for i in range(self._n)
                if self._scenario.robots[i].controller != 'none']
        return out

    def command(self, robot: int, stamp_ns: int, v: float, omega: float) -> Outgoing:
        """Return one robot's command."""
        if self._scenario.cmd_vel_stamped:
            topic = topics.CMD_VEL_STAMPED
            frame = topics.frame('base_link', robot, self._n)
            payload = write_twist_stamped(stamp_ns, frame, v, omega)
        else:
            topic, payload = topics.CMD_VEL, write_twist(v, omega)
        return Outgoing(topics.resolve(topic, robot, self._n), topic, payload)
