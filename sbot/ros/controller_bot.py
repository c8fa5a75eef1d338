"""The executables `controller_bot` and `wind_aware_bot`: a controller class as a ROS 2 node."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sbot.scenario.assemble import make_controller, observed_fields
from sbot.scenario.load import parse_scenario
from sbot_common import ros
from sbot_common.errors import bad_value
from sbot_common.observation import Controller
from sbot_common.params import Spec
from sbot_common.ros.controller_host import ControllerHost

_SPECS = (
    Spec('scenario_text', '', '', 'The scenario (YAML) that names the controller.',
         at_runtime=False),
    Spec('loop_rate', 30.0, 'Hz', 'Turns a second with trigger timer.', minimum=0.0,
         open_minimum=True, at_runtime=False),
)


class ControllerNode(ControllerHost):
    """Feeds the controller of one robot of a scenario and publishes its commands."""

    def __init__(self, name: str = 'controller_bot', **options: Any) -> None:  # noqa: ANN401
        super().__init__(name, _SPECS, **options)
        scenario = parse_scenario(self.values['scenario_text'], 'scenario_text', Path.cwd())
        if self.robot_id >= len(scenario.robots):
            raise bad_value('parameter robot_id', self.robot_id,
                            f'a number below {len(scenario.robots)}, the number of robots')
        robot = scenario.robots[self.robot_id]

        def new_controller() -> Controller:
            controller = make_controller(scenario, robot)
            if controller is None:
                raise bad_value(f'scenario_text: robots.{self.robot_id}.controller', 'none',
                                'a controller')
            return controller

        self.drive(new_controller, robot.goal, scenario.rate, observed_fields(scenario, robot))


def main(argv: Sequence[str] | None = None) -> int:
    """Run until a signal; 0, or 2 for bad parameters."""
    return ros.run(ControllerNode, sys.argv if argv is None else ['controller_bot', *argv])
