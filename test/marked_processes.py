"""Processes that a test started, directly or not: they carry its mark in their environment."""

import contextlib
from pathlib import Path


def marked(mark: str) -> list[int]:
    """Return the processes, except zombies, whose environment has SBOT_TEST=mark."""
    found = []
    for folder in Path('/proc').glob('[0-9]*'):
        with contextlib.suppress(OSError):
            if f'SBOT_TEST={mark}\0'.encode() in (folder / 'environ').read_bytes():
                found.append(int(folder.name))
    return found
