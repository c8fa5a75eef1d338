"""Warnings about parameters of controllers that are allowed, but hardly meant."""

from __future__ import annotations

from collections.abc import Iterator

from sbot.controllers.registry import NONE, entry_of
from sbot.files.yaml_text import Origins
from sbot.scenario.checks.conditions import BODY, conditions_of
from sbot.scenario.controllers import controller_parameters
from sbot.scenario.model import Scenario, ScenarioFile
from sbot_common.errors import first_of


def doubtful_parameters(written: ScenarioFile, scenario: Scenario,
                        origins: Origins) -> Iterator[str]:
    """Yield a warning for each doubt of a controller about its parameters.

    Entries of robots with the same doubt share a warning, which names the first place.
    """
    places: dict[tuple[str, str], dict[str, None]] = {}  # by key and text
    now = conditions_of(scenario)
    first = 0  # robot of an entry
    for k, entry in enumerate(written.robots):
        robot, first = scenario.robots[first], first + (entry.count or 1)
        if robot.controller == NONE:
            continue
        parameters = controller_parameters(scenario, robot)
        doubts = entry_of(robot.controller).doubts(
            parameters, scenario.bodies[robot.body], {**now, BODY: robot.body})
        for key, text in doubts:
            place = origins.where(('robots', k, 'parameters', key) if key in entry.parameters
                                  else ('controllers', robot.controller, key))
            places.setdefault((key, text), {})[place] = None
    for (_, text), found in places.items():
        yield f'{first_of(list(found), 1)}: {text}'
