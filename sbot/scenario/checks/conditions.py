"""Conditions under which networks learn and drive: rate, body and settings of sensors, by key."""

from __future__ import annotations

from sbot.controllers.neural.network import Value
from sbot.scenario.groups import group_in_words
from sbot.scenario.model import Scenario

RATE, BODY, SENSORS = 'rate', 'body', 'sensors.'


def conditions_of(scenario: Scenario) -> dict[str, Value]:
    """Return rate (Hz), body and settings of all sensors of a scenario, by key.

    The body is left out if the robots have several.
    """
    bodies = {robot.body for robot in scenario.robots}
    values: dict[str, Value] = {RATE: scenario.rate.hz}
    if len(bodies) == 1:
        values[BODY] = bodies.pop()
    for name, value in group_in_words(scenario.sensors).items():
        if isinstance(value, str):  # a file by its name, since folders differ
            values[SENSORS + name] = value.replace('\\', '/').rpartition('/')[2]
        elif not isinstance(value, tuple):
            values[SENSORS + name] = value
    return values
