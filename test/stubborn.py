"""A command that ignores signals, and so does what it starts in a session of its own."""

import contextlib
import os
import signal
import time
from collections.abc import Iterable
from pathlib import Path

DEADLINE = 240.0
_SCRIPT = """
import os, signal, sys, time
signal.signal(signal.SIGINT, signal.SIG_IGN)
signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = os.fork()
if child == 0:
    os.setsid()
    time.sleep(1000)
while os.getsid(child) != child:
    time.sleep(0.01)
os.write(1, b'%d\\n%d\\n' % (child, os.getpid()))
"""


def stubborn_script(last: str = 'time.sleep(1000)') -> str:
    """Return Python text that prints the ids of its child and of itself, and then does `last`."""
    return _SCRIPT + last


def read_pids(stream: Iterable[str]) -> list[int]:
    """Return the two ids that it prints."""
    lines = iter(stream)
    return [int(next(lines)) for _ in range(2)]


def gone(pids: Iterable[int]) -> bool:
    """Whether all these processes end within the deadline."""
    deadline = time.monotonic() + DEADLINE
    while any(Path(f'/proc/{pid}').exists() for pid in pids):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def kill(pids: Iterable[int]) -> None:
    """End what a failed test has left."""
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
