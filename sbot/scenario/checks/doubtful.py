"""Warnings about parameters of controllers that are allowed, but hardly meant."""

from __future__ import annotations

from collections.abc import Iterator

from sbot.controllers.registry import NONE, entry_of
from sbot.files.yaml_text import Origins
from sbot.scenario.checks.conditions import conditions_of
from sbot.scenario.controllers import controller_parameters
from sbot.scenario.model import Scenario, ScenarioFile


def doubtful_parameters(written: ScenarioFile, scenario: Scenario,
                        origins: Origins) -> Iterator[str]:
    """Yield a warning for each entry of robots whose controller doubts its parameters.

    Entries with the same parameters of `controllers` share a warning.
    """
    warnings: dict[str, None] = {}
    first = 0  # robot of an entry
    for k, entry in enumerate(written.robots):
        robot, first = scenario.robots[first], first + (entry.count or 1)
        if robot.controller == NONE:
            continue
        parameters = controller_parameters(scenario, robot)
        doubts = entry_of(robot.controller).doubts(
            parameters, scenario.bodies[robot.body], conditions_of(scenario, robot))
        for key, text in doubts:
            place = origins.where(('robots', k, 'parameters', key) if key in entry.parameters
                                  else ('controllers', robot.controller, key))
            warnings[f'{place}: {text}'] = None
    yield from warnings
