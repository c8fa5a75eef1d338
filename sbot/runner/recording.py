"""Recorder of a run, with scenario, seed and version as metadata."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from sbot.bag.reader import Bag
from sbot.bag.recorder import RANDOM_NUMBERS, Recorder
from sbot.scenario.model import Scenario
from sbot.version import package_version
from sbot_common.errors import InputError
from sbot_common.random.generators import SOURCE


def open_recorder(directory: str | Path, scenario: Scenario) -> Recorder:
    """Return a recorder into a new directory; scenario, seed and version are in the bag.

    So is what its random numbers are made with, which tells old recordings.

    Raises
    ------
    InputError
        if the directory exists or cannot be made.

    """
    return Recorder(directory, metadata={
        'scenario': scenario.to_yaml(), 'seed': str(scenario.seed), 'version': package_version(),
        RANDOM_NUMBERS: SOURCE})


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
def free_again(directory: str | Path | None) -> Iterator[None]:
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
    try:
        return bag.is_dir() and not any(True for _ in Bag(bag).messages())
    except InputError:  # damaged, as the disk is full
        return False
