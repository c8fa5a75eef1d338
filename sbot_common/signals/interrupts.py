"""SIGINT and SIGTERM as KeyboardInterrupt, in commands and nodes."""

from __future__ import annotations

import _thread
import contextlib
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from types import FrameType, TracebackType
from typing import Any

from sbot_common.signals import limit

_ENDING = (signal.SIGINT, signal.SIGTERM)
HANGUP = (signal.SIGHUP,) if os.name == 'posix' else ()  # a closed terminal
_AGAIN = 0.01  # s


class Interrupts:
    """Handlers of the signals that end a program, and whether one has come.

    Plain attributes, not an Event of threading: a second signal within the first one's handler
    would wait for its lock, for ever. Records nest: a program may run a command within itself.
    """

    def __init__(self) -> None:
        self.came = False
        self.answered = False  # the program ends because of it; more signals raise nothing
        self._before: dict[int, Any] = {}
        self._outer: Interrupts | None = None
        self._installed = False
        self._hook, self._print = sys.unraisablehook, sys.excepthook

    def install(self, *numbers: int) -> None:
        """Handle these signals, and exceptions that are lost in destructors and C code.

        Only the main thread has signals; elsewhere nothing is installed.
        """
        global _current
        if threading.current_thread() is not threading.main_thread():
            return
        if not self._installed:
            self._hook, self._print = sys.unraisablehook, sys.excepthook
            self._outer, self._installed = _current, True
            _current = self
            sys.unraisablehook, sys.excepthook = self._unraisable, self._printed
        for number in numbers:
            self._before.setdefault(number, signal.getsignal(number))  # first: one may come now
            signal.signal(number, self._interrupt)

    def restore(self) -> None:
        """Give signals back the handlers that they had before, and lift the limit of time.

        Within a program that records signals itself, a signal that came here has come there, too,
        and the limit of time continues. Records may be restored in any order: those within this
        one stay, and give back later what this one found.
        """
        global _current
        if not self._installed:
            return
        inner = self._inner_records()
        for number, handler in self._before.items():
            heirs = [each for each in inner if each._before.get(number) == self._interrupt]
            for each in heirs:
                each._before[number] = handler
            if not heirs and handler is not None:  # None: it is not Python's
                signal.signal(number, handler)
        self._give_hooks_back(inner)
        self._installed = False
        if inner:
            inner[-1]._outer = self._outer
        else:
            _current = self._outer
        if _current is None:
            limit.lift()
        elif self._outer is not None:
            self._outer.came |= self.came

    def _inner_records(self) -> list[Interrupts]:
        """Return the records that were installed after this one and still are, newest first."""
        found, record = [], _current
        while record is not None and record is not self:
            found.append(record)
            record = record._outer
        return found

    def _give_hooks_back(self, inner: list[Interrupts]) -> None:
        """Give back the hooks of lost exceptions, to the records within this one or to Python.

        A hook that somebody has set since may call ours: it stays, and ours pass on.
        """
        for each in inner:
            if each._hook == self._unraisable:
                each._hook = self._hook
            if each._print == self._printed:
                each._print = self._print
        if sys.unraisablehook == self._unraisable:
            sys.unraisablehook = self._hook
        if sys.excepthook == self._printed:
            sys.excepthook = self._print

    def _interrupt(self, _number: int, _frame: FrameType | None) -> None:
        self.came = True
        limit.begin()
        if not (self.answered and self._installed):
            raise KeyboardInterrupt

    def _unraisable(self, lost: sys.UnraisableHookArgs) -> None:
        if not (self.came and self._installed):
            self._hook(lost)
        elif lost.exc_type is KeyboardInterrupt:
            _send_again()

    def _printed(self, kind: type[BaseException], error: BaseException,
                 trace: TracebackType | None) -> None:
        if (self.came and self._installed and kind is KeyboardInterrupt
                and _is_of_c_code(error, sys._getframe())):
            _send_again()
        else:
            self._print(kind, error, trace)


_current: Interrupts | None = None  # the innermost


def _is_of_c_code(error: BaseException, frame: FrameType) -> bool:
    """Tell whether C code prints an exception and continues.

    Modules of numba that look for numpy do. Otherwise the program ends by the exception, or Python
    code has caught it and reports it.
    """
    if sys.exc_info()[1] is error:
        return False
    while frame.f_back is not None:
        frame = frame.f_back
    return frame.f_code.co_name == '<module>'  # else these are the hooks of a program that ended


def _send_again() -> None:
    """Send this process a SIGINT in a moment."""
    try:
        send_later(_AGAIN, signal.SIGINT, lambda: True)
    except KeyboardInterrupt:  # a second signal came here, and would be lost as well
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


def interrupt_on_signals(interrupts: Interrupts | None = None) -> Interrupts:
    """Let SIGINT and SIGTERM raise KeyboardInterrupt; return a record of their arrival.

    SIGINT itself is set, too: a process that a shell starts in its background has it ignored.
    An exception in a destructor or a callback of C code is lost, or printed; such a signal comes
    again, and nothing is printed. Other exceptions in destructors are not told after a signal:
    what it left half made cannot be taken apart.
    From the first signal on the process has 8 s to end (``limit``).

    ``interrupts``: the record, for a caller that a signal may reach before this has returned it.
    """
    interrupts = Interrupts() if interrupts is None else interrupts
    if threading.current_thread() is threading.main_thread():
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


def raise_swallowed() -> None:
    """Raise KeyboardInterrupt if a signal came that this process has not answered; see above.

    For after an import of a large library, where nobody holds the record of signals.
    """
    if (_current is not None and not _current.answered
            and threading.current_thread() is threading.main_thread()):
        check_interrupt(_current)


def end_on_signals(interrupts: Interrupts | None = None) -> Interrupts:
    """Let SIGTERM, and a closed terminal, end a command as Ctrl-C does; see above.

    So bags are closed and nodes, which have sessions of their own, are stopped.
    """
    interrupts = interrupt_on_signals(interrupts)
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
