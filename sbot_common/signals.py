"""Signal handling: SIGINT and SIGTERM as exceptions, and deferral during compiled code.

Light to import, so that a program can answer signals from its start.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from types import FrameType

_ENDING = (signal.SIGINT, signal.SIGTERM)
_AGAIN = 0.01  # s
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
        self._timeout = timeout
        self._waiting: int | None = None
        self._again: threading.Timer | None = None
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
            self._again = threading.Timer(self._timeout, os.kill, (os.getpid(), number))
            self._again.daemon = True
            self._again.start()

    def deliver(self) -> None:
        """Call the handler of a deferred signal now."""
        number, self._waiting = self._waiting, None
        self.forget()
        if number is not None:
            self._handlers[number](number, None)

    def forget(self) -> None:
        """Do not send a deferred signal again: the process is ending because of it."""
        if self._again is not None:
            self._again.cancel()

    def restore(self) -> None:
        """Give signals back the handlers that they had before."""
        for number, handler in self._handlers.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def held(timeout: float | None = HOLD_TIMEOUT) -> Iterator[Callable[[], None]]:
    """Defer signals until the function that this yields is called, e.g. once a tick.

    It may never be, in an endless loop of a user's controller: after ``timeout`` s a signal counts
    in the middle of a tick, too.
    """
    deferral = Deferral(timeout, active=True)
    try:
        yield deferral.deliver
    finally:
        deferral.restore()
        deferral.deliver()


def _send_again() -> None:
    """Send this process a SIGINT in a moment."""
    again = threading.Timer(_AGAIN, os.kill, (os.getpid(), signal.SIGINT))
    again.daemon = True
    again.start()


def interrupt_on_signals() -> threading.Event:
    """Let SIGINT and SIGTERM raise KeyboardInterrupt; return an event that they set before.

    SIGINT itself is set, too: a process that a shell starts in its background has it ignored.
    An exception in a destructor or a callback of C code is lost; such a signal comes again. Other
    exceptions there are not told after a signal: what it left half made cannot be taken apart.
    """
    came = threading.Event()
    before = sys.unraisablehook

    def unraisable(lost: sys.UnraisableHookArgs) -> None:
        if not came.is_set():
            before(lost)
        elif lost.exc_type is KeyboardInterrupt:
            try:
                _send_again()
            except KeyboardInterrupt:  # a second signal came here, and would be lost as well
                _send_again()

    def interrupt(*_: object) -> None:
        came.set()
        raise KeyboardInterrupt
    for number in _ENDING:
        signal.signal(number, interrupt)
    sys.unraisablehook = unraisable
    return came


def heed(came: threading.Event) -> None:
    """Raise KeyboardInterrupt if one has been raised that somebody else's code has swallowed.

    Among others whatever asks from C whether an object has an attribute does; libraries do so when
    they are imported. For programs that have caught none themselves.
    """
    if came.is_set():
        raise KeyboardInterrupt


def end_on_signals() -> threading.Event:
    """Let SIGTERM, and a closed terminal, end a command as Ctrl-C does; see above.

    So bags are closed and nodes, which have sessions of their own, are stopped.
    """
    came = interrupt_on_signals()
    if os.name == 'posix' and signal.getsignal(signal.SIGHUP) == signal.SIG_DFL:  # not by nohup
        signal.signal(signal.SIGHUP, signal.getsignal(signal.SIGINT))
    return came


class Ending:
    """The orderly end of a process, e.g. of a recording, which signals do not disturb.

    A signal within ``GRACE`` is ignored: ``ros2 launch`` passes on a Ctrl-C that the terminal has
    sent already. A later one ends the process at once, and so does the end of a time limit, even
    where the main thread is stuck in code that is not Python. Only in the main thread.
    """

    GRACE = 3.0  # s; a busy machine takes its time to pass on a signal

    def __init__(self) -> None:
        self._begun = time.monotonic()
        self._limit = float('inf')
        self._code = 1  # what was to be written may be lost
        self._in_main = threading.current_thread() is threading.main_thread()
        if self._in_main:
            # A handler would wait for the main thread; this pipe does not.
            self._pipe, write_end = os.pipe()
            os.set_blocking(write_end, False)
            signal.set_wakeup_fd(write_end, warn_on_full_buffer=False)
            for number in _ENDING:
                signal.signal(number, lambda *_: None)
            threading.Thread(target=self._watch, name='ending', daemon=True).start()

    def limit(self, seconds: float, code: int) -> None:
        """End the process with an exit code if it is still there then; ``done`` lifts this."""
        self._code = code
        self._limit = time.monotonic() + seconds
        # Much later, for where the lock of Python is held: a busy machine may take that long.
        if self._in_main and hasattr(signal, 'setitimer'):
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.setitimer(signal.ITIMER_REAL, 10 * seconds)

    def done(self) -> None:
        """Lift the limit; signals stay as they are."""
        self._limit = float('inf')
        if self._in_main and hasattr(signal, 'setitimer'):
            signal.setitimer(signal.ITIMER_REAL, 0.0)

    def _watch(self) -> None:
        while True:
            came, _, _ = select.select([self._pipe], [], [], 0.1)
            now = time.monotonic()
            if now > self._limit or (came and os.read(self._pipe, 1)[0] in _ENDING
                                     and now > self._begun + self.GRACE):
                os._exit(self._code)


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
