"""Scenarios in which networks learn: what a network keeps of them, and a warning elsewhere."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from neural_controller.inputs import field_of
from neural_controller.learned_with import Conditions, warning_of
from neural_controller.network import Network
from sbot.scenario.checks.conditions import BODY, RATE, SENSORS, conditions_of
from sbot.scenario.model import Scenario
from sbot_sim.sensors.registry import sensors

LOG = logging.getLogger(__name__)


def senses_of(network: Network) -> list[str]:
    """Return the sensors that the inputs of a network need."""
    return [field for field in map(field_of, network.inputs) if field is not None]


def learned_in(network: Network, scenarios: Sequence[Scenario]) -> Network:
    """Return a network that says what its inputs meant in the scenarios in which it learned.

    It keeps the rate, the body, and the settings of the sensors of its inputs. Values that differ
    between the scenarios are left out.
    """
    fields = senses_of(network)
    keys = {RATE, BODY, *(SENSORS + spec.name for name, sensor in sensors().items()
                          if name in fields for spec in sensor.specs)}
    first, *others = (conditions_of(one) for one in {id(one): one for one in scenarios}.values())
    return network._replace(learned_with=tuple(
        (key, value) for key, value in first.items()
        if key in keys and all(other.get(key) == value for other in others)))


def warn_if_unlike(network: Network, scenario: Scenario, told: set[Conditions]) -> None:
    """Log a warning, once, for a network that learned with other values than a scenario has."""
    if not network.learned_with or network.learned_with in told:
        return
    told.add(network.learned_with)
    text = warning_of(f'{scenario.name}: network', network.learned_with, conditions_of(scenario))
    if text is not None:
        LOG.warning('%s', text)
