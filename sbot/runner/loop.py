"""The in-process run: a pure function of scenario and seed, and the report of its wakes."""

from __future__ import annotations

import contextlib
import logging
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from sbot.controllers.entry import Batch
from sbot.controllers.registry import NONE, entry_of
from sbot.runner.history import History, Run
from sbot.runner.recording import closed, open_recorder
from sbot.runner.summary import Tally, stopping_condition
from sbot.scenario import assemble
from sbot.scenario.assemble import simulation_parameters, wind_source
from sbot.scenario.controllers import controlled_robots, controller_parameters, observed_fields
from sbot.scenario.knowledge import EXACT
from sbot.scenario.model import Scenario
from sbot.scenario.warnings import warn_of_reach
from sbot_common import topics
from sbot_common.arrays import Floats
from sbot_common.clock import NANOSECONDS
from sbot_common.compiled.threads import in_background
from sbot_common.errors import bad_value
from sbot_common.observation import OMEGA, VX, Twist
from sbot_common.random.numbers import CONTROLLER, uniforms
from sbot_common.signals import Held
from sbot_sim.engine.simulation import Engine
from sbot_sim.engine.state import Snapshot
from sbot_sim.messages.outgoing import Outgoing
from sbot_sim.sensors.laser import Lasers
from sbot_sim.sensors.range_and_bearing import neighbours
from sbot_sim.sensors.registry import sensors
from sbot_sim.worlds.parameters import SimulationParameters
from wind_model.source import Wind, WindSource
from wind_model.wake import advertised_millimetres, clamped_radius, wakes

# Supervisor of an in-process run: watches, pauses, drives robots without a controller.

class Supervisor(Protocol):
    """Interface of an observer that watches a run and may steer it (``run_scenario``).

    The wall clock may decide what a supervisor does; the recording holds it, so that everything
    else repeats bit for bit.
    """

    def show(self, snapshot: Snapshot, announced: Sequence[Outgoing]) -> None:
        """Take note of a tick: the snapshot, and the goals that controllers have announced."""

    def may_proceed(self) -> bool:
        """Return whether the tick may end; may wait a moment. Called until it is true."""

    def commands(self) -> Mapping[int, Twist]:
        """Return commands of robots with ``controller: none``; others stand still."""


# The controllers of an in-process run: snapshot in, commands out.


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

    """

    def __init__(self, scenario: Scenario, lasers: Lasers, threads: int = 1, *,
                 announcing: bool = True) -> None:
        self._announcing = announcing
        self._lasers = lasers
        self._n, self._seed = len(scenario.robots), scenario.seed
        self._batches = _batches(scenario, lasers, threads)
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
        commands, rab_data = np.zeros((self._n, 3)), snapshot.rab_data.copy()
        announced: list[Outgoing] = []
        for i, robot in self._robots.items():
            sensed = {sensor.name: sensor.observed(snapshot, self._lasers, i)
                      for sensor in self._senses[i]}
            command, goals, data = robot.step(stamp_ns, snapshot.pose, sensed)
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


def _batches(scenario: Scenario, lasers: Lasers,
             threads: int) -> list[tuple[NDArray[np.int64], Batch]]:
    """Return ids of followers that share controller, parameters and lasers; what moves them."""
    groups: dict[tuple[str, str, int], list[int]] = {}
    if scenario.knowledge != EXACT:  # each knows something else
        return []
    for i, robot in enumerate(scenario.robots):
        if i > 0 and robot.controller != NONE and entry_of(robot.controller).batch is not None:
            parameters = controller_parameters(scenario, robot)
            key = robot.controller, repr(parameters), int(lasers.kit[i])
            groups.setdefault(key, []).append(i)
    batches = []
    for (name, _, _), ids in groups.items():
        batch = entry_of(name).batch
        if batch is not None:
            parameters = controller_parameters(scenario, scenario.robots[ids[0]])
            batches.append((np.array(ids, np.int64), batch(ids, parameters, threads)))
    return batches


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
    controllers = ControllerSet(scenario, parameters.sensors.lasers, threads,
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
                engine.advance(decided.commands, wind, decided.rab_data)
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


# Wake report: wind reductions between robots at one time (document 000 section 6).

def wake_report(scenario: Scenario, time: float) -> dict[str, Any]:
    """Run a scenario up to a time (s) and return the terms of all wakes at the tick then.

    Returns
    -------
    ``time_s`` and, in ``robots``, for each robot ``id``, ``wind`` (m/s, not yet reduced), ``r``
    and ``neighbours``: ``id``, ``along`` (m), ``lateral`` (m), ``r_i`` of each robot it hears

    Raises
    ------
    InputError
        if the time is outside the run, or the scenario has no wakes.

    """
    if not scenario.wind.wakes.wake:
        raise bad_value('wind.wake', False, 'true: without it no robot is sheltered')
    if not 0 <= time <= scenario.duration:
        raise bad_value('time', time, f'from 0 to the duration ({scenario.duration:g} s)')
    tick = max(0, scenario.rate.tick(round(time * NANOSECONDS)))
    run = run_scenario(scenario.model_copy(update={
        'duration': max(tick, 1) * scenario.rate.dt}))
    pose = np.ascontiguousarray(run.poses[tick])
    parameters, source = simulation_parameters(scenario), wind_source(scenario)
    sensors = parameters.sensors
    heard = neighbours(pose, sensors.rab_range, sensors.line_of_sight)
    stamp_ns = scenario.rate.stamp_ns(tick)
    push = source.at(stamp_ns).force[:2] * parameters.dt
    wind = run.free_wind[tick] - push / parameters.bodies.mass[:, np.newaxis]
    radius = parameters.bodies.radius
    reductions, terms = wakes(parameters.wake, *heard, np.ascontiguousarray(pose[:, 2]), wind,
                              advertised_millimetres(radius), clamped_radius(radius))
    starts, indexes = heard[:2]
    return {'time_s': stamp_ns / NANOSECONDS, 'robots': [
        {'id': i, 'wind': wind[i].tolist(), 'r': float(reductions[i]), 'neighbours': [
            {'id': int(indexes[p]), 'along': float(terms[p, 0]), 'lateral': float(terms[p, 1]),
             'r_i': float(terms[p, 2])} for p in range(starts[i], starts[i + 1])]}
        for i in range(len(pose))]}
