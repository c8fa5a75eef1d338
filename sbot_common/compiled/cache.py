# SPDX-License-Identifier: Apache-2.0
"""Cache of machine code on disk: a file for each compiled function and signature.

A file's name is a hash over the function's fingerprint (``sbot_common.compiled.fingerprint``) and
its signature. So equal functions share their machine code, wherever the package is installed, an
edit compiles what it touches, and checkouts of different sources use one directory side by side.
The directory's name is a hash over the compiler, its settings and the processor. A package may
come with machine code for a level of processors that many have, and for all builds of a Python
version, which is looked for first: results have the same bits on every processor.

Code is executed only where nobody but this user and root can write. Access control lists are not
looked at.
"""

from __future__ import annotations

import atexit
import contextlib
import logging
import os
import pickle
import shutil
import stat
import sys
import tempfile
import time
import uuid
import zlib
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from types import FunctionType
from typing import Any

from sbot_common.compiled.fingerprint import (
    MAKERS,
    UnknownPartError,
    describe_type,
    fingerprint,
    is_whole,
)
from sbot_common.compiled.lazy import LISTENERS

# isort: split
import numba
from numba.core import compiler
from numba.core.registry import cpu_target
from numba.core.runtime.nrt import rtsys
from numba.core.serialize import dumps
from numba.core.sigutils import normalize_signature

LOG = logging.getLogger(__name__)

_LAYOUT = 5  # of the files and how they are compiled; raise it when either changes
# numba's settings (NUMBA_OPT and so on) that change machine code.
_SETTINGS = ('OPT', 'LOOP_VECTORIZE', 'SLP_VECTORIZE', 'BOUNDSCHECK', 'DEBUGINFO_DEFAULT')
DIGITS = 16  # of a folder's name
# Levels by architecture, the best first, and what a processor needs beyond the architecture.
_V2 = frozenset(('cx16', 'popcnt', 'sahf', 'sse3', 'sse4.1', 'sse4.2', 'ssse3'))
_LEVELS = {
    'x86_64': {'x86-64-v3': _V2 | {'avx', 'avx2', 'bmi', 'bmi2', 'f16c', 'fma', 'lzcnt', 'movbe'},
               'x86-64-v2': _V2},
    'aarch64': {'generic': frozenset[str]()},
}
_ROOT = Path(__file__).resolve().parents[2]
# Packages that have compiled functions.
_PACKAGES = ('sbot_common', 'potential_field_bot', 'wind_model', 'sbot_sim', 'sbot/worlds',
             'sbot/controllers/navigate', 'sbot/controllers/neural')
_SUFFIX, _COMPLETE = '.code', '.complete'
_NOTED = 86400.0  # s; a file's use is noted once a day
_KEPT = 30 * 86400.0  # s without use


def _own_key() -> str:
    """Return the name of a user's folder: versions, settings and this processor, to the letter."""
    versions = [sys.version, *map(version, ('numba', 'llvmlite', 'numpy'))]
    return _hash(versions, cpu_target.target_context.codegen().magic_tuple())  # as in numba's key


def shipped_key(level: str, triple: str = '') -> str:
    """Return the name of the folder that the package may have for a level of processors.

    numba knows NumPy by its first two numbers, and Python by its ABI.

    Parameters
    ----------
    level : of the processors that LLVM calls ``triple``
    triple : LLVM's name of an architecture and system; ``''``: of this process

    """
    versions = [sys.implementation.cache_tag, getattr(sys, 'abiflags', ''), version('numba'),
                version('llvmlite'), version('numpy').split('.')[:2]]
    triple = triple or cpu_target.target_context.codegen().magic_tuple()[0]
    return _hash(versions, (triple, level))


def usable_levels() -> list[str]:
    """Return the levels whose machine code this process may execute, the best first.

    None but the one that NUMBA_CPU_NAME asks for, if it is set.
    """
    triple, name, features = cpu_target.target_context.codegen().magic_tuple()
    architecture = triple.partition('-')[0]
    levels = _LEVELS.get({'arm64': 'aarch64'}.get(architecture, architecture), {})
    if numba.config.CPU_NAME is not None:
        return [level for level in levels if level == name]
    has = {feature[1:] for feature in features.split(',') if feature.startswith('+')}
    return [level for level, needed in levels.items() if needed <= has]


def _hash(versions: Sequence[object], processor: tuple[str, ...]) -> str:
    settings = [getattr(numba.config, name, None) for name in _SETTINGS]
    makers = [(Path(__file__).parent / f'{name}.py').read_bytes().splitlines()
              for name in MAKERS]
    text = repr((_LAYOUT, versions, processor, settings, makers))
    return sha256(text.encode()).hexdigest()[:DIGITS]


