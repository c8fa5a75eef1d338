# SPDX-License-Identifier: Apache-2.0
"""The executable `sbot_sim`: simulator node of a scenario, with recorder and summary."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterable, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

from sbot.controllers.registry import is_outside
from sbot.ros.domain import claim
from sbot.ros.executables import STATUS_FD
from sbot.ros.processes import refuse_until
from sbot.runner.loop import broadcast_options, open_recorder
from sbot.runner.summary import Tally
from sbot.scenario.assemble import initial_poses, simulation_parameters
from sbot.scenario.controllers import external_robots
from sbot.scenario.fields import FASTEST, SLOWEST
from sbot.scenario.load import load_scenario, parse_scenario
from sbot.scenario.model import Scenario
from sbot_common import ros, topics
from sbot_common.errors import bad_value, one_line
from sbot_common.params import Spec, specs_of
from sbot_common.topics import Outgoing
from sbot_sim.engine.simulation import Engine
from sbot_sim.messages.broadcast import Broadcast, Interfaces
from sbot_sim.ros.node import SimulatorNode
from sbot_sim.ros.run_control import Options, Setup
from sbot_sim.worlds.parameters import SimulationParameters
from wind_model.grid import Lattice
from wind_model.gust import Wind

_STATUS_PERIOD = 0.1  # s of wall time

_FIXED = (
    Spec('scenario', '', '', 'Scenario file, or name of a shipped scenario.', at_runtime=False),
    Spec('scenario_text', '', '', 'The scenario itself (YAML), instead of `scenario`.',
         at_runtime=False),
    Spec('record', '', '', 'New directory for a recording; empty: none.', at_runtime=False),
    Spec('endless', False, '', 'Do not stop after the duration of the scenario.',
         at_runtime=False),
)


def _changeable(scenario: Scenario) -> tuple[Spec, ...]:
    return (
        Spec('target_real_time_factor', scenario.target_real_time_factor, '',
             'Simulated seconds per second; 0: as fast as possible, or 1 without lockstep.',
             minimum=0.0, maximum=FASTEST),
        Spec('lockstep_timeout', scenario.lockstep_timeout, 's',
             'Lockstep: the run ends if a robot is silent for longer than this.', minimum=0.0,
             open_minimum=True),
        Spec('cmd_vel_timeout', scenario.cmd_vel_timeout, 's',
             'Free-running: a robot stops when its cmd_vel is older (simulated time); 0: it never '
             'stops.',
             minimum=0.0),
    )


def _checked(options: dict[str, float]) -> dict[str, float]:
    """Return options of the run, or raise InputError for a factor that no timer keeps to."""
    factor = options.get('target_real_time_factor', 0.0)
    if 0 < factor < SLOWEST:
        raise bad_value('parameter target_real_time_factor', factor,
                        f'0, or a number from {SLOWEST:g} to {FASTEST:g}')
    return options


def _preload(scenario: Scenario, parameters: SimulationParameters) -> None:
    """Do two ticks of a simulation that nobody sees, with a wind field and without.

    Machine code is loaded when it is first called: on a busy machine for seconds, which would
    then pass between ticks 0 and 1.
    """
    rehearsal = Engine(parameters, initial_poses(scenario), scenario.seed)
    tally = Tally(scenario, parameters)
    corner = np.arange(2.0)
    z = np.broadcast_to(corner[:, np.newaxis, np.newaxis], (2, 2, 2)).copy()
    field = Lattice(corner, corner, z, *np.zeros((3, 2, 2, 2)))
    for wind in (Wind.still(), Wind.still()._replace(field=field)):
        tally.add(rehearsal.snapshot)
        rehearsal.advance(np.zeros((len(scenario.robots), 3)), wind, rehearsal.snapshot.rab_data)
    list(Broadcast(parameters, broadcast_options(scenario)).snapshot(rehearsal.snapshot, 1))


def _ros_distribution() -> str:
    """Return the name of the ROS 2 distribution that nodes run on: 'jazzy', ...; '' if unknown."""
    if os.environ.get('ROS_DISTRO'):  # a sourced installation
        return os.environ['ROS_DISTRO']
    for name in ('jazzy', 'kilted', 'lyrical', 'rolling'):
        try:
            version(f'ros-{name}-rclpy')  # a wheel
        except PackageNotFoundError:
            continue
        return name
    return ''


class _ScenarioObserver:
    """Run observer: recorder, summary, progress for `sbot up`."""

    def __init__(self, scenario: Scenario, engine: Engine, record: str, ticks: int) -> None:
        self._scenario, self._ticks = scenario, ticks
        self._parameters = engine.parameters
        self._recorder = open_recorder(record, scenario, _ros_distribution()) if record else None
        self._early: list[tuple[int, Outgoing]] = []  # of the first tick, until it has ended
        self.recording = self._recorder is not None
        self._status = int(os.environ[STATUS_FD]) if STATUS_FD in os.environ else None
        self.reset()

    def reset(self) -> None:
        """Begin again at tick 0."""
        self._tally = Tally(self._scenario, self._parameters)
        self._started: float | None = None
        self._reported = 0.0

    def tick(self, engine: Engine) -> None:
        """Add a tick to the tally; now and then report progress."""
        now = time.perf_counter()
        if self._started is None:
            self._started = now
            for stamp_ns, message in self._early:
                self._write(stamp_ns, message)
            self._early.clear()
        self._tally.add(engine.snapshot)
        if now - self._reported >= _STATUS_PERIOD:
            self._reported = now
            self._report({'tick': self._tally.ticks, 'ticks': self._ticks})

    def alive(self) -> None:
        """Tell `sbot up` that the node runs, be it paused."""
        self._report({'tick': self._tally.ticks, 'ticks': self._ticks})

    def failed(self, reason: str) -> bool:
        """Tell `sbot up`, if it is there, why the run fails: it says so in its last line."""
        self._report({'failed': one_line(reason)})
        return self._status is not None

    def record(self, stamp_ns: int, messages: Iterable[Outgoing]) -> None:
        """Record messages of a stamp."""
        for message in messages if self.recording else ():
            if self._started is not None:
                self._write(stamp_ns, message)
            else:
                self._early.append((stamp_ns, message))

    def _write(self, stamp_ns: int, message: Outgoing) -> None:
        if self._recorder is not None:
            name, topic, payload = message
            self._recorder.write(name, topic, stamp_ns, payload)

    def close(self) -> None:
        """Finish the bag, hand over the summary; both say whether the run came to its end."""
        ended = f'at tick {self._tally.ticks} of {self._ticks}'
        cut_short = '' if self._tally.ticks >= self._ticks else ended
        if self._recorder is not None:
            if cut_short:
                self._recorder.cut_short(cut_short)
            self._recorder.close()
        summary = None if self._started is None else self._tally.summary(
            time.perf_counter() - self._started)
        self._report({'summary': summary, 'cut_short': cut_short})

    def _report(self, status: dict[str, Any]) -> None:
        if self._status is not None:
            try:
                line = (json.dumps(status) + '\n').encode()
                while line:  # a pipe may take a long line in parts
                    line = line[os.write(self._status, line):]
            except BrokenPipeError:
                self._status = None


class ScenarioSimulator(SimulatorNode):
    """The simulator of the scenario that its parameters name."""

    _claim: int | None = None  # of the domain

    def close(self) -> None:
        """Let the observer finish, and other simulations have the domain."""
        super().close()
        if self._claim is not None:
            os.close(self._claim)
            self._claim = None

    def build(self) -> Setup:
        """Claim the domain, and return what the parameters say."""
        self._claim = claim(self.context.get_domain_id(),
                            self.resolve_topic_name(topics.CLOCK.name))
        values = ros.declare(self, (*_FIXED, *specs_of(Interfaces)))
        if values['scenario_text']:
            scenario = parse_scenario(values['scenario_text'], 'scenario_text', Path.cwd())
        else:
            scenario = load_scenario(values['scenario'] or 'leader_follower')
        refuse_until(scenario)
        options = ros.declare(self, _changeable(scenario),
                              lambda new: self.change(**_checked(new)))
        _checked(options)
        ticks = 0 if values['endless'] else scenario.rate.ticks(scenario.duration)
        parameters = simulation_parameters(scenario)
        _preload(scenario, parameters)
        broadcast = broadcast_options(scenario)
        interfaces = Interfaces(*(values[name] or getattr(broadcast.interfaces, name)
                                  if name == 'publish_scan' else values[name]
                                  for name in Interfaces._fields))
        engine = Engine(parameters, initial_poses(scenario), scenario.seed)
        return Setup(
            engine, Broadcast(parameters, broadcast._replace(interfaces=interfaces)),
            Options(rate=scenario.rate, ticks=ticks, lockstep=scenario.lockstep,
                    wind_parts=('velocity', 'force', *['gust'] * broadcast.gust),
                    awaited=[not is_outside(robot.controller) for robot in scenario.robots],
                    external=external_robots(scenario),
                    record_topics=scenario.record_topics if scenario.lockstep else (), **options),
            _ScenarioObserver(scenario, engine, values['record'], ticks),
            [robot.body for robot in scenario.robots])


def main(argv: Sequence[str] | None = None) -> int:
    """Run until the duration is over or a signal comes; 0, 1 after an error, 2 for bad input."""
    return ros.run(ScenarioSimulator, sys.argv if argv is None else ['sbot_sim', *argv])
