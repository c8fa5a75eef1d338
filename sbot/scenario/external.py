"""External robots of a scenario, as lockstep waits for them."""

from __future__ import annotations

from sbot.controllers.external import ENTRY
from sbot.scenario.controllers import controller_parameters
from sbot.scenario.model import Scenario
from sbot_common.clock import NANOSECONDS
from sbot_sim.ros.external import External


def external_robots(scenario: Scenario) -> dict[int, External]:
    """Return how the node of each robot with ``controller: external`` takes part, by robot.

    None where the scenario runs by the wall clock: then nobody is waited for.
    """
    found = {}
    for i, robot in enumerate(scenario.robots):
        if scenario.lockstep and robot.controller == ENTRY.name:
            trigger, period, timeout = controller_parameters(scenario, robot)
            found[i] = External(trigger, round(period * NANOSECONDS),
                                round(timeout * NANOSECONDS))
    return found