def _is_private(status: os.stat_result) -> bool:
    """Tell whether only this user, or root, can write to a file or a folder.

    A group counts as others, unless it is the user's own, of the same name and without members.
    """
    if not hasattr(os, 'getuid'):  # elsewhere than on POSIX folders of a user are private
        return True
    if status.st_uid not in (os.getuid(), 0) or status.st_mode & stat.S_IWOTH:
        return False
    return not status.st_mode & stat.S_IWGRP or _is_own_group(status.st_gid)


def _is_own_group(number: int) -> bool:
    import grp  # only on POSIX, and slow where a network answers
    import pwd
    try:
        user, group = pwd.getpwuid(os.getuid()), grp.getgrgid(number)
    except KeyError:
        return False
    return user.pw_gid == number and group.gr_name == user.pw_name and not (
        {*group.gr_mem} - {user.pw_name})


def _shared_part(folder: Path) -> Path | None:
    """Return the folder on the way to this one, or itself, that others can write to; else None.

    Whoever can write to a folder can put another one in the place of one in it, except where it is
    sticky, as the temporary folder is.

    Parameters
    ----------
    folder : exists, without symbolic links

    """
    for part in (*reversed(folder.parents), folder):
        status = part.stat()
        sticky = part != folder and status.st_mode & stat.S_ISVTX and status.st_uid == 0
        if not sticky and not _is_private(status):
            return part
    return None


def _make_private(folder: Path) -> Path:
    """Make a folder, and those above it, for this user alone; return it without symbolic links."""
    for part in (*reversed(folder.parents), folder):
        part.mkdir(mode=0o700, exist_ok=True)
    return folder.resolve()


def _writable_directory() -> Path:
    """Return the cache directory, below NUMBA_CACHE_DIR or the user's cache."""
    base = os.environ.get('NUMBA_CACHE_DIR') or os.path.join(
        os.environ.get('XDG_CACHE_HOME') or os.path.expanduser('~/.cache'), 'potential_field_bot')
    with contextlib.suppress(OSError):
        directory = _make_private(Path(base).absolute() / _own_key())
        if os.access(directory, os.W_OK):
            shared = _shared_part(directory)
            if shared is None:
                return directory
            instead = _temporary_directory()
            LOG.warning('%s: other users can write there, so machine code is kept in %s instead '
                        '(chmod go-w, or set NUMBA_CACHE_DIR)', shared, instead)
            return instead
    return _temporary_directory()


def _temporary_directory() -> Path:
    """Return a directory where there is no home to write to: for later runs, too, if it is safe.

    It is safe if it is this user's, and nobody else's to write to: machine code is executed.
    """
    with contextlib.suppress(OSError, AttributeError):  # no such user ids outside POSIX
        base = (Path(tempfile.gettempdir()).resolve() / f'potential_field_bot_{os.getuid()}')
        with contextlib.suppress(FileExistsError):
            base.mkdir(mode=0o700)
        found = base.lstat()
        if stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and (
                found.st_mode & 0o077 == 0) and _shared_part(base) is None:
            return _make_private(base / _own_key())
    directory = Path(tempfile.mkdtemp(prefix='potential_field_bot_'))
    atexit.register(shutil.rmtree, directory, ignore_errors=True)
    return directory


def _shipped_directories(root: Path) -> list[Path]:
    """Return folders of machine code that came with the package, the best first."""
    if not root.is_dir():  # a checkout, or a wheel for all platforms
        return []
    return [folder for level in usable_levels() if (folder := root / shipped_key(level)).is_dir()]


CACHE_DIRECTORY = _writable_directory()
SHIPPED = _shipped_directories(Path(__file__).with_name('machine_code'))


