"""Signals that end a command; light to import, so that they are heeded from the start."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from collections.abc import Callable, Iterator
from types import FrameType

_ENDING = ('SIGINT', 'SIGTERM', 'SIGHUP')


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


@contextlib.contextmanager
def held() -> Iterator[Callable[[], None]]:
    """Hold back what a signal raises, until the function that this yields is called.

    An exception out of nowhere while numba turns a result into Python objects ends the process
    with a segmentation fault. A loop over ticks calls the function once a tick; a second signal
    does not wait for that.
    """
    if threading.current_thread() is not threading.main_thread():
        yield lambda: None
        return
    numbers = [getattr(signal, name) for name in _ENDING if hasattr(signal, name)]
    handlers = {number: handler for number in numbers
                if callable(handler := signal.getsignal(number))}
    waiting: list[int] = []

    def note(number: int, frame: FrameType | None) -> None:
        if waiting:
            handlers[number](number, frame)
        waiting.append(number)

    def heed() -> None:
        while waiting:
            number = waiting.pop(0)
            handlers[number](number, None)

    for number in handlers:
        signal.signal(number, note)
    try:
        yield heed
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
    heed()
