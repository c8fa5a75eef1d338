"""Recorder of a run; digests of controllers' files."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from sbot.controllers.registry import NONE
from sbot.scenario.controllers import controller_parameters
from sbot.scenario.model import Scenario
from sbot.scenario.shipped import find_file, named_files, portable
from sbot.version import THIS
from sbot_common.errors import InputError, open_regular

# Digests (SHA-256) of controllers' files, e.g. networks, which tell later whether one changed.

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


if TYPE_CHECKING:
    from sbot.bag.recorder import Recorder


def open_recorder(directory: str | Path, scenario: Scenario,
                  ros_distro: str = '') -> Recorder:
    """Return a recorder into a new directory; scenario, seed and version are in the bag.

    So is what its random numbers are made with, which tells old recordings, and digests of the
    controllers' files. ``ros_distro``: the ROS 2 distribution whose nodes run; '': none.

    Raises
    ------
    InputError
        if the directory exists or cannot be made.

    """
    from sbot.bag.recorder import Recorder  # with ROS' message definitions
    from sbot.bag.writer import DISTRIBUTION
    return Recorder(directory, ros_distro=ros_distro or DISTRIBUTION, metadata={
        'scenario': scenario.to_yaml(), 'seed': str(scenario.seed), **THIS._asdict(),
        **noted_files(scenario)})


@contextmanager
def closed(recorder: Recorder, where: Callable[[], str]) -> Iterator[None]:
    """Close a recorder at the end of a block; an exception leaves a bag that was cut short.

    Parameters
    ----------
    recorder : to close
    where : called then, returns e.g. 'at tick 50 of 450'

    """
    with recorder:
        try:
            yield
        except BaseException as error:
            recorder.cut_short(f'{where()}: {error}' if str(error) else where())
            raise


@contextmanager
def removed_if_empty(directory: str | Path | None) -> Iterator[None]:
    """Remove the new bag of a run that fails before its first message: its name is free again."""
    new = directory is not None and not _is_there(Path(directory))
    try:
        yield
    except BaseException:
        if directory is not None and new and _is_empty(Path(directory)):
            shutil.rmtree(directory, ignore_errors=True)
        raise


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # too long for a name, or a zero byte: the recorder refuses it
        return True


def _is_empty(bag: Path) -> bool:
    from sbot.bag.reader import Bag
    try:
        return bag.is_dir() and not any(True for _ in Bag(bag).messages())
    except InputError:  # damaged, as the disk is full
        return False
