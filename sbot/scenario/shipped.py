# SPDX-License-Identifier: Apache-2.0
"""Files of scenarios: the shipped ones, installed anywhere, and those that they name.

A path is taken as it is when absolute, else relative to the scenario file, else to the package's
configuration folder. An absolute path that is gone falls back to a file of that name beside the
scenario (a recording moved together with its map).
"""

from __future__ import annotations

import os
import site
import sys
import sysconfig
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from sbot.controllers.registry import NONE, entry_of
from sbot.files.yaml_text import load_mapping
from sbot_common.errors import InputError, bad_value, hint, one_line
from sbot_sim.sensors.infrared_table import TABLES

PACKAGE = 'potential_field_bot'
_SUFFIXES = ('.yaml', '.yml', '.argos', '.world')
_MOST_FILES = 1000  # of a folder, whose names are compared with one that does not exist


def _candidates() -> Iterator[Path]:
    here = Path(__file__).resolve()
    root = here.parents[2]  # of a checkout
    if (root / 'package.xml').is_file():
        yield root / 'config'
    below = Path('share', PACKAGE, 'config')
    # Modules lie below the prefix that has share/: pip --prefix, --target, --user, and colcon.
    for parent in here.parents:
        yield parent / below
    for prefix in os.environ.get('AMENT_PREFIX_PATH', '').split(os.pathsep):
        if prefix:
            yield Path(prefix) / below
    for prefix in (sys.prefix, sysconfig.get_path('data'), site.getuserbase()):
        yield Path(prefix) / below


@cache
def config_directory() -> Path:
    """Return the folder with ``scenarios/``, ``wind/`` and the rviz configuration.

    Raises
    ------
    InputError
        if the package's data files are not installed anywhere.

    """
    for candidate in _candidates():
        if (candidate / 'scenarios').is_dir():
            return candidate
    raise InputError(f"the configuration files of {PACKAGE} are not installed: "
                     f"no 'share/{PACKAGE}/config' near {Path(__file__).parent} or on "
                     'AMENT_PREFIX_PATH')


def own_folders() -> tuple[Path, Path]:
    """Return the folders of this package that scenarios may name: config and, beside it, examples.

    Not the whole checkout: recordings and modules of others may lie there.
    """
    config = config_directory().resolve()
    return config, config.parent / 'examples'


def scenario_names() -> list[str]:
    """Return the names of the shipped scenario files in YAML, sorted."""
    return sorted(path.stem for path in (config_directory() / 'scenarios').glob('*.yaml'))


def shipped_scenarios() -> dict[str, Path]:
    """Return the files of the shipped scenarios by name, sorted, with `.argos` experiments."""
    folder = config_directory() / 'scenarios'
    files = [*folder.glob('*.argos'), *folder.glob('*.yaml')]  # of one name the latter
    return dict(sorted((path.stem, path) for path in files))


def gallery_scenarios() -> dict[str, Path]:
    """Return the files of the gallery's scenarios by name, as ``gallery/flocking``, sorted."""
    folder = own_folders()[1] / 'gallery'
    return {f'gallery/{path.stem}': path for path in sorted(folder.glob('*.yaml'))}


def find_scenario(path_or_name: str) -> Path:
    """Return the file of a scenario: an existing path, else a shipped scenario's name.

    Raises
    ------
    InputError
        if there is neither, naming the nearest shipped scenario, or if the path is a directory.

    """
    path = Path(os.path.expanduser(path_or_name))
    try:
        is_file = path_or_name != '' and path.exists() and not path.is_dir()
    except (OSError, ValueError):  # a name that is too long, or has a zero byte in it
        raise InputError(f'{path_or_name[:80]!r}: not a usable file name') from None
    if is_file and path.suffix == '.zip':
        raise InputError(f'{path_or_name}: is a packed run; sbot run takes it, other commands the '
                         'scenario.yaml in it (docs/share_a_run.md)')
    if is_file:
        return path
    shipped = shipped_scenarios() | gallery_scenarios()
    if path_or_name in shipped:
        return shipped[path_or_name]
    if path_or_name and path.is_dir():
        raise InputError(f'{path_or_name}: is a directory, not a scenario file')
    if near := _near_name(path, _SUFFIXES, by_likeness=path.suffix in _SUFFIXES):
        raise InputError(f'{path_or_name}: no such file; did you mean {path.with_name(near)}?')
    wanted = path.stem if path.suffix in _SUFFIXES else path_or_name
    question = hint(wanted, shipped)
    raise InputError(f'{path_or_name}: no such file and no shipped scenario of that name '
                     '(see sbot list)' + f'; {question}' * question.endswith('?'))


PATH_KEYS = (('world', 'map'), ('wind', 'custom_wind_field_path'), ('sensors', 'infrared_table'))


