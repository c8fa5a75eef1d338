"""Signal handling: SIGINT and SIGTERM as exceptions, and deferral during compiled code.

Light to import, so that a program can answer signals from its start.
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from collections.abc import Callable, Iterator
from types import FrameType

_ENDING = (signal.SIGINT, signal.SIGTERM)


class Deferral:
    """Defers the first signal; a second one, or a timeout, ends the deferral.

    An exception that a signal handler raises while numba turns a result into Python objects ends
    the process with a segmentation fault. So loops and callbacks that run compiled code defer
    what the handlers do. Only the main thread has signals; elsewhere nothing is deferred.

    Parameters
    ----------
    timeout : s after which a deferred signal is sent again; None: it waits for ``deliver``
    active : whether to defer already; until it is set, signals are handled at once

    """

    def __init__(self, timeout: float | None = None, *, active: bool = False) -> None:
        self.active = active
        self._timeout = timeout
        self._waiting: int | None = None
        self._handlers: dict[int, Callable[..., object]] = {}
        if threading.current_thread() is threading.main_thread():
            hangup = [signal.SIGHUP] if os.name == 'posix' else []
            for number in (*_ENDING, *hangup):
                handler = signal.getsignal(number)
                if callable(handler):
                    self._handlers[number] = handler
                    signal.signal(number, self._on_signal)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        if not self.active or self._waiting is not None:
            self._handlers[number](number, frame)
            return
        self._waiting = number
        if self._timeout is not None:
            again = threading.Timer(self._timeout, os.kill, (os.getpid(), number))
            again.daemon = True
            again.start()

    def deliver(self) -> None:
        """Call the handler of a deferred signal now."""
        number, self._waiting = self._waiting, None
        if number is not None:
            self._handlers[number](number, None)

    def restore(self) -> None:
        """Give signals back the handlers that they had before."""
        for number, handler in self._handlers.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def held() -> Iterator[Callable[[], None]]:
    """Defer signals until the function that this yields is called, e.g. once a tick."""
    deferral = Deferral(active=True)
    try:
        yield deferral.deliver
    finally:
        deferral.restore()
        deferral.deliver()


def interrupt_on_signals() -> threading.Event:
    """Let SIGINT and SIGTERM raise KeyboardInterrupt; return an event that they set before.

    SIGINT itself is set, too: a process that a shell starts in its background has it ignored.
    """
    came = threading.Event()

    def interrupt(*_: object) -> None:
        came.set()
        raise KeyboardInterrupt
    for number in _ENDING:
        signal.signal(number, interrupt)
    return came


def end_on_signals() -> None:
    """Let SIGTERM, and a closed terminal, end a command as Ctrl-C does.

    So bags are closed and nodes, which have sessions of their own, are stopped.
    """
    interrupt_on_signals()
    if os.name == 'posix' and signal.getsignal(signal.SIGHUP) == signal.SIG_DFL:  # not by nohup
        signal.signal(signal.SIGHUP, signal.getsignal(signal.SIGINT))


def ignore_signals() -> None:
    """Ignore SIGINT and SIGTERM during an orderly end, e.g. of a recording."""
    if threading.current_thread() is threading.main_thread():
        for number in _ENDING:
            signal.signal(number, signal.SIG_IGN)


@contextlib.contextmanager
def blocked() -> Iterator[None]:
    """Block SIGINT and SIGTERM, here and in processes started, until ``unblock`` there."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def unblock() -> None:
    """Let signals through that the parent process has blocked."""
    if os.name == 'posix':
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDING)
