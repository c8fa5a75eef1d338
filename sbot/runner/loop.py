"""The in-process run: a pure function of scenario and seed, without ROS."""

from __future__ import annotations

import contextlib
import logging
import time
from collections.abc import Callable, Collection
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sbot.controllers.registry import NONE
from sbot.runner.controller_set import ControllerSet
from sbot.runner.history import History, Run
from sbot.runner.operator import Operator
from sbot.runner.recording import closed, open_recorder
from sbot.runner.stopping import stopping_condition
from sbot.runner.summary import Tally
from sbot.scenario import assemble
from sbot.scenario.checks.wind_reach import warn_of_reach
from sbot.scenario.model import Scenario
from sbot_common.compiled.threads import in_background
from sbot_common.errors import bad_value
from sbot_common.signals.deferral import held
from sbot_common.twist import Twist
from sbot_sim.engine.simulation import Engine
from sbot_sim.engine.state import StepInputs
from sbot_sim.sensors.range_and_bearing import set_data

LOG = logging.getLogger(__name__)


def run_scenario(scenario: Scenario, *, record: str | Path | None = None, threads: int = 1,
                 progress: Callable[[int, int], None] | None = None,
                 keep: bool = True, sense: Collection[str] = (),
                 overlaps: bool = True, hashed: bool = True,
                 operator: Operator | None = None) -> Run:
    """Run a scenario to its end.

    Parameters
    ----------
    scenario : from ``load_scenario``
    record : directory of the bag to write
    threads : how many to use; changes no bit of the result
    progress : called with (ticks done, all ticks) after each tick
    keep : keep poses, commands and wind of every tick; without it those arrays are empty
    sense : names of sensors to keep, too
    overlaps : count overlaps from the geometry in every tick, for the summary
    hashed : hash the trajectory, for the summary
    operator : watches, pauses, and drives the robots with ``controller: none``

    Raises
    ------
    InputError
        if the bag or a file that the scenario names cannot be used, or ``sense`` names what the
        robots do not have.
    UserCodeError
        if a user's controller, hook or condition raises.

    """
    if threads < 1:
        raise bad_value('threads', threads, 'a whole number >= 1')
    parameters = assemble.simulation_parameters(scenario, threads)
    source = assemble.wind_source(scenario)
    warn_of_reach(scenario, source.field)
    engine = Engine(parameters, assemble.initial_poses(scenario), scenario.seed)
    controllers = ControllerSet(scenario, parameters.sensors.scan, threads,
                                announcing=record is not None or operator is not None)
    tally = Tally(scenario, parameters, overlaps=overlaps, hashed=hashed)
    ticks = scenario.rate.ticks(scenario.duration)
    history = History(scenario, ticks if keep else -1, sense)
    stop, stopped = stopping_condition(scenario, tally), False
    recorder = broadcast = None
    started = time.perf_counter()
    with contextlib.ExitStack() as stack:
        deliver_signals = stack.enter_context(held())
        if record is not None:
            from sbot_sim.messages.broadcast import Broadcast  # ROS' definitions take a while
            recorder = open_recorder(record, scenario)
            stack.enter_context(closed(
                recorder, lambda: f'at tick {engine.tick} of {ticks}'))
            broadcast = Broadcast(parameters, assemble.broadcast_options(scenario))
        for k in range(ticks + 1):
            deliver_signals()
            stamp_ns = scenario.rate.stamp_ns(k)
            wind = source.at(stamp_ns)
            engine.sense_wind(wind)
            snapshot = engine.snapshot
            tallied = in_background(threads, len(scenario.robots), tally.add, snapshot)
            commands, announced, broadcasts = controllers.decide(snapshot, stamp_ns)
            if operator is not None:
                operator.show(snapshot, announced)
                while not operator.may_go_on():
                    deliver_signals()
                for i, command in operator.commands().items():
                    commands[i] = command
            history.add(snapshot, commands)
            if recorder is not None and broadcast is not None:
                messages = list(broadcast.start(stamp_ns, wind)) if k == 0 else []
                announced += [broadcast.command(i, stamp_ns, Twist(*commands[i].tolist()))
                              for i, robot in enumerate(scenario.robots)
                              if robot.controller != NONE or operator is not None]
                messages += broadcast.recorded(
                    stamp_ns, wind, (*broadcast.snapshot(snapshot, stamp_ns),
                                     *broadcast.felt(snapshot, stamp_ns)), announced)
                for name, topic, payload in messages:
                    recorder.write(name, topic, stamp_ns, payload)
            if stop is not None:
                tallied()
                stopped = stop(snapshot)
            if stopped:
                break
            if k < ticks:
                engine.advance(StepInputs(commands, wind,
                                          set_data(snapshot.rab_data, broadcasts)))
                if progress is not None:
                    progress(k + 1, ticks)
            if stop is None:
                tallied()
    invalid = controllers.invalid_turns()
    _warn_of_invalid_turns(invalid, tally.ticks + 1)
    return history.run(tally.summary(time.perf_counter() - started, stopped, invalid))


def _warn_of_invalid_turns(counts: NDArray[np.int64], turns: int) -> None:
    """Warn of robots that stood still because a force was not a number (docs/errata.md P2)."""
    worst = int(counts.argmax())
    if counts[worst]:
        LOG.warning('%d robots had turns whose force was not a number, and stood still in these; '
                    'robot %d in %d of %d', np.count_nonzero(counts), worst, counts[worst], turns)
