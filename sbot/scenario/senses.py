"""Names of sensors in `sense` of runs and worlds, checked."""

from __future__ import annotations

from collections.abc import Collection
from itertools import islice
from typing import Any

from sbot.scenario.model import Scenario
from sbot_common.errors import InputError, bad_value
from sbot_sim.sensors.registry import check_name, sensors

_MOST_NAMES = 1000


def checked_senses(given: Any, scenario: Scenario) -> list[str]:  # noqa: ANN401
    """Return names of sensors that the robots of a scenario have, each once.

    Raises
    ------
    InputError
        for anything else, a single text among it, and for a sensor that is off.

    """
    expected = f"a list of any of {', '.join(sensors())}"
    if isinstance(given, str | bytes) or not isinstance(given, Collection):
        raise bad_value('sense', given, expected)
    try:
        names = list(islice(given, _MOST_NAMES))
    except Exception:  # of a class of others
        raise bad_value('sense', given, expected) from None
    for name in names:
        check_name('sense', name)
        if not sensors()[name].is_on(scenario.sensors):
            raise InputError(f'sense: {name} needs '
                             f'sensors.{sensors()[name].switch}: true in the scenario')
    return list(dict.fromkeys(names))
