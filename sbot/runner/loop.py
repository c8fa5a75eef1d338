"""The in-process run: a pure function of scenario and seed, without ROS."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Collection
from pathlib import Path

from sbot.runner.controller_set import ControllerSet
from sbot.runner.history import History, Run
from sbot.runner.recording import open_recorder
from sbot.runner.stopping import stopping_condition
from sbot.runner.summary import Tally
from sbot.scenario import assemble
from sbot.scenario.model import Scenario
from sbot_common import signals
from sbot_common.errors import bad_value
from sbot_common.threads import in_background
from sbot_sim.engine.simulation import Engine
from sbot_sim.engine.state import StepInputs, Wind
from sbot_sim.messages.broadcast import Broadcast
from wind_model.gust import force_at
from wind_model.uniform import mean_velocity


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
    if threads < 1:
        raise bad_value('threads', threads, 'a whole number >= 1')
    parameters = assemble.simulation_parameters(scenario, threads)
    source = assemble.wind_source(scenario)
    engine = Engine(parameters, assemble.initial_poses(scenario), scenario.seed)
    controllers = ControllerSet(scenario, parameters.sensors.scan, threads)
    tally = Tally(scenario, parameters)
    ticks = scenario.rate.ticks(scenario.duration)
    history = History(scenario, ticks if keep else -1, sense)
    stop, stopped = stopping_condition(scenario, tally), False
    recorder = broadcast = None
    started = time.perf_counter()
    with contextlib.ExitStack() as stack:
        deliver_signals = stack.enter_context(signals.held())
        if record is not None:
            recorder = open_recorder(record, scenario)
            stack.callback(recorder.close)
            broadcast = Broadcast(parameters, assemble.broadcast_options(scenario))
        for k in range(ticks + 1):
            deliver_signals()
            stamp_ns = scenario.rate.stamp_ns(k)
            snapshot = engine.snapshot
            wind = wind_at(source, stamp_ns)
            tallied = in_background(threads, len(scenario.robots), tally.add, snapshot.pose,
                                    engine.state)
            commands, announced = controllers.decide(snapshot, stamp_ns)
            history.add(snapshot, engine.state, commands)
            if recorder is not None and broadcast is not None:
                messages = list(broadcast.start(stamp_ns, wind)) if k == 0 else []
                announced += [broadcast.command(i, stamp_ns, *commands[i].tolist())
                              for i, robot in enumerate(scenario.robots)
                              if robot.controller != 'none']
                messages += broadcast.recorded(
                    stamp_ns, wind, broadcast.snapshot(snapshot, stamp_ns), announced)
                for name, topic, payload in messages:
                    recorder.write(name, topic, stamp_ns, payload)
            if stop is not None:
                tallied()
                stopped = stop(snapshot, engine.state)
            if stopped:
                break
            if k < ticks:
                engine.advance(StepInputs(commands, wind, engine.state.rab_data))
                if progress is not None:
                    progress(k + 1, ticks)
            if stop is None:
                tallied()
    return history.run(tally.summary(time.perf_counter() - started, stopped))


def wind_at(source: assemble.WindSource, stamp_ns: int) -> Wind:
    """Return the wind of a stamp as `wind_model` publishes it."""
    return Wind(mean_velocity(source.parameters), force_at(source.parameters, stamp_ns),
                source.field)
