# SPDX-License-Identifier: Apache-2.0
"""Load a scenario: text, overrides, checks, placement."""

from __future__ import annotations

import logging
import math
import re
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sbot.controllers.registry import name_controllers
from sbot.files.limits import MOST_DEPTH, read_within
from sbot.files.yaml_text import KeyPath, Origins, decode_text, parse_yaml, plain_values
from sbot.scenario import groups, model
from sbot.scenario.fields import declared, validate
from sbot.scenario.model import Scenario, ScenarioFile
from sbot.scenario.shipped import find_scenario
from sbot.scenario.validate import complete
from sbot.scenario.warnings import Warned, warnings_of
from sbot_common.errors import InputError, bad_value, refuse, shown, unknown_name

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from sbot.api.overrides import SeededOverrides

# Overrides of scenario values (``--set KEY=VALUE``) by dotted key path.

_INDEX = re.compile('[0-9]{1,9}')


def parse_override(text: str, option: str = '--set') -> tuple[str, object]:
    """Return (key path, value) of 'KEY=VALUE'; the value is read as YAML.

    Raises
    ------
    InputError
        if there is no '=', no key, or the value is not YAML.

    """
    key, equals, value = text.partition('=')
    key = key.strip()
    refuse((not text.isprintable() and any('\ud800' <= c <= '\udfff' for c in text),
            bad_value(option, text, 'UTF-8 text')),
           (key.count('.') > MOST_DEPTH,
            bad_value(option, key, f'a path of at most {MOST_DEPTH} keys')),
           (not equals or not all(key.split('.')),
            bad_value(option, text, 'KEY=VALUE, e.g. robots.0.goal=[10, 3]')))
    if key.startswith('controllers.') and ':' in key and not value:
        value = "''"
    parsed, _ = parse_yaml(value, f'{option} {key}')
    return key, parsed


def _apply_overrides(data: dict[str, Any], overrides: Mapping[str, object],
                     origins: Origins) -> None:
    """Put ``overrides`` into a file's values, in place; later ones win.

    Mappings on the way are made where there are none; entries of lists must exist, and `*` stands
    for each of them.

    Raises
    ------
    InputError
        if a key path runs into a value, or past the end of a list.

    """
    for dotted, value in overrides.items():
        for path in _put(data, dotted.split('.'), value, f'{origins.file}, override: {dotted}'):
            for known in [p for p in origins.lines if p[:len(path)] == path]:
                del origins.lines[known]
            origins.overrides.add(path)


def _put(here: Any, words: list[str], value: object, where: str,  # noqa: ANN401 - a list or dict
         path: KeyPath = ()) -> Iterator[KeyPath]:
    """Put a value at the key path that ``words`` make below ``path``; yield where it is now.

    There are several places where `*` stands for each entry of a list.
    """
    above, word = '.'.join(map(str, path)), words[0]
    keys: Sequence[str | int]
    if isinstance(here, list):
        if word != '*' and not (_INDEX.fullmatch(word) and int(word) < len(here)):
            raise bad_value(where, word, f'an index from 0 to {len(here) - 1}')
        keys, below = range(len(here)) if word == '*' else [int(word)], words[1:]
    elif word == '*' and path:
        raise bad_value(where, word, f"a key: '{above}' is not a list")
    elif isinstance(here, dict):
        # A known key with dots ('a.b:Class') comes first.
        count = max((n for n in range(2, len(words) + 1) if '.'.join(words[:n]) in here),
                    default=1)
        keys, below = ['.'.join(words[:count])], words[count:]
    else:
        raise InputError(f"{where}: '{above}' is {shown(here)}, which has no keys")
    for key in keys:
        if not below:
            here[key] = value
            yield (*path, key)
        else:
            inner = here.setdefault(key, {}) if isinstance(here, dict) else here[key]
            yield from _put(inner, below, value, where, (*path, key))


LOG = logging.getLogger(__name__)
log_warned: Callable[[Warned], None] = partial(LOG.warning, '%s')
UNNAMED = 'scenario'  # name of a scenario that comes from Python without one


Read = tuple[dict[str, Any], Origins]  # plain values of a scenario, and where each stands


def _of_argos(raw: bytes, file: str, overrides: Mapping[str, object]) -> Read:
    from sbot.scenario.argos import argos_scenario
    return argos_scenario(raw, file, overrides)


def _of_stage(raw: bytes, file: str, _: Mapping[str, object]) -> Read:
    from sbot.scenario.stage import stage_scenario
    return stage_scenario(raw, file)


def _of_yaml(raw: bytes, file: str, _: Mapping[str, object]) -> Read:
    return _of_text(decode_text(raw, file), file)


def _of_text(text: str, file: str) -> Read:
    data, origins = parse_yaml(text, file)
    if data is None:
        raise InputError(f'{file}: is empty; a scenario needs robots')
    if not isinstance(data, dict):
        raise bad_value(origins.where(()), data, 'a mapping with the keys of a scenario')
    return data, origins


# Readers of formats by the ends of files' names; all others are YAML.
FORMATS = {'.argos': _of_argos, '.world': _of_stage}


def load_scenario(path_or_name: str, overrides: Mapping[str, object] | None = None,
                  controllers: Mapping[str, Any] | None = None, *,
                  import_controllers: bool = True) -> Scenario:
    """Return the complete scenario of a file, or of a shipped scenario's name.

    A file whose name ends with `.argos` is an experiment of ARGoS (``scenario.argos``), one
    whose name ends with `.world` a world of Stage (``scenario.stage``).

    Parameters
    ----------
    path_or_name : a path, or a name such as 'leader_follower'
    overrides : values by dotted key path, e.g. {'seed': 2, 'robots.2.goal': [10, 3]}
    controllers : classes or objects that stand for controllers' names in the file
    import_controllers : as in ``parse_scenario``

    Raises
    ------
    InputError
        one line with file, line, key path, value and what was expected.

    """
    path = find_scenario(path_or_name)
    values, origins = FORMATS.get(path.suffix, _of_yaml)(read_within(path, typed=True), str(path),
                                                         overrides or {})
    return _checked(values, origins, path.parent, path.stem, overrides,
                    (controllers or {}) if import_controllers else None, log_warned)


