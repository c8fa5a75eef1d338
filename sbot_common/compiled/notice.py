"""Notice of compilation: one line where functions are compiled, none where they are loaded."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

LISTENERS: list[Callable[[str], None]] = []  # called with the name of what is compiled


@contextmanager
def on_compilation(call: Callable[[str], None]) -> Iterator[None]:
    """Call ``call(name)`` before each function that is compiled while the block runs.

    Nothing is called for machine code that comes from the cache.
    """
    LISTENERS.append(call)
    try:
        yield
    finally:
        LISTENERS.remove(call)


def print_to_stderr(text: str) -> None:
    """Print a line at once."""
    print(text, file=sys.stderr, flush=True)


@contextmanager
def compilation_announced(text: str, show: Callable[[str], None] = print_to_stderr,
                          ) -> Iterator[None]:
    """Show ``text`` once, before the first function that is compiled while the block runs."""
    shown: list[str] = []

    def announce(_: str) -> None:
        if not shown:
            shown.append(text)
            show(text)
    with on_compilation(announce):
        yield
