# SPDX-License-Identifier: Apache-2.0
"""Packed runs: a scenario with all files that its run needs, and the run's hash, in one zip.

In the archive are ``scenario.yaml``, ``run.json``, the files that the scenario names in ``files``,
and the modules of its own code in ``python``. What is installed with this package stays out.
"""

from __future__ import annotations

import json
import os
import platform
import sys
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import deepcopy
from importlib.metadata import version
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

from sbot.controllers.registry import is_shipped, module_folder
from sbot.files.limits import TemporaryFolder, limits, read_within, too_large
from sbot.files.yaml_text import decode_text, dump_yaml, parse_yaml
from sbot.scenario.model import RobotEntry, Scenario
from sbot.scenario.shipped import (
    PATH_KEYS,
    find_file,
    named_files,
    names_file,
    portable,
    with_files,
)
from sbot.version import THIS
from sbot_common.errors import InputError, bad_value, decoding

SCENARIO, NOTE, FILES, PYTHON = 'scenario.yaml', 'run.json', 'files', 'python'
_FORMAT = 1
_KEPT = ('seed', 'ticks', 'trajectory_sha256')  # of a summary


class Packed(NamedTuple):
    """An unpacked run in a temporary folder."""

    text: str  # of the scenario
    folder: Path  # in which its paths start
    note: Mapping[str, Any]  # what run.json holds
    modules: list[str]  # of the archive, executed by the run

    def differences(self, summary: Mapping[str, Any]) -> list[str]:
        """Return what differs from the packed run, in words; [] if the hash is the same."""
        if self.note['trajectory_sha256'] == summary['trajectory_sha256']:
            return []
        here = {**{name: summary[name] for name in _KEPT}, **_maker()}
        return [f'{name}: {self.note.get(name)} when it was packed, {value} here'
                for name, value in here.items() if self.note.get(name) != value]


class _Contents:
    """Collects the contents of an archive by name."""

    def __init__(self) -> None:
        self.contents: dict[str, bytes] = {}
        self._names: dict[str, str] = {}  # of files that the scenario names

    def add(self, path: str) -> str:
        """Take a file that the scenario names; return its path in the packed scenario."""
        if (text := portable(path)) != path:
            return text
        if path not in self._names:
            name = f'{FILES}/{os.path.basename(path)}'
            if name in self.contents:
                name = f'{FILES}/{len(self._names)}/{os.path.basename(path)}'
            self._names[path] = name
            self.contents[name] = read_within(path)
        return self._names[path]

    def add_map(self, path: str) -> str:
        """Take a map with its image, which the packed map names beside itself."""
        name = self.add(path)
        if name in self.contents:
            data: Any = parse_yaml(decode_text(self.contents[name], path), path)[0]
            image = self.add(os.path.abspath(Path(path).parent / data['image']))
            data['image'] = os.path.relpath(image, os.path.dirname(name))
            self.contents[name] = dump_yaml(data).encode()
        return name


def pack(scenario: Scenario, summary: Mapping[str, Any], archive: str | Path,
         added: Sequence[str] = ()) -> list[str]:
    """Write a run as one archive; return the names in it.

    It has the scenario as written, with the overrides, and the modules of the user's that are
    imported now: call it after the run. The same run gives the same bytes.

    Parameters
    ----------
    scenario : loaded from a file
    summary : of its run, with the hash
    archive : .zip
    added : files that its own code opens, in folders of that code

    Raises
    ------
    InputError
        if a file cannot be read, or an added one is elsewhere.

    """
    assert scenario.source is not None
    collected = _Contents()
    contents = collected.contents
    values, directory = deepcopy(scenario.source.data), scenario.source.directory
    for group, key in PATH_KEYS:
        if names_file((group, key), text := values.get(group, {}).get(key)):
            path = find_file(text, directory, key)
            values[group][key] = (collected.add_map if key == 'map' else collected.add)(path)
    used = [*values.get('controllers', {}).items(),
            *((robot.get('controller', RobotEntry.controller), robot.get('parameters', {}))
              for robot in values['robots'])]
    for name, parameters in used:
        parameters.update(with_files(name, parameters, directory, str))
        parameters.update({key: collected.add(path)
                           for key, path in named_files(name, parameters).items()})
    own = [folder for folder in scenario.python_path if portable(folder) == folder]
    values['python_path'] = [*[PYTHON] * bool(own), *(
        portable(folder) for folder in scenario.python_path if folder not in own)]
    for path in (*_modules(own), *map(os.path.abspath, added)):
        folder = next((each for each in own if path.startswith(each + os.sep)), None)
        if folder is None:
            raise bad_value('--add', path, "a file in a folder of the scenario's own code: "
                            + (', '.join(own) or 'it has none'))
        contents.setdefault(f'{PYTHON}/{Path(path).relative_to(folder).as_posix()}',
                            read_within(path))
    contents[SCENARIO] = dump_yaml(values).encode()
    contents[NOTE] = json.dumps({'format': _FORMAT, **{name: summary[name] for name in _KEPT},
                                 **_maker()}, indent=1).encode()
    with zipfile.ZipFile(archive, 'w', zipfile.ZIP_DEFLATED) as file:
        for name in sorted(contents):
            info = zipfile.ZipInfo(name)  # with one date for all, so the bytes are the same
            info.external_attr = 0o644 << 16
            file.writestr(info, contents[name], zipfile.ZIP_DEFLATED)
    return sorted(contents)


@contextmanager
def unpacked(archive: str | Path) -> Iterator[Packed]:
    """Yield a packed run, for as long as it runs; nothing of it is executed here.

    Raises
    ------
    InputError
        for a file that is no packed run, or a damaged or too large one.

    """
    with TemporaryFolder('packed') as folder:
        raw = BytesIO(read_within(archive))
        if not zipfile.is_zipfile(raw):
            raise InputError(f'{archive}: not a packed run, nor another .zip')
        with decoding(f'{archive}: not a packed run'), zipfile.ZipFile(raw) as file:
            size = sum(info.file_size for info in file.infolist())
            if size > limits().run_bytes:
                raise too_large(str(archive), 'bytes', size, 'run_bytes')
            for name in (NOTE, SCENARIO):
                if name not in file.namelist():
                    raise InputError(f'{archive}: not a packed run: it has no {name}')
            note = json.loads(file.read(NOTE))
            if note['format'] != _FORMAT:
                raise bad_value(f'{archive}: format', note['format'], str(_FORMAT))
            note = {name: note[name] for name in (*_KEPT, *_maker())}
            text = decode_text(file.read(SCENARIO), SCENARIO)
            file.extractall(folder)
            modules = [name for name in file.namelist() if name.startswith(f'{PYTHON}/')]
        yield Packed(text, Path(folder), note, modules)


def _modules(folders: Sequence[str]) -> Iterator[str]:
    """Yield the files of the imported modules that these folders hold."""
    for name, module in sorted(sys.modules.items()):
        top, file = name.partition('.')[0], getattr(module, '__file__', None)
        if file and top in sys.modules and not is_shipped(name) and module_folder(top) in folders:
            yield file


def _maker() -> dict[str, str]:
    """Return what may change the bits of a run."""
    return {**THIS._asdict(), 'python': platform.python_version(), 'numpy': version('numpy'),
            'numba': version('numba'), 'platform': f'{platform.system()} {platform.machine()}'}
