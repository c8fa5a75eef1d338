"""The executable `sbot_sim`: simulator node of a scenario, with recorder and summary."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sbot.ros.executables import STATUS_FD
from sbot.ros.processes import refuse_until
from sbot.runner.recording import open_recorder
from sbot.runner.summary import Tally
from sbot.scenario.assemble import broadcast_options, initial_poses, simulation_parameters
from sbot.scenario.load import load_scenario, parse_scenario
from sbot.scenario.model import Scenario
from sbot_common import ros
from sbot_common.params import Spec
from sbot_sim.engine.simulation import Engine
from sbot_sim.messages.broadcast import Broadcast
from sbot_sim.messages.snapshot import Outgoing
from sbot_sim.ros.node import SimulatorNode
from sbot_sim.ros.run_control import Options
from sbot_sim.ros.setup import Setup

if TYPE_CHECKING:
    from rclpy.node import Node

_STATUS_PERIOD = 0.1  # s of wall time

_FIXED = (
    Spec('scenario', '', '', 'Scenario file, or name of a shipped scenario.', at_runtime=False),
    Spec('scenario_text', '', '', 'The scenario itself (YAML), instead of `scenario`.',
         at_runtime=False),
    Spec('record', '', '', 'New directory of a bag to write; empty: none.', at_runtime=False),
    Spec('endless', False, '', 'Do not stop after the duration of the scenario.',
         at_runtime=False),
)


def _changeable(scenario: Scenario) -> tuple[Spec, ...]:
    return (
        Spec('target_real_time_factor', scenario.target_real_time_factor, '',
             'Lockstep: simulated seconds a second; 0: as fast as possible.', minimum=0.0),
        Spec('lockstep_timeout', scenario.lockstep_timeout, 's',
             'Lockstep: a robot silent for so long ends the run.', minimum=0.0, open_minimum=True),
        Spec('cmd_vel_timeout', scenario.cmd_vel_timeout, 's',
             'Free-running: a robot stops when its cmd_vel is older; 0: never.', minimum=0.0),
    )


class ScenarioObserver:
    """Run observer: recorder, summary, progress for `sbot up`."""

    def __init__(self, scenario: Scenario, engine: Engine, record: str, ticks: int) -> None:
        self._scenario, self._ticks = scenario, ticks
        self._parameters = engine.parameters
        self._recorder = open_recorder(record, scenario) if record else None
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
        self._tally.add(engine.snapshot.pose, engine.state)
        if now - self._reported >= _STATUS_PERIOD:
            self._reported = now
            self._report({'tick': self._tally.ticks, 'ticks': self._ticks})

    def record(self, stamp_ns: int, messages: Iterable[Outgoing]) -> None:
        """Record messages of a stamp."""
        if self._recorder is not None:
            for name, topic, payload in messages:
                self._recorder.write(name, topic, stamp_ns, payload)

    def close(self) -> None:
        """Finish the bag and hand over the summary."""
        if self._recorder is not None:
            self._recorder.close()
        if self._started is not None:
            self._report({'summary': self._tally.summary(time.perf_counter() - self._started)})

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

    def __init__(self, **node_options: Any) -> None:  # noqa: ANN401
        super().__init__(self._build, **node_options)

    def _build(self, node: Node) -> Setup:
        values = ros.declare(node, _FIXED)
        if values['scenario_text']:
            scenario = parse_scenario(values['scenario_text'], 'scenario_text', Path.cwd())
        else:
            scenario = load_scenario(values['scenario'] or 'leader_follower')
        refuse_until(scenario)
        options = ros.declare(node, _changeable(scenario), lambda new: self.change(**new))
        ticks = 0 if values['endless'] else scenario.rate.ticks(scenario.duration)
        parameters = simulation_parameters(scenario)
        engine = Engine(parameters, initial_poses(scenario), scenario.seed)
        return Setup(
            engine, Broadcast(parameters, broadcast_options(scenario)),
            Options(rate=scenario.rate, ticks=ticks, lockstep=scenario.lockstep,
                    awaited=[robot.controller != 'none' for robot in scenario.robots], **options),
            ScenarioObserver(scenario, engine, values['record'], ticks))


def main(argv: Sequence[str] | None = None) -> int:
    """Run until the duration is over or a signal comes; 0, 1 after an error, 2 for bad input."""
    return ros.run(ScenarioSimulator, sys.argv if argv is None else ['sbot_sim', *argv])
