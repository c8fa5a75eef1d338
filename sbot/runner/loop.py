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
from sbot.runner.controller_set import ControllerSet, Decisions
from sbot.runner.history import History, Run
from sbot.runner.recording import closed, open_recorder
from sbot.runner.stopping import stopping_condition
from sbot.runner.summary import Tally
from sbot.runner.supervisor import Supervisor
from sbot.scenario import assemble
from sbot.scenario.checks.wind_reach import warn_of_reach
from sbot.scenario.model import Scenario
from sbot_common.compiled.threads import in_background
from sbot_common.errors import bad_value
from sbot_common.signals import Held
from sbot_common.twist import Twist
from sbot_sim.engine.simulation import Engine
from sbot_sim.engine.state import Snapshot, StepInputs
from sbot_sim.sensors.range_and_bearing import set_data
from sbot_sim.worlds.parameters import SimulationParameters
from wind_model.source import Wind, WindSource

LOG = logging.getLogger(__name__)


def run_scenario(scenario: Scenario, *, record: str | Path | None = None, threads: int = 1,
                 progress: Callable[[int, int], None] | None = None,
                 keep: bool = True, sense: Collection[str] = (),
                 overlaps: bool = True, hashed: bool = True,
                 supervisor: Supervisor | None = None) -> Run:
    """Run a scenario to its end.

    Parameters
    ----------
    scenario : from ``load_scenario``
    record, threads, progress, keep, sense, overlaps, hashed : as ``sbot.run`` takes them
    supervisor : watches, pauses, and drives the robots with ``controller: none``

    Raises
    ------
    InputError
        if the bag or a file that the scenario names cannot be used, or ``sense`` names what the
        robots do not have.
    UserCodeError
        if a user's controller, hook or condition raises.

    """
    parameters, source, engine = _beginning(scenario, threads)
    controllers = ControllerSet(scenario, parameters.sensors.scan, threads,
                                announcing=record is not None or supervisor is not None)
    tally = Tally(scenario, parameters, overlaps=overlaps, hashed=hashed)
    ticks = scenario.rate.ticks(scenario.duration)
    history = History(scenario, ticks if keep else -1, sense)
    stop, stopped = stopping_condition(scenario, tally), False
    started = time.perf_counter()
    with Held() as signals, contextlib.ExitStack() as stack:
        recording = None if record is None else _Recording(
            stack, record, parameters, scenario, lambda: f'at tick {engine.tick} of {ticks}',
            all_robots=supervisor is not None)
        for k in range(ticks + 1):
            signals.deliver()
            stamp_ns = scenario.rate.stamp_ns(k)
            engine.sense_wind(wind := source.at(stamp_ns))
            snapshot = engine.snapshot
            tallied = in_background(threads, len(scenario.robots), tally.add, snapshot)
            decided = controllers.decide(snapshot, stamp_ns)
            if supervisor is not None:
                _ask_supervisor(supervisor, snapshot, decided, signals)
            history.add(snapshot, decided.commands)
            if recording is not None:
                recording.write(stamp_ns, wind, snapshot, decided)
            if stop is not None:
                tallied()
                stopped = stop(snapshot)
                if stopped:
                    break
            if k < ticks:
                engine.advance(StepInputs(decided.commands, wind,
                                          set_data(snapshot.rab_data, decided.broadcasts)))
                if progress is not None:
                    progress(k + 1, ticks)
            if stop is None:
                tallied()
    invalid = _invalid_turns(controllers, tally.ticks + 1)
    return history.run(tally.summary(time.perf_counter() - started, stopped, invalid))


def _beginning(scenario: Scenario,
               threads: int) -> tuple[SimulationParameters, WindSource, Engine]:
    if threads < 1:
        raise bad_value('threads', threads, 'a whole number >= 1')
    parameters = assemble.simulation_parameters(scenario, threads)
    source = assemble.wind_source(scenario)
    warn_of_reach(scenario, source.field)
    return parameters, source, Engine(parameters, assemble.initial_poses(scenario), scenario.seed)


def _ask_supervisor(supervisor: Supervisor, snapshot: Snapshot, decided: Decisions,
                    signals: Held) -> None:
    """Show a tick, wait while the supervisor pauses, and take over its commands."""
    supervisor.show(snapshot, decided.announced)
    while not supervisor.may_proceed():
        signals.deliver()
    for i, command in supervisor.commands().items():
        decided.commands[i] = command


class _Recording:
    """A new bag of a run, closed with ``stack``; ``where`` says where it was cut short."""

    def __init__(self, stack: contextlib.ExitStack, record: str | Path,
                 parameters: SimulationParameters, scenario: Scenario, where: Callable[[], str],
                 *, all_robots: bool) -> None:
        from sbot_sim.messages.broadcast import Broadcast  # ROS' definitions take a while
        self._recorder = open_recorder(record, scenario)
        stack.enter_context(closed(self._recorder, where))
        self._broadcast = Broadcast(parameters, assemble.broadcast_options(scenario))
        self._commanded = [i for i, robot in enumerate(scenario.robots)
                           if robot.controller != NONE or all_robots]
        self._begun = False

    def write(self, stamp_ns: int, wind: Wind, snapshot: Snapshot, decided: Decisions) -> None:
        """Write all messages of a tick."""
        broadcast = self._broadcast
        messages = [] if self._begun else list(broadcast.start(stamp_ns, wind))
        self._begun = True
        announced = [*decided.announced,
                     *(broadcast.command(i, stamp_ns, Twist(*decided.commands[i].tolist()))
                       for i in self._commanded)]
        messages += broadcast.recorded(
            stamp_ns, wind, (*broadcast.snapshot(snapshot, stamp_ns),
                             *broadcast.sensed_wind(snapshot, stamp_ns)), announced)
        for name, topic, payload in messages:
            self._recorder.write(name, topic, stamp_ns, payload)


def _invalid_turns(controllers: ControllerSet, turns: int) -> NDArray[np.int64]:
    """Return the turns (N,) whose force was not a number, and warn of them (docs/errata.md P2)."""
    counts = controllers.invalid_turns()
    worst = int(counts.argmax())
    if counts[worst]:
        LOG.warning('the force on %d robots was not a number in some turns, and they stood still '
                    'in these; robot %d has the most such turns: %d of %d',
                    np.count_nonzero(counts), worst, counts[worst], turns)
    return counts
