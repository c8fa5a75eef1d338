"""Signals that end a command; light to import, so that they are heeded from the start."""

from __future__ import annotations

import os
import signal


def end_on_signals() -> None:
    """Make SIGTERM, and a closed terminal, end the run as Ctrl-C does.

    So bags are closed and nodes, which have sessions of their own, are stopped. SIGINT itself is
    set, too: whoever starts this in a shell's background has it ignored.
    """
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt
    signal.signal(signal.SIGINT, interrupt)
    signal.signal(signal.SIGTERM, interrupt)
    if os.name == 'posix' and signal.getsignal(signal.SIGHUP) == signal.SIG_DFL:  # not by nohup
        signal.signal(signal.SIGHUP, interrupt)
