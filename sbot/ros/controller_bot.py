# SPDX-License-Identifier: Apache-2.0
"""The executables `controller_bot` and `wind_aware_bot`: a controller class as a ROS 2 node."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sbot.controllers.registry import entry_of
from sbot.scenario.controllers import make_controller, observed_fields
from sbot.scenario.load import parse_scenario
from sbot.scenario.model import Scenario
from sbot_common import ros, topics
from sbot_common.controller_inputs import Inputs
from sbot_common.errors import InputError, bad_value
from sbot_common.observation import (
    Controller,
    Neighbours,
    Odometry,
    Scan,
    make_observation,
)
from sbot_common.params import Spec
from sbot_common.ros.controller_host import ControllerHost
from sbot_sim.messages.broadcast import status_of
from sbot_sim.sensors.range_and_bearing import DATA_BYTES
from sbot_sim.sensors.registry import codecs, sensors

_SPECS = (
    Spec('scenario_text', '', '', 'The scenario (YAML) that names the controller.',
         at_runtime=False),
    Spec('loop_rate', 30.0, 'Hz', 'Turns per second with trigger timer.', minimum=0.0,
         open_minimum=True, at_runtime=False),
)

_ONE = np.ones(1, np.float32)
# Values of the types that messages are read as.
_SENSED = {'scan': Scan(_ONE, 0.0, 0.5, 0.0, 2.0), 'infrared': np.zeros(15, np.float32),
           'neighbours': Neighbours(_ONE, _ONE, np.zeros((1, DATA_BYTES), np.uint8)),
           'wind': (0.0, 0.0), 'twist': (0.0, 0.0, 0.0),
           'odometry': Odometry(0.0, 0.0, 0.0, 0.0, 0.0)}


class ControllerNode(ControllerHost):
    """Feeds the controller of one robot of a scenario and publishes its commands."""

    def __init__(self, name: str = 'controller_bot', **options: Any) -> None:  # noqa: ANN401
        super().__init__(name, _SPECS, **options)
        self._reason = ''
        scenario = parse_scenario(self.values['scenario_text'], 'scenario_text', Path.cwd())
        if self.robot_id >= len(scenario.robots):
            raise bad_value('parameter robot_id', self.robot_id,
                            f'a number below {len(scenario.robots)}, the number of robots')
        robot = scenario.robots[self.robot_id]

        def new_controller() -> Controller:
            controller = make_controller(scenario, self.robot_id)
            if controller is None:
                raise bad_value(f'scenario_text: robots.{self.robot_id}.controller', 'none',
                                'a controller')
            return controller

        entry, fields = entry_of(robot.controller), observed_fields(scenario, robot)
        if entry.may_preload:  # a class of the user's may do anything
            _preload(new_controller(), self.robot_id, scenario, fields)
        entry.warm_up()
        self.drive(new_controller, robot.goal, scenario.rate, fields,
                   holonomic=scenario.bodies[robot.body].is_holonomic, codecs=codecs())

    def report(self, inputs: Inputs) -> None:
        """Say on `/diagnostics`, and in the log, why the robot stands, and when it goes on."""
        reason = getattr(self._robot.controller, 'reason', '')
        if isinstance(reason, str) and reason != self._reason:
            if topics.DIAGNOSTICS.name not in self._outputs:
                self.advertise(topics.DIAGNOSTICS)
            self.publish(topics.DIAGNOSTICS, status_of(
                inputs.stamp_ns, self.get_fully_qualified_name(), 'goal', reason or 'on its way',
                warns=bool(reason)))
            self.log_state('stands:', [reason] * bool(reason))
            self._reason = reason


def _preload(controller: Controller, robot_id: int, scenario: Scenario,
             fields: Sequence[str]) -> None:
    """Let a controller take a turn that nobody sees: that loads its machine code.

    It would else be loaded at tick 0 while all others wait, on a busy machine for seconds.
    """
    kernels = {field: sensors()[field].kernel for field in fields}
    sensed = {field: _SENSED[field] for field in fields if field in _SENSED} | {
        field: kernel.value(*[0.0] * len(kernel.columns)) for field, kernel in kernels.items()
        if kernel is not None}
    observation = make_observation(robot_id, scenario.rate, (1.0, 1.0), 1,
                                   np.zeros((len(scenario.robots), 3)), sensed)
    with contextlib.suppress(InputError):  # e.g. a sensor that is missing; said at tick 0
        controller.step(observation, np.random.default_rng(0))


def main(argv: Sequence[str] | None = None) -> int:
    """Run until a signal; 0, or 2 for bad parameters."""
    return ros.run(ControllerNode, sys.argv if argv is None else ['controller_bot', *argv])
