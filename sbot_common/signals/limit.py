"""Time limit for a program to end after a signal.

Times in which the machine stood still, or the program waited for a processor, do not count.
"""

from __future__ import annotations

import _thread
import contextlib
import os
import signal
import time

SECONDS = 8.0  # then it ends, whatever it is doing
_HARD = 20.0  # s, of wall time, for a process whose main thread keeps the lock of Python
_LOOK, _MOST = 0.05, 0.25  # s between two looks, and what counts of it

_MESSAGE = b'ended at once: it had not ended in the 8 s since a signal asked it to\n'

_enabled = False
_begun = False
_timed = False  # whether the timer of the process is ours
_turn = 0  # counts limits lifted, so that their threads know


def enable() -> None:
    """Let ``begin`` begin a limit: this process is a program that its user may end."""
    global _enabled
    _enabled = True


def begin() -> None:
    """Begin the limit, if this has not been done: ``SECONDS`` from now the process ends, code 1.

    For signal handlers: takes no lock, and may be interrupted by another signal at any line.
    """
    global _begun, _timed
    if not _enabled or _begun:
        return
    with contextlib.suppress(RuntimeError):  # no more threads, or the interpreter ends
        _thread.start_new_thread(_end_at_last, (_turn,))
    if hasattr(signal, 'setitimer') and signal.getsignal(signal.SIGALRM) == signal.SIG_DFL:
        _timed = True
        signal.setitimer(signal.ITIMER_REAL, _HARD)
    _begun = True


def lift() -> None:
    """Lift the limit and disable it: the program has ended, but its process continues."""
    global _enabled, _begun, _timed, _turn
    _enabled = False
    _turn += 1
    if _timed:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
    _begun = _timed = False


def _delay() -> float:
    """Return how long the main thread has waited for a processor (s); 0.0 where none counts."""
    try:
        with open('/proc/self/schedstat', 'rb') as file:
            return int(file.read().split()[1]) * 1e-9
    except (OSError, ValueError, IndexError):
        return 0.0


def _end_at_last(turn: int) -> None:
    left, delay, now = SECONDS, _delay(), time.monotonic()
    while left > 0.0 and turn == _turn:
        time.sleep(_LOOK)
        passed, waited = time.monotonic() - now, _delay() - delay
        left -= max(0.0, min(passed - waited, _MOST))
        now, delay = now + passed, delay + waited
    if turn == _turn:
        try:
            os.write(2, _MESSAGE)
        finally:
            os._exit(1)
