# SPDX-License-Identifier: Apache-2.0
"""Signals: the first ends a program at the end of its tick, a later one does what it does anyway.

``end_on_signals`` is for commands and nodes, ``Held`` for loops and callbacks of compiled code: an
exception that a signal handler raises while numba turns a result into Python objects ends the
process with a segmentation fault. Light to import, so that a program answers from its start.
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

_ENDING = (signal.SIGINT, signal.SIGTERM)
_HANGUP = (signal.SIGHUP,) if os.name == 'posix' else ()  # a closed terminal
SAME = 0.5  # s in which signals are one: `timeout` sends its own to a process and to its group


class _Interrupt:
    """Handler that raises KeyboardInterrupt at the first signal; see ``end_on_signals``."""

    def __init__(self, same: float, limit: int) -> None:
        self.first: float | None = None  # when the first signal came (s)
        self._same, self._limit = same, limit

    def __call__(self, number: int, _frame: FrameType | None) -> None:
        """Handle a signal."""
        if self.first is None:
            self.note()
            raise KeyboardInterrupt
        if time.monotonic() > self.first + self._same:
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)

    def note(self) -> None:
        """Take note of the first signal."""
        self.first = time.monotonic()
        if self._limit:
            signal.alarm(self._limit)


_current: _Interrupt | None = None  # of this program


def end_on_signals(same: float = SAME, limit: int = 0) -> Callable[[], None]:
    """Let the first SIGINT, SIGTERM or SIGHUP raise KeyboardInterrupt; later ones act by default.

    SIGINT is set, too, where a shell that started us in its background has it ignored; SIGHUP is
    not, below nohup. Only the main thread has signals; elsewhere nothing is set.

    Parameters
    ----------
    same : s after the first signal in which others are taken for the same one
    limit : s after the first signal when SIGALRM ends the process; 0: never

    Returns
    -------
    what gives the signals back the handlers that they had

    """
    global _current
    if threading.current_thread() is not threading.main_thread():
        return lambda: None
    numbers = (*_ENDING, *(each for each in _HANGUP if signal.getsignal(each) == signal.SIG_DFL))
    outer, _current = _current, _Interrupt(same, limit)
    before = {number: signal.signal(number, _current) for number in numbers}

    def restore() -> None:
        global _current
        _current = outer
        for number, handler in before.items():
            signal.signal(number, handler)
    return restore


def came() -> bool:
    """Tell whether a signal has come since ``end_on_signals``."""
    return _current is not None and _current.first is not None


def raise_swallowed() -> None:
    """Raise KeyboardInterrupt if a signal came: the import of a library may have swallowed it."""
    if came() and threading.current_thread() is threading.main_thread():
        raise KeyboardInterrupt


class Held:
    """Keeps the first signal until ``deliver`` is called, e.g. once a tick, or until the end.

    A second one is handled at once, as it would be without this.

    Parameters
    ----------
    active : whether to keep signals already

    """

    def __init__(self, *, active: bool = True) -> None:
        self.active = active
        self._waiting: int | None = None
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Held:
        if threading.current_thread() is threading.main_thread():
            handlers = {number: signal.getsignal(number) for number in (*_ENDING, *_HANGUP)}
            self._before = {number: each for number, each in handlers.items() if callable(each)}
            for number in self._before:
                signal.signal(number, self._on_signal)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        self.deliver()

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        handler = self._before[number]
        if not self.active or self._waiting is not None:
            handler(number, frame)
            return
        self._waiting = number
        if isinstance(handler, _Interrupt):
            handler.note()

    def forget(self) -> None:
        """Drop a signal that has been kept: the program ends anyway."""
        self.active, self._waiting = False, None

    def deliver(self) -> None:
        """Handle a signal that has been kept."""
        number, self._waiting = self._waiting, None
        if number is None:
            return
        if isinstance(self._before[number], _Interrupt):
            raise KeyboardInterrupt
        self._before[number](number, None)


@contextlib.contextmanager
def blocked() -> Iterator[None]:
    """Block SIGINT and SIGTERM, here and in processes started, until ``unblock`` there."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def unblock() -> None:
    """Let SIGINT and SIGTERM through, which the parent process has blocked."""
    if os.name == 'posix':
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDING)
