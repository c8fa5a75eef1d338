"""Controllers of a scenario: known names, good parameters, and robots that they can drive."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from sbot.controllers.entry import Sources
from sbot.controllers.registry import NONE, entry_of, names
from sbot.files.yaml_text import Origins
from sbot.scenario import groups
from sbot.scenario.controllers import controller_place
from sbot.scenario.knowledge import EXACT
from sbot.scenario.model import Scenario, ScenarioFile
from sbot_common.errors import InputError, bad_value, unknown_name


def check_controllers(written: ScenarioFile, python_path: tuple[str, ...], origins: Origins,
                       given: Mapping[str, Any] | None) -> dict[str, groups.ControllerParameters]:
    """Return the parameters of each controller in use or mentioned, sorted by name.

    Robots' own parameters are checked and stay with the robots.
    """
    first_use: dict[str, int] = {}
    for i, robot in enumerate(written.robots):
        first_use.setdefault(robot.controller, i)
    for name in written.controllers:
        # Of a module:Class that no robot has, a warning tells: another controller may be tried.
        if name not in first_use and name not in names() and ':' not in name:
            known = {*names(), *first_use}
            raise unknown_name(origins.where(('controllers', name)), name, known)
    common = {name: groups.check_common_parameters(
        name, written.controllers.get(name, {}), written.rate, origins)
        for name in sorted({*first_use, *written.controllers})}
    for name, controller in (given or {}).items():
        if name not in first_use or name in names():
            raise unknown_name('controllers', name, {*first_use} - {*names()})
        if not callable(getattr(controller, 'step', None)):
            raise bad_value(f'controllers: {name}', controller, 'a class or an object with a '
                            'method step(observation, rng)')
    sources = None if given is None else Sources(python_path, given)
    for name, i in first_use.items():
        if sources is not None and name != NONE and isinstance(common[name], dict):
            with _overrides_named(name, i, origins):
                entry_of(name).check(name, {**common[name], **written.robots[i].parameters},
                                     origins.where(('robots', i, 'controller')), sources)
    for i, robot in enumerate(written.robots):
        if robot.parameters:
            path, name = ('robots', i, 'parameters'), robot.controller
            own = groups.check_own_parameters(name, common[name], robot.parameters, path, origins)
            if sources is not None and isinstance(own, dict) and name != NONE:
                with _overrides_named(name, i, origins):
                    entry_of(name).check(name, own, origins.where(path), sources)
    return {name: values for name, values in common.items() if name != NONE}


@contextmanager
def _overrides_named(name: str, robot: int, origins: Origins) -> Iterator[None]:
    """Add to an error of a controller which of its parameters are overrides (``--set``)."""
    try:
        yield
    except InputError as error:
        places = (('robots', robot, 'parameters'), ('controllers', name))
        keys = sorted('.'.join(map(str, path)) for path in origins.overrides
                      for place in places if path[:len(place)] == place)
        if not keys:
            raise
        raise InputError(f"{error} (overrides: {', '.join(keys)})") from None


def check_robots(scenario: Scenario, origins: Origins) -> None:
    """Raise InputError for a robot that its controller cannot drive."""
    for i, robot in enumerate(scenario.robots):
        if robot.controller != NONE:
            entry = entry_of(robot.controller)
            if (entry.node_parameters or entry.outside) and scenario.knowledge != EXACT:
                raise InputError(f"{origins.where(('robots', i))}: controller {robot.controller} "
                                 'cannot be combined with knowledge: its node takes poses from '
                                 'topics, which carry the true ones')
            reason = entry.refusal(controller_place(scenario, i))
            if reason is not None:
                raise InputError(f"{origins.where(('robots', i))}: {reason}")
