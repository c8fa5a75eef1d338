"""Cache directory of compiled code (numba), keyed by sources, compiler and processor.

numba looks machine code up by the path of a function's own file. It sees neither an edit in a
function that is called nor another checkout of the same sources. Here the directory's name is a
hash over the compiled sources and the compiler, and below it files are found by module. So equal
sources share their machine code, wherever they are installed, and ``is_compiled`` tells whether
anything is left to compile.
"""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import io
import logging
import os
import re
import shutil
import stat
import sys
import tempfile
import time
import zlib
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numba
from numba.core.caching import (
    CacheImpl,
    FunctionCache,
    IndexDataCacheFile,
    UserProvidedCacheLocator,
)
from numba.core.registry import cpu_target

LOG = logging.getLogger(__name__)

_ROOT = Path(__file__).resolve().parent.parent
# Folders that have compiled functions.
_PACKAGES = ('sbot_common', 'potential_field_bot', 'navigate', 'wind_model', 'neural_controller',
             'sbot_sim', 'sbot/worlds')
_COMPILED = re.compile(rb'njit|^@Phase$|(?<!class )\bPhase\(', re.MULTILINE)
_IMPORT = re.compile(r'^\s*(?:from|import) ([\w.]+)(?: import (.+))?', re.MULTILINE)
# numba's settings (NUMBA_OPT and so on) that change machine code but not numba's own key.
_SETTINGS = ('OPT', 'LOOP_VECTORIZE', 'SLP_VECTORIZE', 'BOUNDSCHECK', 'DEBUGINFO_DEFAULT',
             'DISABLE_JIT')
_MARKER = 'complete'
_DIGITS = 16  # of a cache directory's name
_KEPT = 30 * 86400.0  # s


def compiled_sources(root: Path = _ROOT) -> dict[str, bytes]:
    """Return the text of all modules that compiled code is made from, by module name.

    These are the modules with compiled functions, and all that they import: numba turns the
    constants and the NamedTuples of other modules into machine code as well.
    """
    texts = {'.'.join(path.relative_to(root).with_suffix('').parts): path.read_bytes()
             for package in _PACKAGES for path in (root / package).rglob('*.py')}
    found: set[str] = set()
    pending = [name for name, text in texts.items() if _COMPILED.search(text)]
    while pending:
        name = pending.pop()
        if name in texts and name not in found:
            found.add(name)
            for module, names in _IMPORT.findall(texts[name].decode()):
                pending += [module, *(f'{module}.{each}' for each in re.findall(r'\w+', names))]
    return {name: texts[name] for name in sorted(found)}


def _compiler() -> str:
    """Return the versions, the processor and the settings that machine code depends on."""
    versions = [sys.version, *map(version, ('numba', 'llvmlite', 'numpy'))]
    processor = cpu_target.target_context.codegen().magic_tuple()  # as in numba's own key
    settings = [getattr(numba.config, name, None) for name in _SETTINGS]
    return repr((versions, processor, settings))


def _key(root: Path = _ROOT) -> str:
    """Return the name of the directory for the sources below `root`: 16 hexadecimal digits."""
    digest = hashlib.sha256(_compiler().encode())
    for name, text in compiled_sources(root).items():
        digest.update(b'%s\0%d\0%s' % (name.encode(), len(text), text))
    return digest.hexdigest()[:_DIGITS]


def _writable_directory() -> Path:
    """Return the cache directory, below NUMBA_CACHE_DIR or the user's cache."""
    base = os.environ.get('NUMBA_CACHE_DIR') or os.path.join(
        os.environ.get('XDG_CACHE_HOME') or os.path.expanduser('~/.cache'), 'potential_field_bot')
    directory = Path(base) / _key()
    try:
        directory.mkdir(parents=True, exist_ok=True)
        if os.access(directory, os.W_OK):
            return directory
    except OSError:
        pass
    return _temporary_directory()


def _temporary_directory() -> Path:
    """Return a directory where there is no home to write to: for later runs, too, if it is safe.

    It is safe if it is this user's, and nobody else's to write to: machine code is executed.
    """
    with contextlib.suppress(OSError, AttributeError):  # no such user ids outside POSIX
        base = Path(tempfile.gettempdir()) / f'potential_field_bot_{os.getuid()}'
        with contextlib.suppress(FileExistsError):
            base.mkdir(mode=0o700)
        found = base.lstat()
        if stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and (
                found.st_mode & 0o077 == 0):
            directory = base / _key()
            directory.mkdir(exist_ok=True)
            return directory
    directory = Path(tempfile.mkdtemp(prefix='potential_field_bot_'))
    atexit.register(shutil.rmtree, directory, ignore_errors=True)
    return directory


