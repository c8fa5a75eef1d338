"""Cache of machine code on disk: a file for each compiled function and signature.

A file's name is a hash over the function's fingerprint (``sbot_common.compiled.fingerprint``) and
its signature. So equal functions share their machine code, wherever the package is installed, an
edit compiles what it touches, and checkouts of different sources use one directory side by side.
The directory's name is a hash over the compiler, its settings and the processor. A package may
come with machine code (``sbot_common.compiled.keys``), which is looked for first.
"""

from __future__ import annotations

import atexit
import contextlib
import logging
import os
import pickle
import shutil
import stat
import tempfile
import time
import uuid
import zlib
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from types import FunctionType
from typing import Any

from sbot_common.compiled import light_numba  # noqa: F401

# isort: split
from numba.core import compiler
from numba.core.caching import _Cache
from numba.core.runtime.nrt import rtsys
from numba.core.serialize import dumps
from numba.core.sigutils import normalize_signature

from sbot_common.compiled.fingerprint import (
    UnknownPartError,
    describe_type,
    fingerprint,
    is_whole,
)
from sbot_common.compiled.keys import DIGITS, own_key, shipped_key, usable_levels
from sbot_common.compiled.lazy import LISTENERS
from sbot_common.compiled.private_files import (
    is_private,
    make_private,
    shared_part,
    write_private,
)

LOG = logging.getLogger(__name__)

_ROOT = Path(__file__).resolve().parents[2]
# Packages that have compiled functions.
_PACKAGES = ('sbot_common', 'potential_field_bot', 'wind_model', 'sbot_sim', 'sbot/worlds',
             'sbot/controllers/navigate', 'sbot/controllers/neural')
_SUFFIX, _COMPLETE = '.code', '.complete'
_NOTED = 86400.0  # s; a file's use is noted once a day
_KEPT = 30 * 86400.0  # s without use


def _writable_directory() -> Path:
    """Return the cache directory, below NUMBA_CACHE_DIR or the user's cache."""
    base = os.environ.get('NUMBA_CACHE_DIR') or os.path.join(
        os.environ.get('XDG_CACHE_HOME') or os.path.expanduser('~/.cache'), 'potential_field_bot')
    with contextlib.suppress(OSError):
        directory = make_private(Path(base).absolute() / own_key())
        if os.access(directory, os.W_OK):
            shared = shared_part(directory)
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
                found.st_mode & 0o077 == 0) and shared_part(base) is None:
            return make_private(base / own_key())
    directory = Path(tempfile.mkdtemp(prefix='potential_field_bot_'))
    atexit.register(shutil.rmtree, directory, ignore_errors=True)
    return directory


def shipped_directories(root: Path) -> list[Path]:
    """Return folders of machine code that came with the package, the best first."""
    if not root.is_dir():  # a checkout, or a wheel for all platforms
        return []
    return [folder for level in usable_levels() if (folder := root / shipped_key(level)).is_dir()]


CACHE_DIRECTORY = _writable_directory()
SHIPPED = shipped_directories(Path(__file__).with_name('machine_code'))
_warned: list[str] = []  # one warning of a kind is enough


class CodeCache(_Cache):  # type: ignore[misc]
    """A function's machine code on disk; unreadable files are compiled again and replaced."""

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        self._function = function
        self._options = repr(sorted(options.items()))
        self._enabled = True

    @property
    def cache_path(self) -> str:
        """Return the directory, as numba's statistics show it."""
        return str(CACHE_DIRECTORY)

    def enable(self) -> None:
        """Use the cache."""
        self._enabled = True

    def disable(self) -> None:
        """Compile always, and keep nothing."""
        self._enabled = False

    def flush(self) -> None:
        """Delete the machine code of this function, of all versions."""
        for path in CACHE_DIRECTORY.glob(f'{self._stem()}-*{_SUFFIX}'):
            path.unlink(missing_ok=True)

    def load_overload(self, sig: Any, target_context: Any) -> Any:  # noqa: ANN401
        """Return machine code, or None: compile."""
        # What machine code calls to make arrays. The rest of numba's context is the compiler's.
        rtsys.initialize(target_context)
        for data in self._candidates(sig) if self._enabled else ():
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
        for folder in SHIPPED:
            # It is trusted as the modules beside it are: whoever can write to one can write to
            # the others.
            if (data := _read(folder / name, trusted=True)) is not None:
                yield data
        if (data := _read(CACHE_DIRECTORY / name)) is not None:
            yield data

    def save_overload(self, sig: Any, data: Any) -> None:  # noqa: ANN401
        """Keep machine code, if it is all in its name, and where the disk has space for it."""
        # Lifted loops, and addresses that only this process knows, cannot be kept.
        if not self._enabled or data.lifted or data.library.has_dynamic_globals:
            return
        functions: set[FunctionType] = set()
        try:
            name = self._name(sig, functions)
            if is_whole(data.library, functions):
                _write(CACHE_DIRECTORY / name, dumps(data._reduce()))
        except UnknownPartError as error:
            LOG.debug('%s: not kept: %s', self._stem(), error)
        except OSError as error:
            _warn_once('full', '%s: compiled code cannot be kept (%s); the next run compiles '
                               'again', CACHE_DIRECTORY, error.strerror or error)

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


def _read(path: Path, trusted: bool = False) -> bytes | None:
    """Return what a file holds, without the checksum at its end; None for damaged or no files.

    Without the check machine code with a flipped bit, or of another function, would be executed.
    """
    try:
        # A pipe that somebody put there would wait for ever.
        with open(os.open(path, os.O_RDONLY | getattr(os, 'O_NONBLOCK', 0)), 'rb') as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                return None
            if not trusted and not is_private(status):
                _warn_once('shared', '%s: others can write to it; machine code in such files is '
                                     'compiled again', path)
                return None
            data = file.read()
    except OSError:
        return None
    age = time.time() - status.st_mtime
    if not trusted and age > _NOTED:
        with contextlib.suppress(OSError):  # e.g. a cache that is read only
            os.utime(path)
    return data[:-4] if data[-4:] == _checksum(path.name, data[:-4]) else None


def _write(path: Path, data: bytes) -> None:
    """Write a file as a whole: another process sees all of it or nothing."""
    whole = path.with_name(f'{path.name}.{uuid.uuid4().hex[:12]}')
    try:
        write_private(whole, data + _checksum(path.name, data))
        whole.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            whole.unlink()
        raise


def _warn_once(kind: str, text: str, *values: object) -> None:
    if kind not in _warned:
        _warned.append(kind)
        LOG.warning(text, *values)


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
    delete_unused()


def machine_code_files() -> int:
    """Return how many files of machine code the directory of this process has."""
    return sum(1 for _ in CACHE_DIRECTORY.glob(f'*{_SUFFIX}'))


def delete_unused(directory: Path = CACHE_DIRECTORY) -> None:
    """Delete machine code that was not used for a month: edited functions, old compilers."""
    for kind in (_SUFFIX, _COMPLETE):  # the folder may have files of others beside them
        for path in directory.parent.glob(f'{"[0-9a-f]" * DIGITS}/*{kind}*'):
            with contextlib.suppress(OSError):
                if time.time() - path.stat().st_mtime > _KEPT:
                    path.unlink()
