# SPDX-License-Identifier: Apache-2.0
"""The in-process run: a pure function of scenario and seed; its recording and wake report."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from sbot.controllers.registry import NONE
from sbot.runner.controllers import Decisions
from sbot.runner.history import Run
from sbot.runner.session import Session
from sbot.scenario import assemble
from sbot.scenario.controllers import controller_parameters
from sbot.scenario.model import Scenario
from sbot.scenario.shipped import find_file, named_files, portable
from sbot.version import THIS, signed
from sbot_common.clock import NANOSECONDS
from sbot_common.errors import InputError, bad_value, open_regular
from sbot_common.observation import Twist
from sbot_common.signals import Held
from sbot_common.topics import Outgoing
from sbot_sim.engine.simulation import Snapshot
from sbot_sim.sensors.range_and_bearing import neighbours
from sbot_sim.worlds.parameters import SimulationParameters
from wind_model.gust import Wind
from wind_model.wake import advertised_millimetres, clamped_radius, wakes

if TYPE_CHECKING:
    from sbot.bag.recorder import Recorder
    from sbot_sim.messages.broadcast import BroadcastOptions

# Supervisor of an in-process run: watches, pauses, drives robots without a controller.

class _Supervisor(Protocol):
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


def run_scenario(scenario: Scenario, *, record: str | Path | None = None, threads: int | str = 1,
                 progress: Callable[[int, int], None] | None = None,
                 keep: bool = True, sense: Collection[str] = (),
                 overlaps: bool = True, hashed: bool = True,
                 supervisor: _Supervisor | None = None, keep_empty: bool = False) -> Run:
    """Run a scenario to its end.

    Parameters
    ----------
    scenario : from ``load_scenario``
    record, threads, progress, keep, sense, overlaps, hashed : as ``sbot.run`` takes them
    supervisor : watches, pauses, and drives the robots with ``controller: none``
    keep_empty : keep a bag without a message, of a run that fails in its first tick

    Raises
    ------
    InputError
        if the bag or a file that the scenario names cannot be used, or ``sense`` names what the
        robots do not have.
    UserCodeError
        if a user's controller, hook or condition raises.

    """
    if record is not None and scenario.record_topics:
        raise bad_value('record_topics', list(scenario.record_topics),
                        '[] without nodes (sbot up has them): --set record_topics=[]')
    ticks = scenario.rate.ticks(scenario.duration)
    session = Session(scenario, threads=threads, keep=keep, sense=sense, overlaps=overlaps,
                      hashed=hashed, batched=True,
                      announcing=record is not None or supervisor is not None)
    with Held() as signals, ExitStack() as stack:
        recording = None if record is None else _Recording(
            stack, record, session.parameters, scenario,
            lambda: f'at tick {session.tick} of {ticks}', all_robots=supervisor is not None,
            keep_empty=keep_empty)

        def attend(stamp_ns: int, wind: Wind, snapshot: Snapshot, decided: Decisions) -> None:
            if supervisor is not None:
                _ask_supervisor(supervisor, snapshot, decided, signals)
            if recording is not None:
                recording.write(stamp_ns, wind, snapshot, decided)
        while not session.ended:
            signals.deliver()
            session.turn(attend)
            if progress is not None and not session.ended:
                progress(session.tick, ticks)
    return session.result()


def _ask_supervisor(supervisor: _Supervisor, snapshot: Snapshot, decided: Decisions,
                    signals: Held) -> None:
    """Show a tick, wait while the supervisor pauses, and take over its commands."""
    supervisor.show(snapshot, decided.announced)
    while not supervisor.may_proceed():
        signals.deliver()
    for i, command in supervisor.commands().items():
        decided.commands[i] = command


class _Recording:
    """A new bag of a run, closed with ``stack``; ``where`` says where it was cut short."""

    def __init__(self, stack: ExitStack, record: str | Path,
                 parameters: SimulationParameters, scenario: Scenario, where: Callable[[], str],
                 *, all_robots: bool, keep_empty: bool) -> None:
        from sbot_sim.messages.broadcast import Broadcast  # ROS' definitions take a while
        self._recorder = open_recorder(record, scenario, keep_empty=keep_empty)
        stack.enter_context(_closed(self._recorder, where))
        self._broadcast = Broadcast(parameters, broadcast_options(scenario))
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


def broadcast_options(scenario: Scenario) -> BroadcastOptions:
    """Return the settings of a run's messages beyond the simulator's parameters."""
    from sbot_sim.messages.broadcast import BroadcastOptions, Interfaces
    from sbot_sim.messages.markers import ZoneSign
    zones = tuple(ZoneSign(zone.name, zone.center, zone.radius,
                           _shares(assemble.zone_colour(zone)))
                  for zone in scenario.world.zones)
    interfaces = Interfaces(publish_scan=any(
        body.own.get('publish_scan', False) for body in scenario.bodies.values()))
    return BroadcastOptions(signed(scenario.to_yaml()), [robot.goal for robot in scenario.robots],
                            tf_namespaced=scenario.tf_namespaced,
                            poses_topic=scenario.poses_topic,
                            cmd_vel_stamped=scenario.cmd_vel_stamped,
                            gust=scenario.wind.flow.wind_gust_speed_mean > 0,
                            interfaces=interfaces, zones=zones)


def _shares(colour: str) -> tuple[float, float, float]:
    """Return red, green and blue (0 to 1) of #rrggbb."""
    red, green, blue = bytes.fromhex(colour[1:])
    return red / 255.0, green / 255.0, blue / 255.0


