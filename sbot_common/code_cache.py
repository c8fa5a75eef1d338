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
import os
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numba
from numba.core.caching import CacheImpl, UserProvidedCacheLocator
from numba.core.registry import cpu_target

_ROOT = Path(__file__).resolve().parent.parent
_PACKAGES = ('sbot_common', 'potential_field_bot', 'wind_model', 'sbot_sim')
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
    pending = [name for name, text in texts.items() if b'njit' in text]
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
    directory = Path(tempfile.mkdtemp(prefix='potential_field_bot_'))
    atexit.register(shutil.rmtree, directory, ignore_errors=True)
    return directory


class _ByModule(UserProvidedCacheLocator):  # type: ignore[misc]
    """Location of a function's machine code by its module, not by the path of its file."""

    @classmethod
    def from_function(cls, py_func: Callable[..., Any], py_file: str) -> Any:  # noqa: ANN401
        """Return the location, or None for files outside the packages of this directory's key."""
        path = Path(py_file).resolve()
        if not path.is_relative_to(_ROOT) or path.relative_to(_ROOT).parts[0] not in _PACKAGES:
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
    (CACHE_DIRECTORY / _MARKER).touch()
    for marker in CACHE_DIRECTORY.parent.glob(f'{"[0-9a-f]" * _DIGITS}/{_MARKER}'):
        with contextlib.suppress(OSError):
            if time.time() - marker.stat().st_mtime > _KEPT:
                shutil.rmtree(marker.parent, ignore_errors=True)
