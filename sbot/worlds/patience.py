"""A word about work that takes longer than one expects."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

AFTER = 5.0  # s


@contextmanager
def announced(text: str, after: float = AFTER) -> Iterator[None]:
    """Print a line to stderr where a block takes longer than ``after`` seconds."""
    timer = threading.Timer(after, print, (text,), {'file': sys.stderr, 'flush': True})
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
