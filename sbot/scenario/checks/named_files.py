"""Files that a scenario names: each must be there, and its path becomes absolute."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sbot.files.yaml_text import KeyPath, Origins
from sbot.scenario.model import ScenarioFile
from sbot.scenario.paths import PATH_KEYS, find_file, names_file, with_files


def absolute_paths(written: ScenarioFile, directory: Path,
                   origins: Origins) -> dict[str, dict[str, str]]:
    """Return the paths of the files that each group names, by key."""
    found: dict[str, dict[str, str]] = {}
    for group, key in PATH_KEYS:
        values = getattr(written, group)
        text: Any = values.get(key) if isinstance(values, dict) else getattr(values, key)
        found[group] = {}
        if names_file((group, key), text):
            found[group][key] = find_file(text, directory, origins.where((group, key)))
    return found


def with_parameter_files(written: ScenarioFile, directory: Path,
                         origins: Origins) -> ScenarioFile:
    """Return a scenario in which the files that controllers' parameters name are absolute."""
    def absolute(name: str, parameters: dict[str, Any], path: KeyPath) -> dict[str, Any]:
        return with_files(name, parameters, directory, lambda key: origins.where((*path, key)))

    controllers = {name: absolute(name, parameters, ('controllers', name))
                   for name, parameters in written.controllers.items()}
    robots = tuple(
        robot.model_copy(update={'parameters': absolute(
            robot.controller, robot.parameters, ('robots', i, 'parameters'))})
        for i, robot in enumerate(written.robots))
    return written.model_copy(update={'controllers': controllers, 'robots': robots})
