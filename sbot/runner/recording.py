"""Recorder of a run, with scenario, seed and version as metadata."""

from __future__ import annotations

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
