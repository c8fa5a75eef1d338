"""Warnings about parameters of controllers that are allowed, but hardly meant."""

from __future__ import annotations

import logging

from sbot.controllers.registry import NONE, entry_of
from sbot.files.yaml_text import Origins
from sbot.scenario.controllers import controller_parameters
from sbot.scenario.model import Scenario, ScenarioFile

LOG = logging.getLogger(__name__)


def warn_of_doubtful(written: ScenarioFile, scenario: Scenario, origins: Origins) -> None:
    """Log a warning for each entry of robots whose controller doubts its parameters.

    Entries with the same parameters of `controllers` share a warning.
    """
    said = set()
    first = 0  # robot of an entry
    for k, entry in enumerate(written.robots):
        robot, first = scenario.robots[first], first + (entry.count or 1)
        if robot.controller == NONE:
            continue
        parameters = controller_parameters(scenario, robot)
        doubts = entry_of(robot.controller).doubts(
            parameters, scenario.sensors.scan.scan_beams, scenario.bodies[robot.body])
        for key, text in doubts:
            place = origins.where(('robots', k, 'parameters', key) if key in entry.parameters
                                  else ('controllers', robot.controller, key))
            if (place, text) not in said:
                said.add((place, text))
                LOG.warning('%s: %s', place, text)