class CodeCache:
    """A function's machine code on disk; unreadable files are compiled again and replaced."""

    cache_path = str(CACHE_DIRECTORY)  # for numba's statistics

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        self._function = function
        self._options = repr(sorted(options.items()))

    def load_overload(self, sig: Any, target_context: Any) -> Any:  # noqa: ANN401
        """Return machine code, or None: compile."""
        # What machine code calls to make arrays. The rest of numba's context is the compiler's.
        rtsys.initialize(target_context)
        for data in self._candidates(sig):
            try:
                return compiler.CompileResult._rebuild(target_context, *pickle.loads(data))
            except Exception as error:
                LOG.debug('%s: not loaded: %s', self._stem(), error)
        for call in LISTENERS:
            call(self._stem())
        return None

    def _candidates(self, sig: Any) -> Iterator[bytes]:  # noqa: ANN401
        """Yield machine code of the package, then of the user's cache."""
        try:
            name = self._name(sig)
        except UnknownPartError as error:
            LOG.debug('%s: not loaded: %s', self._stem(), error)
            return
        for folder in (*SHIPPED, CACHE_DIRECTORY):
            if (data := _read(folder / name)) is not None:
                yield data

    def save_overload(self, sig: Any, data: Any) -> None:  # noqa: ANN401
        """Keep machine code, if it is all in its name, and where the disk has space for it."""
        # Lifted loops, and addresses that only this process knows, cannot be kept.
        if data.lifted or data.library.has_dynamic_globals:
            return
        functions: set[FunctionType] = set()
        try:
            name = self._name(sig, functions)
            if is_whole(data.library, functions):
                _write(CACHE_DIRECTORY / name, dumps(data._reduce()))
        except UnknownPartError as error:
            LOG.debug('%s: not kept: %s', self._stem(), error)
        except OSError as error:
            _warn_of_full_disk(error.strerror or str(error))

    def _stem(self) -> str:
        name = f'{self._function.__module__}.{self._function.__qualname__}'
        return ''.join(letter for letter in name if letter.isalnum() or letter in '._')

    def _name(self, sig: Any, functions: set[FunctionType] | None = None) -> str:  # noqa: ANN401
        arguments, result = normalize_signature(sig)
        kinds = ' '.join(describe_type(kind, functions) for kind in (*arguments, result)
                         if kind is not None)
        text = f'{self._options} {fingerprint(self._function, functions)} {kinds}'
        name = sha256(text.encode()).hexdigest()[:2 * DIGITS]
        return f'{self._stem()}-{name}{_SUFFIX}'


def _read(path: Path) -> bytes | None:
    """Return what a file holds, without the checksum at its end; None for damaged or no files.

    Without the check machine code with a flipped bit, or of another function, would be executed.
    """
    try:
        data, noted = path.read_bytes(), path.stat().st_mtime
    except OSError:
        return None
    if time.time() - noted > _NOTED:
        with contextlib.suppress(OSError):  # e.g. a package that is read only
            os.utime(path)
    return data[:-4] if data[-4:] == _checksum(path.name, data[:-4]) else None


def _write(path: Path, data: bytes) -> None:
    """Write a file as a whole: another process sees all of it or nothing."""
    whole = path.with_name(f'{path.name}.{uuid.uuid4().hex[:12]}')
    try:
        with open(os.open(whole, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), 'wb') as file:
            file.write(data + _checksum(path.name, data))
        whole.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            whole.unlink()
        raise


@lru_cache(maxsize=1)  # one warning is enough
def _warn_of_full_disk(reason: str) -> None:
    LOG.warning('%s: compiled code cannot be kept (%s); the next run compiles again',
                CACHE_DIRECTORY, reason)


def _checksum(name: str, data: bytes) -> bytes:
    return zlib.crc32(data, zlib.crc32(name.encode())).to_bytes(4, 'little')


def _marker(wanted: str) -> Path:
    """Return the file that tells whether ``wanted`` of these sources has been compiled.

    Sizes and times stand for what is in the sources: one that is edited has another time, and a
    warm-up too many compiles nothing.
    """
    digest = sha256(wanted.encode())
    for package in _PACKAGES:
        for folder, folders, names in os.walk(_ROOT / package):
            folders.sort()
            for name in sorted(names):
                if name.endswith('.py'):
                    status = os.stat(os.path.join(folder, name))
                    text = f'{folder} {name} {status.st_size} {status.st_mtime_ns}'
                    digest.update(text.encode())
    return CACHE_DIRECTORY / f'{digest.hexdigest()[:DIGITS]}{_COMPLETE}'


def is_warm(wanted: str = '') -> bool:
    """Tell whether a warm-up of these sources, for ``wanted``, has run to its end before."""
    return _read(_marker(wanted)) is not None


def mark_warm(wanted: str = '') -> None:
    """Note that a warm-up is complete, and delete code that is no longer needed."""
    with contextlib.suppress(OSError):  # a full disk: the next run looks again
        _write(_marker(wanted), b'')
    _delete_unused()


def machine_code_files() -> int:
    """Return how many files of machine code the directory of this process has."""
    return sum(1 for _ in CACHE_DIRECTORY.glob(f'*{_SUFFIX}'))


def _delete_unused(directory: Path = CACHE_DIRECTORY) -> None:
    """Delete machine code that was not used for a month: edited functions, old compilers."""
    for kind in (_SUFFIX, _COMPLETE):  # the folder may have files of others beside them
        for path in directory.parent.glob(f'{"[0-9a-f]" * DIGITS}/*{kind}*'):
            with contextlib.suppress(OSError):
                if time.time() - path.stat().st_mtime > _KEPT:
                    path.unlink()
