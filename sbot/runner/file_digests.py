"""Digests (SHA-256) of controllers' files, e.g. networks, which tell later whether one changed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from sbot.controllers.registry import NONE
from sbot.scenario.controllers import controller_parameters
from sbot.scenario.model import Scenario
from sbot.scenario.paths import find_file, named_files, portable
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
    yield from dict.fromkeys(
        path for robot in scenario.robots if robot.controller != NONE
        for path in named_files(robot.controller, controller_parameters(scenario, robot)).values())


def _digest(path: str) -> str:
    """Return a file's SHA-256 in hexadecimal digits; '' if it cannot be read."""
    digest = hashlib.sha256()
    with suppress(OSError, ValueError, InputError), open_regular(path) as file:
        while data := file.read(_AT_ONCE):
            digest.update(data)
        return digest.hexdigest()
    return ''
