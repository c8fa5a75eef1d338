# SPDX-License-Identifier: Apache-2.0
"""The question before code of others is executed: of a recording, or of a packed run."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from sbot.controllers.registry import NONE, entry_of, is_shipped
from sbot.scenario.controllers import controller_parameters
from sbot.scenario.model import Scenario
from sbot.scenario.shipped import find_file, own_folders
from sbot_common.errors import InputError, one_line, real_path


def ask_for_trust(what: str, scenario: Scenario, overrides: Mapping[str, object],
                  packed: Sequence[str] | None = None) -> None:
    """Ask before code is executed that a recording names: modules of folders, and policy files.

    Not asked about is what is installed, this package with its own folders, and what the
    overrides name, which are the user's.

    Parameters
    ----------
    what : names the recording or packed run, for messages
    scenario : of it, without its controllers imported
    overrides : of the user
    packed : modules in a packed run, for which nobody is asked: it needs the option

    Raises
    ------
    InputError
        if the answer is no, or nobody can be asked.

    """
    programs = list(dict.fromkeys(_programs(scenario)))
    named = (*(robot.controller for robot in scenario.robots), *scenario.wind.hooks,
             scenario.until or '', *_imported_by(programs))
    names = list(dict.fromkeys(name for name in named if ':' in name and not is_shipped(name)))
    given = {os.path.abspath(value) for value in _texts(overrides)}
    files = [path for path in programs if path not in given and not _is_own(path)]
    folders = [] if 'python_path' in overrides else [
        folder for folder in scenario.python_path if not _is_own(folder)]
    places = ', '.join(packed or folders)
    if packed is not None:  # in a temporary folder
        files = [os.path.join(*Path(path).parts[-2:]) for path in files]
    parts = [f'code from {places} ({", ".join(names)})'] * bool(names and folders)
    parts += [f'the function in {", ".join(files)}'] * bool(files)
    if not parts:
        return
    text = one_line(f'{what} runs {" and ".join(parts)}')
    if packed is not None or not sys.stdin.isatty():
        raise InputError(f'{text}; if you trust it, add --trust')
    print(f'{text}. Continue? [y/N] ', end='', file=sys.stderr, flush=True)
    if sys.stdin.readline().strip().lower() not in ('y', 'yes'):
        raise InputError(f'{what} is not run')


def _imported_by(programs: Iterable[str]) -> Iterator[str]:
    """Yield the functions that files of policies import, from the recording's folders, too."""
    from sbot.controllers.neural.function_policy import read_policy
    for path in programs:
        with contextlib.suppress(InputError):  # a replay with the file says so
            yield read_policy(path).name


def _programs(scenario: Scenario) -> Iterator[str]:
    """Yield the files that controllers' parameters name, and which these execute."""
    assert scenario.source is not None
    for robot in scenario.robots:
        keys = () if robot.controller == NONE else entry_of(robot.controller).programs
        parameters: Any = controller_parameters(scenario, robot) if keys else {}
        for key in keys:
            with contextlib.suppress(InputError):  # a replay without the file says so
                yield find_file(str(parameters.get(key)), scenario.source.directory, key)


def _texts(value: object) -> Iterator[str]:
    """Yield all texts within values of a scenario."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | list | tuple):
        for inner in value.values() if isinstance(value, Mapping) else value:
            yield from _texts(inner)


def _is_own(path: str) -> bool:
    return any(real_path(path).is_relative_to(own) for own in own_folders())
