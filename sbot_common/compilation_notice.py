# SPDX-License-Identifier: Apache-2.0
"""Progress of compilation: one line where functions are compiled, none where they are loaded.

How many are missing is known where nothing is in the cache yet. Else only those are counted that
turn out to be missing, since an edit may need one function, and another scenario most of them.
It is said once a process. On a terminal the line counts; elsewhere, and in a log, it is as it was
at the first function.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import count
from typing import NamedTuple

from sbot_common.compiled.lazy import on_compilation


class Expected(NamedTuple):
    """What a start with no cache compiles: about so many functions, in about so many seconds."""

    functions: int
    seconds: float

    @contextmanager
    def announced(self, show: Callable[[str], None] | None = None) -> Iterator[None]:
        """Say once that functions are compiled while the block runs, how many of about how many.

        Parameters
        ----------
        show : takes a line, e.g. to a log; None: a line on stderr, which counts on a terminal

        """
        if _notices:
            yield
            return
        counts = show is None and sys.stderr.isatty()
        lines = _lines(self)

        def announce(_: str) -> None:
            if counts:
                _notices.append(next(lines))
                print(f'\r{_notices[-1]}\x1b[K', end='', file=sys.stderr, flush=True)
            elif not _notices:
                _notices.append(next(lines))
                (show or partial(print, file=sys.stderr, flush=True))(_notices[-1])
        try:
            with on_compilation(announce):
                yield
        finally:
            if counts and _notices:
                print(file=sys.stderr, flush=True)


_SAMPLE = 5  # functions that tell how long the others will take
_notices: list[str] = []  # by this process; nothing is said after it


def silence() -> None:
    """Say nothing in this process, as --quiet and --json want it."""
    _notices.append('')


def _lines(expected: Expected) -> Iterator[str]:
    """Yield the line for each function that is begun; those that all processes compiled count."""
    # Its import takes numba, which is here when something is compiled.
    from sbot_common.compiled.cache import SHIPPED, machine_code_files
    in_cache, start = machine_code_files(), time.monotonic()
    some_kept = in_cache > 0 or bool(SHIPPED)
    for begun in count():
        done = max(begun, machine_code_files() - in_cache)
        functions, left = max(expected.functions, done + 1), expected.seconds
        if done >= _SAMPLE:
            left = (time.monotonic() - start) / done * (functions - done)
        if some_kept:
            missing = '1 function so far that is' if done == 0 else (
                f'{done + 1} functions so far that are')
            yield f'compiling: {missing} not in the cache'
        else:
            yield f'compiling {done + 1} of about {functions} functions, about {left:.0f} s'
