"""Recorder of a run, with scenario, seed and version as metadata."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from sbot.runner.file_digests import noted_files
from sbot.scenario.model import Scenario
from sbot.version import THIS
from sbot_common.errors import InputError

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
    from sbot.bag.metadata import DISTRIBUTION
    from sbot.bag.recorder import Recorder  # with ROS' message definitions
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