class _ByModule(UserProvidedCacheLocator):  # type: ignore[misc]
    """Location of a function's machine code by its module, not by the path of its file."""

    @classmethod
    def from_function(cls, py_func: Callable[..., Any], py_file: str) -> Any:  # noqa: ANN401
        """Return the location, or None for files outside the packages of this directory's key."""
        path = Path(py_file).resolve()
        if not any(path.is_relative_to(_ROOT / package) for package in _PACKAGES):
            return None
        return super().from_function(py_func, py_file)

    @classmethod
    def get_suitable_cache_subpath(cls, py_file: str) -> str:
        """Return the name of the folder for the functions of a file: the module's package."""
        return '.'.join(Path(py_file).resolve().relative_to(_ROOT).parent.parts)

    def get_source_stamp(self) -> str:
        """Return a hash of the file, which may have been edited since this process began.

        Some versions of numba take the time of the last change, which differs in every checkout.
        """
        return hashlib.sha256(Path(self._py_file).read_bytes()).hexdigest()


class _CheckedFile(IndexDataCacheFile):  # type: ignore[misc]
    """A function's files in the cache, with a checksum at their ends; damaged ones count as none.

    numba would stop at a file that is cut off, and execute machine code with a flipped bit.
    """

    @contextlib.contextmanager
    def _open_for_write(self, filepath: str) -> Iterator[io.BytesIO]:
        buffer = io.BytesIO()
        yield buffer
        data = buffer.getvalue()
        with super()._open_for_write(filepath) as file:
            file.write(data + _checksum(data))

    def _load_index(self) -> Any:  # noqa: ANN401
        return super()._load_index() if _is_whole(self._index_path) else {}

    def _load_data(self, name: str) -> Any:  # noqa: ANN401
        if not _is_whole(self._data_path(name)):
            raise OSError('damaged')  # numba takes it for a file that is not there
        return super()._load_data(name)


def _checksum(data: bytes) -> bytes:
    return zlib.crc32(data).to_bytes(4, 'little')  # what reads a pickle ignores bytes behind it


def _is_whole(path: str) -> bool:
    try:
        data = Path(path).read_bytes()
    except OSError:
        return False
    return data[-4:] == _checksum(data[:-4])


class CheckedCache(FunctionCache):  # type: ignore[misc]
    """A function's machine code on disk; what cannot be read is compiled again and replaced."""

    _said = False

    def __init__(self, py_func: Callable[..., Any]) -> None:
        super().__init__(py_func)
        self._cache_file = _CheckedFile(
            cache_path=self._cache_path, filename_base=self._impl.filename_base,
            source_stamp=self._impl.locator.get_source_stamp())

    def load_overload(self, sig: Any, target_context: Any) -> Any:  # noqa: ANN401
        """Return machine code, or None: compile."""
        try:
            return super().load_overload(sig, target_context)
        except Exception as error:
            LOG.debug('%s: not loaded: %s', self._impl.filename_base, error)
            return None

    def save_overload(self, sig: Any, data: Any) -> None:  # noqa: ANN401
        """Keep machine code, where the disk has space for it."""
        try:
            super().save_overload(sig, data)
        except OSError as error:
            if not CheckedCache._said:
                CheckedCache._said = True
                LOG.warning('%s: compiled code cannot be kept (%s); the next run compiles again',
                            CACHE_DIRECTORY, error.strerror or error)


CACHE_DIRECTORY = _writable_directory()


def use_directory() -> None:
    """Let numba keep machine code in this directory, by module."""
    numba.config.CACHE_DIR = str(CACHE_DIRECTORY)
    CacheImpl._locator_classes.insert(0, _ByModule)


def is_compiled() -> bool:
    """Tell whether a complete warm-up has filled this cache directory before, and note its use."""
    marker = CACHE_DIRECTORY / _MARKER
    with contextlib.suppress(OSError):  # e.g. a cache that is read only
        os.utime(marker)
    return marker.exists()


def mark_compiled() -> None:
    """Note that a warm-up has run to its end, so that later runs need no message.

    Machine code of other versions is deleted when nobody has used it for a month.
    """
    try:
        (CACHE_DIRECTORY / _MARKER).touch()
    except OSError:  # a full disk: the next run compiles again
        return
    for marker in CACHE_DIRECTORY.parent.glob(f'{"[0-9a-f]" * _DIGITS}/{_MARKER}'):
        with contextlib.suppress(OSError):
            if time.time() - marker.stat().st_mtime > _KEPT:
                shutil.rmtree(marker.parent, ignore_errors=True)
