"""Clock of time-outs: wall time without the times in which the machine stood still.

A machine that is suspended or overloaded, and a process that is stopped, lose seconds in which
nobody could answer. A time-out that counted them would blame nodes that are well.
"""

from __future__ import annotations

import time
from collections.abc import Callable


class AwakeClock:
    """Clock that advances by at most ``longest`` s between two calls; it is to be called often.

    Parameters
    ----------
    clock : returns wall time (s); never goes back
    longest : s; some times longer than the calls are apart

    """

    def __init__(self, clock: Callable[[], float] = time.monotonic,
                 longest: float = 0.25) -> None:
        self._clock, self._longest = clock, longest
        self._time, self._seen = 0.0, clock()

    def __call__(self) -> float:
        """Return the time since it was made (s)."""
        now = self._clock()
        self._time += min(now - self._seen, self._longest)
        self._seen = now
        return self._time
