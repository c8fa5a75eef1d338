"""Users' functions in a scenario: hooks of the wind, and the condition ``until``."""

from __future__ import annotations

from collections.abc import Sequence

from sbot.controllers.user import load_function
from sbot.files.yaml_text import Origins
from sbot.scenario import groups
from sbot.scenario.fields import FUNCTION
from sbot.scenario.model import Robot, ScenarioFile
from sbot_common.errors import InputError, bad_value


def check_hooks(wind: groups.WindSettings, python_path: tuple[str, ...], origins: Origins,
                 import_them: bool) -> bool:
    """Check the user's functions in the impulse pipeline; tell whether there are any."""
    where = groups.below(('wind',), origins)
    for key, name in wind.hooks._asdict().items():
        if name and not FUNCTION.fullmatch(name):
            raise bad_value(where(key), name, "'module:function'")
    if wind.hooks.blocking_function and not wind.wakes.wake:
        raise InputError(f"{where('blocking_function')} needs wakes; add wake: true")
    if import_them:
        for key, name in wind.hooks._asdict().items():
            if name:
                load_function(name, python_path, where(key))
    return any(wind.hooks)


def check_until(written: ScenarioFile, robots: Sequence[Robot], python_path: tuple[str, ...],
                 origins: Origins, import_it: bool) -> bool:
    """Refuse a condition that cannot come true; tell whether it is a function of the user's."""
    until, where = written.until, origins.where(('until',))
    if until == 'goal_reached' and all(robot.goal is None for robot in robots):
        raise InputError(f"{where}: goal_reached needs a robot with a goal; give one a 'goal'")
    if until is None or ':' not in until:
        return False
    if import_it:
        load_function(until, python_path, where)
    return True
