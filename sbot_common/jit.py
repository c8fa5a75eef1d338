"""Compilation of the hot scalar functions: plain Python through numba, strict IEEE arithmetic.

Every numeric module takes its decorator from here, so that one place decides:

* no fastmath, so sums keep the order in which they are written;
* ``error_model='numpy'``: 1/0 is inf and never an exception, as in C++;
* no vector mathematics library: ``math.sin`` and friends are libm's, scalar and parallel alike;
* a cache on disk that an edit anywhere in the compiled sources makes fresh. (numba itself looks
  only at the file of the function called, not at those of the functions that it calls.)
"""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numba
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

F = TypeVar('F', bound=Callable[..., Any])

_PACKAGES = ('sbot_common', 'potential_field_bot', 'wind_model', 'sbot_sim')
_MARKER = 'complete'
_DIGITS = 16  # of a cache directory's name
_KEPT = 30 * 86400.0  # s


def _source_hash() -> str:
    """Return a hash over the versions of numba and Python and the sources of machine code.

    Those are the compiled functions, and the tuples that they take: numba knows a tuple's class
    and the types of its fields, not their names.
    """
    digest = hashlib.sha256(f'{numba.__version__} {sys.version}'.encode())
    root = Path(__file__).resolve().parent.parent
    for package in _PACKAGES:
        for path in sorted((root / package).rglob('*.py')):
            text = path.read_bytes()
            if b'njit' in text or b'NamedTuple' in text:
                name = path.relative_to(root).as_posix()
                digest.update(name.encode() + b'\0' + text)
    return digest.hexdigest()[:_DIGITS]


def _cache_directory() -> Path:
    """Return a writable directory for machine code, below NUMBA_CACHE_DIR or the user's cache."""
    base = os.environ.get('NUMBA_CACHE_DIR') or os.path.join(
        os.environ.get('XDG_CACHE_HOME') or os.path.expanduser('~/.cache'), 'potential_field_bot')
    directory = Path(base) / _source_hash()
    try:
        directory.mkdir(parents=True, exist_ok=True)
        if os.access(directory, os.W_OK):
            return directory
    except OSError:
        pass
    directory = Path(tempfile.mkdtemp(prefix='potential_field_bot_'))
    atexit.register(shutil.rmtree, directory, ignore_errors=True)
    return directory


CACHE_DIRECTORY = _cache_directory()
numba.config.CACHE_DIR = str(CACHE_DIRECTORY)
numba.config.DISABLE_INTEL_SVML = True


_OPTIONS = {'cache': True, 'nogil': True, 'error_model': 'numpy', 'no_cfunc_wrapper': True}


def njit(function: F) -> F:
    """Compile on first call, for one thread; cached on disk."""
    compiled: F = numba.njit(**_OPTIONS)(function)
    return compiled


def njit_inner(function: F) -> F:
    """Compile for compiled code only: a door for Python takes as long to compile as the rest."""
    compiled: F = numba.njit(**_OPTIONS, no_cpython_wrapper=True)(function)
    return compiled


def njit_inline(function: F) -> F:
    """Compile into those who call it, for functions of compiled code only.

    What takes tuples of arrays costs more to call than to run: each call copies them all.
    """
    compiled: F = numba.njit(**_OPTIONS, no_cpython_wrapper=True, forceinline=True)(function)
    return compiled


def _lent(context: Any, builder: Any, kind: types.Type, value: Any) -> Any:  # noqa: ANN401
    """Return a value's copy whose arrays do not know who owns their memory."""
    if isinstance(kind, types.Array):
        array = context.make_array(kind)(context, builder, value)
        array.meminfo = array.meminfo.type(None)
        array.parent = array.parent.type(None)
        return array._getvalue()
    if isinstance(kind, types.BaseTuple):
        parts = cgutils.unpack_tuple(builder, value, len(kind))
        return context.make_tuple(builder, kind, [
            _lent(context, builder, part_kind, part)
            for part_kind, part in zip(kind, parts, strict=True)])
    return value


@intrinsic  # type: ignore[untyped-decorator]
def borrowed(_: Any, value: Any) -> Any:  # noqa: ANN401
    """Return an array, or a tuple of arrays and numbers, that is not counted.

    numba counts the references to every array with atomic instructions, several at each call that
    takes a tuple of arrays. In a loop over robots that can be most of the time, and threads that
    count the same arrays wait for each other. Whoever borrows does not keep the memory alive: lend
    arguments, whose owner waits for the function to return, or an array of one's own that is used
    again when those who borrowed it are done.
    """
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:  # noqa: ANN401
        return _lent(context, builder, signature.args[0], args[0])
    return value(value), codegen


def is_compiled() -> bool:
    """Tell whether a complete warm-up has filled this cache directory before."""
    return (CACHE_DIRECTORY / _MARKER).exists()


def mark_compiled() -> None:
    """Note that a warm-up has run to its end, so that later runs need no message.

    Machine code of other versions goes, once nothing was written there for a month.
    """
    (CACHE_DIRECTORY / _MARKER).touch()
    for marker in CACHE_DIRECTORY.parent.glob(f'{"[0-9a-f]" * _DIGITS}/{_MARKER}'):
        with contextlib.suppress(OSError):
            if time.time() - marker.stat().st_mtime > _KEPT:
                shutil.rmtree(marker.parent, ignore_errors=True)
