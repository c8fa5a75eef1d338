"""Recorder of a run, with scenario, seed and version as metadata."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from sbot.bag.recorder import Recorder
from sbot.scenario.model import Scenario
from sbot.version import package_version


def open_recorder(directory: str | Path, scenario: Scenario) -> Recorder:
    """Return a recorder into a new directory; scenario, seed and version are in the bag.

    Raises
    ------
    InputError
        if the directory exists or cannot be made.

    """
    return Recorder(directory, metadata={
        'scenario': scenario.to_yaml(), 'seed': str(scenario.seed), 'version': package_version()})


@contextmanager
def closed(recorder: Recorder, where: Callable[[], str]) -> Iterator[None]:
    """Close a recorder at the end of a block; an exception leaves a bag that was cut short.

    It leaves nothing where nothing was recorded, so that the same name can be used again.

    Parameters
    ----------
    recorder : to close
    where : called then, returns e.g. 'at tick 50 of 450'

    """
    try:
        with recorder:
            try:
                yield
            except BaseException as error:
                recorder.cut_short(f'{where()}: {error}' if str(error) else where())
                raise
    except BaseException:
        if recorder.is_empty:
            shutil.rmtree(recorder.directory, ignore_errors=True)
        raise