# Digests (SHA-256) of controllers' files, e.g. networks, which tell later whether one changed.

FILES = 'files'  # key of a recording's metadata: a JSON object of digests by path
_AT_ONCE = 1 << 20  # bytes


def _noted_files(scenario: Scenario) -> dict[str, str]:
    """Return metadata of a recording: the digests of its controllers' files; {} without files."""
    digests = {portable(path): _digest(path) for path in _files(scenario)}
    return {FILES: json.dumps(digests)} if digests else {}


def changed_files(metadata: Mapping[str, str], scenario: Scenario) -> list[str]:
    """Return the files whose content has changed since they were noted.

    Parameters
    ----------
    metadata : of the recording
    scenario : of the replay. A file that it does not use, as an override names another, is left
        out

    """
    try:
        noted = json.loads(metadata.get(FILES, '{}'))
    except (ValueError, RecursionError):
        return []
    used, changed = set(_files(scenario)), []
    for name, digest in noted.items() if isinstance(noted, dict) else ():
        with suppress(InputError):  # it is gone, so nothing uses it
            path = find_file(name, Path.cwd(), FILES)
            if path in used and _digest(path) != digest:
                changed.append(path)
    return changed


def _files(scenario: Scenario) -> Iterator[str]:
    """Yield the files that controllers' parameters name, each once."""
    yield from dict.fromkeys(
        path for robot in scenario.robots if robot.controller != NONE
        for path in named_files(robot.controller, controller_parameters(scenario, robot)).values())


def _digest(path: str) -> str:
    """Return a file's SHA-256 in hexadecimal digits; '' if it cannot be read."""
    digest = hashlib.sha256()
    with suppress(OSError, ValueError, InputError), open_regular(path) as file:
        while data := file.read(_AT_ONCE):
            digest.update(data)
        return digest.hexdigest()
    return ''


def open_recorder(directory: str | Path, scenario: Scenario,
                  ros_distro: str = '', *, keep_empty: bool = False) -> Recorder:
    """Return a recorder into a new directory; scenario, seed and version are in the bag.

    So is what its random numbers are made with, which tells old recordings, and digests of the
    controllers' files. ``ros_distro``: the ROS 2 distribution whose nodes run; '': none.

    Raises
    ------
    InputError
        if the directory exists or cannot be made.

    """
    from sbot.bag.recorder import (
        DISTRIBUTION,
        Recorder,  # with ROS' message definitions
    )
    return Recorder(directory, ros_distro=ros_distro or DISTRIBUTION, keep_empty=keep_empty,
                    metadata={
        'scenario': scenario.to_yaml(), 'seed': str(scenario.seed), **THIS._asdict(),
        **_noted_files(scenario)})


@contextmanager
def _closed(recorder: Recorder, where: Callable[[], str]) -> Iterator[None]:
    """Close a recorder at the end of a block; an exception leaves a bag that was cut short.

    Parameters
    ----------
    recorder : to close
    where : called then, returns e.g. 'at tick 50 of 450'

    """
    with recorder:
        try:
            yield
        except BaseException as error:
            recorder.cut_short(f'{where()}: {error}' if str(error) else where())
            raise


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
    run = run_scenario(replace(scenario, duration=max(tick, 1) * scenario.rate.dt))
    pose = np.ascontiguousarray(run.poses[tick])
    parameters, source = assemble.simulation_parameters(scenario), assemble.wind_source(scenario)
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
