"""Time limit for a program to end after a signal."""

from __future__ import annotations

import _thread
import contextlib
import os
import signal
import time

SECONDS = 8.0  # then it ends, whatever it is doing
_HARD = 9.5  # s; the same for a process whose main thread keeps the lock of Python

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


def _end_at_last(turn: int) -> None:
    time.sleep(SECONDS)
    if turn == _turn:
        try:
            os.write(2, _MESSAGE)
        finally:
            os._exit(1)