def names_file(keys: tuple[str, str], value: object) -> bool:
    """Tell whether a value of one of ``PATH_KEYS`` is a path, not empty or a built-in's name."""
    if not isinstance(value, str) or not value:
        return False
    return keys[1] != 'infrared_table' or value not in TABLES


def _places(text: str, directory: Path) -> list[Path]:
    """Return where a path may lead, best first."""
    path = Path(os.path.expanduser(text))
    if path.is_absolute():
        return [path, directory / path.name]
    places = [directory / path]
    with suppress(InputError):
        places.append(config_directory() / path)
    return places


def _existing(text: str, directory: Path) -> str | None:
    """Return the absolute path of a file; None if there is none."""
    return next((os.path.abspath(place) for place in _places(text, directory)
                 if os.path.isfile(place)), None)


def with_files(controller: str, parameters: dict[str, Any], directory: Path,
               where: Callable[[str], str]) -> dict[str, Any]:
    """Return a controller's parameters; the files that they name are absolute.

    Where an entry says that a parameter names a file, it must be there. A class of the user's says
    nothing: each of its texts that is the path of a file is taken as one.

    Raises
    ------
    InputError
        if a file is missing; the message begins with ``where`` of the parameter.

    """
    if controller == NONE:
        return parameters
    entry, found = entry_of(controller), {}
    for key, text in parameters.items():
        if isinstance(text, str) and key in entry.paths:
            found[key] = find_file(text, directory, where(key))
        elif isinstance(text, str) and entry.parameters is None:
            found[key] = _existing(text, directory) or text
    return {**parameters, **found}


def named_files(controller: str, parameters: object) -> dict[str, str]:
    """Return the files (absolute) that a controller's parameters name, by key."""
    if controller == NONE or not isinstance(parameters, dict):
        return {}
    paths = entry_of(controller).paths
    return {key: text for key, text in parameters.items() if isinstance(text, str)
            and (key in paths or (os.path.isabs(text) and os.path.isfile(text)))}


def find_file(text: str, directory: Path, where: str) -> str:
    """Return the absolute path of a file that a scenario in ``directory`` names.

    Raises
    ------
    InputError
        if there is no such file; the message begins with ``where``.

    """
    if text.startswith('$(find'):
        raise bad_value(where, text, 'a path: $(find PACKAGE) belongs to xacro and launch files; '
                        f'write it relative to {directory} or absolute')
    if found := _existing(text, directory):
        return found
    names = f'one of {", ".join(TABLES)}, or ' if where.endswith('infrared_table') else ''
    places = _places(text, directory)
    wanted = 'a regular file' if any(map(os.path.exists, places)) else 'an existing file'
    near = next(filter(None, map(_near_name, places)), None)
    question = f'; did you mean {one_line(near)}?' if near else ''
    raise bad_value(where, text,
                    f'{names}{wanted}, relative to {directory} or absolute{question}')


def _near_name(place: Path, suffixes: tuple[str, ...] = (), *,
               by_likeness: bool = True) -> str | None:
    """Return the name of a file beside a missing one that differs in its ending or a little.

    ``suffixes``: only of a file with one of them.
    """
    from difflib import get_close_matches
    with suppress(OSError, ValueError):
        beside = sorted(islice((other.name for other in place.parent.iterdir()
                                if not suffixes or other.suffix in suffixes), _MOST_FILES))
        endings = [name for name in beside if Path(name).stem == place.name]
        for name in endings or get_close_matches(place.name, beside * by_likeness, 1, 0.75):
            if place.with_name(name).is_file():
                return name
    return None


def find_folder(text: str, directory: Path) -> str:
    """Return the absolute path of a folder; one that is not there is named all the same."""
    places = _places(text, directory)
    return os.path.abspath(next(filter(os.path.isdir, places), places[0]))


def portable(text: str) -> str:
    """Return a path for any machine: shipped files relative to ``config``, others unchanged."""
    try:
        config = os.path.abspath(config_directory())
    except InputError:
        return text
    for folder in (config, os.path.join(os.path.dirname(config), 'examples')):
        if text == folder or text.startswith(folder + os.sep):
            return os.path.relpath(text, config)
    return text


# Robots as they are sold: bodies, sensors and conventions of the makers' published models.


# Of a body: conventions of its maker's ROS driver.
DRIVER = ('publish_scan', 'cmd_vel_stamped')


class _SoldRobot(NamedTuple):
    """A robot of a maker."""

    text: str
    source: list[str]
    notes: list[str]
    body: dict[str, Any]


@cache
def sold_names() -> tuple[str, ...]:
    """Return the names of all robots as they are sold, sorted."""
    return tuple(sorted(path.stem for path in (config_directory() / 'robots').glob('*.yaml')))


@cache
def sold_robot(name: str) -> _SoldRobot:
    """Return a robot by its name."""
    path = config_directory() / 'robots' / f'{name}.yaml'
    return _SoldRobot(**load_mapping(path.read_text('utf-8'), path.name))
