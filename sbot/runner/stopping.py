"""Stopping conditions: what ends a run before its duration (a scenario's ``until``)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from sbot.controllers.user import load_function
from sbot.runner.summary import Tally
from sbot.scenario.model import Scenario
from sbot_common.errors import bad_value
from sbot_common.user_code import call_user_code
from sbot_sim.engine.state import Snapshot

Condition = Callable[[Snapshot], bool]


def stopping_condition(scenario: Scenario, tally: Tally) -> Condition | None:
    """Return a function that tells, once a tick is in the tally, whether the run ends.

    Parameters
    ----------
    scenario : its ``until`` may be a function ``module:function``, called with each tick's
        Snapshot; the run ends when it is true
    tally : of the run

    """
    until = scenario.until
    if until is None:
        return None
    if until == 'goal_reached':
        return lambda _: tally.all_arrived
    if until == 'collision':
        return lambda snapshot: bool(snapshot.collided.any())
    function = load_function(until, scenario.python_path, 'until')
    def ends(snapshot: Snapshot) -> bool:
        def where() -> str:
            return f'until: {until} at tick {snapshot.tick}'
        answer = call_user_code(partial(function, snapshot), where)
        try:
            return bool(answer)
        except (TypeError, ValueError):  # e.g. of an array
            raise bad_value(where(), answer, 'True or False') from None
    return ends
