"""SIGINT and SIGTERM as KeyboardInterrupt, in commands and nodes."""

from __future__ import annotations

import _thread
import contextlib
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

from sbot_common.signals import limit

_ENDING = (signal.SIGINT, signal.SIGTERM)
HANGUP = (signal.SIGHUP,) if os.name == 'posix' else ()  # a closed terminal
_AGAIN = 0.01  # s


class Interrupts:
    """Handlers of the signals that end a program, and whether one has come.

    Plain attributes, not an Event of threading: a second signal within the first one's handler
    would wait for its lock, for ever.
    """

    def __init__(self) -> None:
        self.came = False
        self.answered = False  # the program ends because of it; more signals raise nothing
        self._before: dict[int, Any] = {}
        self._hook = sys.unraisablehook

    def install(self, *numbers: int) -> None:
        """Handle these signals, and exceptions that are lost in destructors."""
        for number in numbers:
            before = signal.signal(number, self._interrupt)
            self._before.setdefault(number, before)
        sys.unraisablehook = self._unraisable

    def restore(self) -> None:
        """Give signals back the handlers that they had before, and lift the limit of time."""
        limit.lift()
        for number, handler in self._before.items():
            if handler is not None:  # None: it is not Python's
                signal.signal(number, handler)
        sys.unraisablehook = self._hook

    def _interrupt(self, _number: int, _frame: FrameType | None) -> None:
        self.came = True
        limit.begin()
        if not self.answered:
            raise KeyboardInterrupt

    def _unraisable(self, lost: sys.UnraisableHookArgs) -> None:
        if not self.came:
            self._hook(lost)
        elif lost.exc_type is KeyboardInterrupt:
            try:
                _send_again()
            except KeyboardInterrupt:  # a second signal came here, and would be lost as well
                _send_again()


def _send_again() -> None:
    """Send this process a SIGINT in a moment."""
    send_later(_AGAIN, signal.SIGINT, lambda: True)


def send_later(seconds: float, number: int, is_due: Callable[[], bool]) -> None:
    """Send this process a signal in ``seconds`` s, if it is still due then.

    A bare thread, as a Timer of threading takes a lock that the interrupted code may have.
    """
    def send() -> None:
        time.sleep(seconds)
        if is_due():
            os.kill(os.getpid(), number)
    with contextlib.suppress(RuntimeError):  # no more threads, or the interpreter ends
        _thread.start_new_thread(send, ())


def interrupt_on_signals() -> Interrupts:
    """Let SIGINT and SIGTERM raise KeyboardInterrupt; return a record of their arrival.

    SIGINT itself is set, too: a process that a shell starts in its background has it ignored.
    An exception in a destructor or a callback of C code is lost; such a signal comes again. Other
    exceptions there are not told after a signal: what it left half made cannot be taken apart.
    From the first signal on the process has 8 s to end (``limit``).
    """
    interrupts = Interrupts()
    limit.enable()
    interrupts.install(*_ENDING)
    return interrupts


def check_interrupt(interrupts: Interrupts) -> None:
    """Raise KeyboardInterrupt if other code has swallowed one.

    Among others whatever asks from C whether an object has an attribute does; libraries do so when
    they are imported. For programs that have caught none themselves.
    """
    if interrupts.came:
        raise KeyboardInterrupt


def end_on_signals() -> Interrupts:
    """Let SIGTERM, and a closed terminal, end a command as Ctrl-C does; see above.

    So bags are closed and nodes, which have sessions of their own, are stopped.
    """
    interrupts = interrupt_on_signals()
    interrupts.install(*(number for number in HANGUP
                         if signal.getsignal(number) == signal.SIG_DFL))  # not by nohup
    return interrupts


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
