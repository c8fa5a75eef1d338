"""Command in a child process, whose parent checks that it ended properly.

A user's module can end its process with any exit code at any moment (an exit of os, ``execv``, a
defect of C code). So a command that runs such modules does so in a child, forked before anything
slow is imported, which costs milliseconds. At its end the child says so through a pipe that
other programs do not inherit; exit code 0 without that is no success.

Both stay in one process group, so that a terminal's Ctrl-C, Ctrl-Z and input reach the command as
without this. A signal to the parent alone is passed on; whether the child had it, too, tells the
same pipe, into which Python writes the number of each signal as it comes.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys
import time
from collections.abc import Callable

from sbot_common.signals.interrupts import HANGUP, Interrupts, end_on_signals

_ENDING = (signal.SIGINT, signal.SIGTERM, *HANGUP)
_REACHED = 0x80  # the end, with exit code 0; no signal has this number
_HEARD = 0.2  # s that a signal to both takes to the child, and its note to us
_SAME = 0.2  # s in which signals are one: `timeout` sends its own to a process and to its group
_KILLED = 10.0  # s after a signal, for another program; ours has its own limit

EXIT_EARLY = ('a controller, or another imported module, ended the process before the command '
              'had ended (os._exit, execv)')


def end_with_parent() -> None:
    """Ask Linux for a SIGTERM when the process that started this one dies, even by SIGKILL."""
    if sys.platform == 'linux':
        import ctypes  # not before signals are handled
        ctypes.CDLL(None).prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG


def run_watched(work: Callable[[Interrupts], int]) -> int:
    """Run ``work`` in a child process, in which this returns its exit code.

    Our process waits, and ends with the exit code of the child; with 1, after a line on stderr,
    if that ended before ``work`` had returned.

    Parameters
    ----------
    work : lets signals through (``unblock``), and answers them; it may raise SystemExit

    """
    sys.stdout.flush()  # what is waiting there would be written twice
    sys.stderr.flush()
    parent = os.getpid()
    reports, token = os.pipe()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # whoever ignores it is told of no exit code
    before = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT, signal.SIGTERM))
    child = os.fork()
    if child:
        os.close(token)
        watch = _Watch(child, reports)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        code = watch.wait()
        sys.stderr.flush()
        os._exit(code)  # the interpreter would take itself apart, and handle no signals meanwhile
    os.close(reports)
    os.set_blocking(token, False)
    signal.set_wakeup_fd(token, warn_on_full_buffer=False)
    interrupts = end_on_signals()
    end_with_parent()
    if os.getppid() != parent:
        os.kill(os.getpid(), signal.SIGTERM)
    try:
        code = work(interrupts)
    except BaseException:
        _report(token)
        raise
    _report(token)
    return code


def _report(token: int) -> None:
    with contextlib.suppress(OSError):  # the user's code has closed it: nothing is proven
        os.write(token, bytes([_REACHED]))


class _Watch:
    """Waits for a child process, and passes signals on to it."""

    def __init__(self, child: int, reports: int) -> None:
        self._child, self._reports = child, reports
        self._open = True  # whether the child may write more
        self._reached = False
        self._heard = -float('inf')  # when the child last had a signal
        self._due: tuple[int, float] | None = None  # a signal that the child may not have had
        self._since: float | None = None  # the first signal
        self._signals, write_end = os.pipe()
        os.set_blocking(write_end, False)
        signal.set_wakeup_fd(write_end, warn_on_full_buffer=False)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGCHLD, *(
                number for number in HANGUP if signal.getsignal(number) == signal.SIG_DFL)):
            signal.signal(number, lambda *_: None)

    def wait(self) -> int:
        """Return the exit code of the command."""
        while True:
            ended, status = os.waitpid(self._child, os.WNOHANG)
            if ended:
                self._read_reports()
                return self._code(os.waitstatus_to_exitcode(status))
            self._read(None if self._since is None else _HEARD)
            self._pass_on()

    def _read(self, timeout: float | None) -> None:
        ready, _, _ = select.select([self._signals, *[self._reports] * self._open], [], [],
                                    timeout)
        if self._reports in ready:
            self._read_report()
        if self._signals in ready:
            for number in os.read(self._signals, 4096):
                if number != signal.SIGCHLD:
                    now = time.monotonic()
                    # The first one that is due: more of them must not put it off.
                    self._due, self._since = self._due or (number, now), self._since or now

    def _read_reports(self) -> None:
        while self._open and select.select([self._reports], [], [], 0.0)[0]:
            self._read_report()

    def _read_report(self) -> None:
        report = os.read(self._reports, 4096)
        self._open = bool(report)
        for byte in report:
            if byte == _REACHED:
                self._reached = True
            elif byte in _ENDING:
                self._heard = time.monotonic()
                self._since = self._since or self._heard

    def _pass_on(self) -> None:
        """Send the child a signal that only we have had; kill what it has become by ``execv``."""
        now = time.monotonic()
        if self._due is not None and now > self._due[1] + _HEARD:
            (number, came), self._due = self._due, None
            self._read_reports()  # this process may have waited for a processor since it looked
            if self._heard < came - _SAME:
                os.kill(self._child, number)
        if self._since is not None and not self._open and now > self._since + _KILLED:
            os.kill(self._child, signal.SIGKILL)

    def _code(self, code: int) -> int:
        if code >= 0 and not self._reached and self._since is None:
            print(f'sbot: {EXIT_EARLY}', file=sys.stderr)
            return 1
        if code >= 0:
            return code
        if self._since is not None or -code in _ENDING:
            print('sbot: interrupted', file=sys.stderr)
        else:
            with contextlib.suppress(ValueError):  # a number without a name
                print(f'sbot: killed by {signal.Signals(-code).name} before the command had ended',
                      file=sys.stderr)
        return 1
