"""Keys of machine-code folders: the compiler, its settings and the processor.

The cache of a user is for one processor. Machine code that comes with the package is for a level
that many processors have, and for all builds of a Python version: results have the same bits on
every processor, so it may be the code of another one.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

from sbot_common.compiled import light_numba  # noqa: F401

# isort: split
import numba
from numba.core.registry import cpu_target

from sbot_common.compiled.fingerprint import MAKERS

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


def own_key() -> str:
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
    makers = [_without_comments((Path(__file__).parent / f'{name}.py').read_bytes())
              for name in MAKERS]
    text = repr((_LAYOUT, versions, processor, settings, makers))
    return sha256(text.encode()).hexdigest()[:DIGITS]


def _without_comments(source: bytes) -> list[bytes]:
    """Return the lines of a module, without blank ones and those that are a comment."""
    return [line for line in source.splitlines()
            if line.strip() and not line.lstrip().startswith(b'#')]
