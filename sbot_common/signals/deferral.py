"""Deferral of signals during a tick: an exception within compiled code could crash it."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Callable, Iterator
from types import FrameType

from sbot_common.signals import limit
from sbot_common.signals.interrupts import HANGUP, send_later

HOLD_TIMEOUT = 5.0  # s; longer than a tick takes, but for enormous swarms


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
        self.came = False  # any signal, deferred or not
        self._timeout = timeout
        self._waiting: int | None = None
        self._turn = 0  # counts signals delivered or forgotten, so that none is sent again
        self._handlers: dict[int, Callable[..., object]] = {}
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM, *HANGUP):
                handler = signal.getsignal(number)
                if callable(handler):
                    self._handlers[number] = handler
                    signal.signal(number, self._on_signal)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        self.came = True
        if not self.active or self._waiting is not None:
            self._handlers[number](number, frame)
            return
        self._waiting = number
        limit.begin()
        if self._timeout is not None:
            turn = self._turn
            send_later(self._timeout, number, lambda: self._turn == turn)

    def deliver(self) -> None:
        """Call the handler of a deferred signal now."""
        number, self._waiting = self._waiting, None
        self.forget()
        if number is not None:
            self._handlers[number](number, None)

    def forget(self) -> None:
        """Do not send a deferred signal again: the process is ending because of it."""
        self._turn += 1

    def restore(self) -> None:
        """Give signals back the handlers that they had before."""
        self.active = False  # first: a signal may come before the last one has been given back
        for number, handler in self._handlers.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def held(timeout: float | None = HOLD_TIMEOUT) -> Iterator[Callable[[], None]]:
    """Defer signals until the function that this yields is called, e.g. once per tick.

    It may never be, in an endless loop of a user's controller: after ``timeout`` s a signal counts
    in the middle of a tick, too.
    """
    deferral = Deferral(timeout)
    try:
        deferral.active = True
        yield deferral.deliver
    finally:
        deferral.restore()
        deferral.deliver()
