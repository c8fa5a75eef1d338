"""Find shipped files in a checkout, a colcon workspace or a pip installation."""

from __future__ import annotations

import os
import site
import sys
import sysconfig
from collections.abc import Iterator
from difflib import get_close_matches
from functools import cache
from pathlib import Path

from sbot_common.errors import InputError, hint

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


def expanded(text: str) -> Path:
    """Return a path with its `~` replaced, or unchanged if that user has no home."""
    try:
        return Path(text).expanduser()
    except RuntimeError:
        return Path(text)


def find_scenario(path_or_name: str) -> Path:
    """Return the file of a scenario: an existing path, else a shipped scenario's name.

    Raises
    ------
    InputError
        if there is neither, naming the nearest shipped scenario, or if the path is a directory.

    """
    path = expanded(path_or_name)
    try:
        is_file = path_or_name != '' and path.exists() and not path.is_dir()
    except (OSError, ValueError):  # a name that is too long, or has a zero byte in it
        raise InputError(f'{path_or_name[:80]!r}: not a usable file name') from None
    if is_file:
        return path
    shipped = shipped_scenarios() | gallery_scenarios()
    if path_or_name in shipped:
        return shipped[path_or_name]
    if path_or_name and path.is_dir():
        raise InputError(f'{path_or_name}: is a directory, not a scenario file')
    near = _near_file(path)
    if near is not None:
        raise InputError(f'{path_or_name}: no such file; did you mean {near}?')
    wanted = path.stem if path.suffix in _SUFFIXES else path_or_name
    question = hint(wanted, shipped)
    raise InputError(f'{path_or_name}: no such file and no shipped scenario of that name '
                     '(see sbot list)' + f'; {question}' * question.endswith('?'))


def _near_file(path: Path) -> Path | None:
    """Return a scenario file beside a path whose name is nearly the same, if there is one."""
    if path.suffix not in _SUFFIXES:
        beside = [path.with_name(path.name + suffix) for suffix in _SUFFIXES if path.name]
        try:
            return next((other for other in beside if other.is_file()), None)
        except (OSError, ValueError):
            return None
    try:
        names = [other.name for other in path.parent.iterdir() if other.suffix in _SUFFIXES]
    except OSError:
        return None
    near = get_close_matches(path.name, names[:_MOST_FILES], 1, 0.75)
    return path.with_name(near[0]) if near else None
