"""Orderly end of a node's process, undisturbed by signals."""

from __future__ import annotations

import os
import select
import signal
import threading
import time

_ENDING = (signal.SIGINT, signal.SIGTERM)

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
            left, _ = signal.setitimer(signal.ITIMER_REAL, 10 * seconds)
            if 0.0 < left < 10 * seconds:  # the limit since a signal
                signal.setitimer(signal.ITIMER_REAL, left)

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
