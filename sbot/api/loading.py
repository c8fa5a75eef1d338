# SPDX-License-Identifier: Apache-2.0
"""Scenarios from files, texts and dicts: ``sbot.load`` (docs/python.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sbot.scenario.load import (
    changed_scenario,
    load_scenario,
    log_warned,
    parse_scenario,
    scenario_from_mapping,
)
from sbot.scenario.model import Scenario
from sbot_common.errors import InputError, bad_value

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from sbot.api.overrides import SeededOverrides

Source = Scenario | Mapping[str, Any] | str | Path
Sources = Source | Sequence[Source]  # one, or several that worlds share out


def load(source: Source, /, *, controllers: Mapping[str, Any] | None = None,
         **overrides: Unpack[SeededOverrides]) -> Scenario:
    """Return a complete, checked scenario.

    If the source is a ``Scenario``, it is loaded again with the overrides, so a new seed gives
    groups of robots new places.

    Parameters
    ----------
    source : the name of a shipped scenario, a path (``.yaml``, ``.argos``, ``.world``), YAML text
        (it has a line break), or a dict with the keys of docs/scenario.md. In a dict, a robot's
        ``controller`` may be a class or an object.
    controllers : classes or objects by their names in a text or a recording
    overrides : values that replace those of the source, e.g. ``duration=5``; for a dotted key
        path use ``**{'wind.wind_speed_mean': 0.3}``

    Raises
    ------
    InputError
        one line with file, line, key path, value and what was expected.

    """
    return loaded(source, overrides, controllers)


def load_uncontrolled(scenario: Source, overrides: Mapping[str, object]) -> Scenario:
    """Return a scenario whose controllers are not used.

    So a controller may still lack its file, for example a network that is to be evolved, and
    nothing of controllers and of ``until`` is executed.

    Raises
    ------
    InputError
        as ``load`` does, and for ``controllers`` among the overrides.

    """
    if 'controllers' in overrides:
        raise InputError('controllers cannot be combined with worlds, which you command yourself; '
                         'leave controllers out')
    return loaded(scenario, overrides, None, controlled=False)


def loaded(source: Source, overrides: Mapping[str, object],
           controllers: Mapping[str, Any] | None, *, controlled: bool = True) -> Scenario:
    """Return a scenario; not ``controlled``: its controllers are neither imported nor checked."""
    if isinstance(source, Scenario):
        given = {**source.given, **(controllers or {})}
        if not overrides and given == source.given:
            return source
        return changed_scenario(source, overrides, given if controlled else None)
    if isinstance(source, Mapping):
        return scenario_from_mapping(source, overrides, controllers,
                                     import_controllers=controlled)
    if isinstance(source, str) and '\n' in source:
        return parse_scenario(source, 'scenario', Path.cwd(), overrides=overrides,
                              controllers=controllers, import_controllers=controlled,
                              tell=log_warned)
    if callable(getattr(source, 'scenario', None)):  # of sbot.learn
        raise bad_value('scenario', f'an object of {type(source).__name__}', 'a scenario; did you '
                        'mean .scenario(seed) of the object?')
    if not isinstance(source, str | Path):
        raise bad_value('scenario', source, 'a name, a path, YAML text, a dict or a Scenario')
    return load_scenario(str(source), overrides, controllers, import_controllers=controlled)