def scenario_from_mapping(data: Mapping[str, Any], overrides: Mapping[str, object] | None = None,
                          controllers: Mapping[str, Any] | None = None, *,
                          import_controllers: bool = True) -> Scenario:
    """Return the complete scenario of a dict with the keys of a scenario file.

    Parameters
    ----------
    data : plain values, NumPy arrays and numbers; a robot's ``controller`` may be a class or an
        object. Relative paths start in the current folder. Not changed.
    overrides : values by dotted key path
    controllers : classes or objects by the names that ``data`` has for them
    import_controllers : as in ``parse_scenario``

    Raises
    ------
    InputError
        naming the key path, the value and what was expected.

    """
    named, given = name_controllers(data, 'scenario')
    return _checked(plain_values(named), Origins('scenario', {}, set()), Path.cwd(), UNNAMED,
                    overrides, {**given, **(controllers or {})} if import_controllers else None,
                    log_warned)


def _changed_scenario(scenario: Scenario, overrides: Mapping[str, object],
                     controllers: Mapping[str, Any] | None) -> Scenario:
    """Return a scenario as if loaded with other values: robots are placed again.

    Parameters
    ----------
    scenario : loaded before
    overrides : values by dotted key path of the scenario as it was written
    controllers : classes or objects by name; None: import none, as in ``parse_scenario``

    """
    if scenario.source is None:
        return parse_scenario(scenario.to_yaml(), scenario.name, Path.cwd(), overrides=overrides,
                              controllers=controllers, import_controllers=controllers is not None)
    return _checked(deepcopy(scenario.source.data), Origins('scenario', {}, set()),
                    scenario.source.directory, scenario.name, overrides, controllers)


def parse_scenario(text: str, file: str, directory: Path, default_name: str = UNNAMED,
                   overrides: Mapping[str, object] | None = None,
                   controllers: Mapping[str, Any] | None = None, *,
                   import_controllers: bool = True,
                   tell: Callable[[Warned], None] | None = None) -> Scenario:
    """Return the complete scenario of a YAML text, e.g. one taken from a recording.

    Parameters
    ----------
    text : the YAML
    file : what messages call it
    directory : where the relative paths in it start
    default_name : the scenario's name if the text gives none
    overrides : values by dotted key path
    controllers : classes or objects that stand for controllers' names in the text
    import_controllers : import the modules of the user's controllers and check their parameters;
        without it nothing that the text names is executed
    tell : takes each warning of a setting without effect, e.g. ``log_warned``; a recording and a
        node say nothing a second time

    """
    return _checked(*_of_text(text, file), directory, default_name, overrides,
                    (controllers or {}) if import_controllers else None, tell)


def scenario_of_parsed(data: Mapping[str, Any], origins: Origins, directory: Path,
                       default_name: str, overrides: Mapping[str, object],
                       controllers: Mapping[str, Any]) -> Scenario:
    """Return the complete scenario of the value of ``parse_yaml``; may be called repeatedly.

    ``data`` and ``origins`` are not changed; the rest is as ``parse_scenario`` takes it.
    """
    own = Origins(origins.file, dict(origins.lines), set())
    return _checked(deepcopy(dict(data)), own, directory, default_name, overrides, controllers)


def _refuse_misplaced(keys: Iterable[str], origins: Origins) -> None:
    """Raise InputError for a scenario's key that belongs into a group, and name that."""
    places = {spec.name: group for group, known in (('sensors', groups.SensorSettings()),
                                                     ('wind', groups.WindSettings()))
              for spec in groups.group_specs(known)}
    for key in keys:
        if key in places:
            raise unknown_name(origins.where((key,)), key, [f'{places[key]}.{key}'])


def _check_finite(value: object, path: KeyPath, origins: Origins) -> None:
    """Refuse NaN and infinities wherever they are."""
    if isinstance(value, float) and not math.isfinite(value):
        raise bad_value(origins.where(path), value, 'a finite number')
    if isinstance(value, Mapping):
        for key, item in value.items():
            _check_finite(item, (*path, key), origins)
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for i, item in enumerate(value):
            _check_finite(item, (*path, i), origins)


def _checked(data: dict[str, Any], origins: Origins, directory: Path, default_name: str,
             overrides: Mapping[str, object] | None,
             given: Mapping[str, Any] | None,
             tell: Callable[[Warned], None] | None = None) -> Scenario:
    """Return the complete scenario of plain values, which are changed on the way.

    ``given``: classes and objects by name; None: import no controller.
    """
    _apply_overrides(data, plain_values(overrides or {}, f'{origins.file}, override'), origins)
    _check_finite(data, (), origins)
    if data.get('name') is None:
        data['name'] = default_name
    if 'seed' in data and data['seed'] is None:
        data['seed'] = secrets.randbits(32)
    _refuse_misplaced([key for key in data if key not in declared(ScenarioFile)], origins)
    written = validate(ScenarioFile, data, origins)
    scenario = complete(written, directory, origins, given, model.Source(data, directory))
    if tell is not None:
        for warned in warnings_of(written, scenario, origins, controllers=given is not None):
            tell(warned)
    return scenario


# From whatever ``sbot.load`` takes (docs/python.md).

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
        return _changed_scenario(source, overrides, given if controlled else None)
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
