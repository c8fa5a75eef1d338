"""Digests (SHA-256) of controllers' files, e.g. networks, which tell later whether one changed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from sbot.controllers.registry import NONE, entry_of
from sbot.scenario.controllers import controller_parameters
from sbot.scenario.model import Scenario
from sbot.scenario.paths import find_file, portable
from sbot_common.errors import InputError
from sbot_common.files import open_regular

FILES = 'files'  # key of a recording's metadata: a JSON object of digests by path
_AT_ONCE = 1 << 20  # bytes


def noted_files(scenario: Scenario) -> dict[str, str]:
    """Return metadata of a recording: the digests of its controllers' files; {} without files."""
    digests = {portable(path): _digest(path) for path in _files(scenario)}
    return {FILES: json.dumps(digests)} if digests else {}


def changed_files(metadata: Mapping[str, str], scenario: Scenario) -> list[str]:
    """Return the files whose content has changed since they were noted.

    Parameters
    ----------
    metadata : of the recording
    scenario : of the replay. A file that it does not use, as an override names another, is left
        out

    """
    try:
        noted = json.loads(metadata.get(FILES, '{}'))
    except (ValueError, RecursionError):
        return []
    used, changed = set(_files(scenario)), []
    for name, digest in noted.items() if isinstance(noted, dict) else ():
        with suppress(InputError):  # it is gone, so nothing uses it
            path = find_file(name, Path.cwd(), FILES)
            if path in used and _digest(path) != digest:
                changed.append(path)
    return changed


def _files(scenario: Scenario) -> Iterator[str]:
    """Yield the files that controllers' parameters name, each once."""
    found: set[str] = set()
    for robot in scenario.robots:
        keys = () if robot.controller == NONE else entry_of(robot.controller).paths
        parameters = controller_parameters(scenario, robot) if keys else {}
        for key in keys:
            path = parameters.get(key) if isinstance(parameters, dict) else None
            if isinstance(path, str) and path not in found:
                found.add(path)
                yield path


def _digest(path: str) -> str:
    """Return a file's SHA-256 in hexadecimal digits; '' if it cannot be read."""
    digest = hashlib.sha256()
    with suppress(OSError, ValueError, InputError), open_regular(path) as file:
        while data := file.read(_AT_ONCE):
            digest.update(data)
        return digest.hexdigest()
    return ''
