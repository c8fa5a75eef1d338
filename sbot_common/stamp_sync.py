"""Which inputs of a stamp are in: a controller acts once when all of them are (lockstep).

Knows no ROS: sources are numbers, payloads are whatever the node keeps.
"""

from __future__ import annotations

from typing import Generic, TypeVar

T = TypeVar('T')


class StampGate(Generic[T]):
    """Collects one payload from each of ``sources`` inputs for a stamp, in any order of arrival.

    Stamps already released are remembered only as the newest one, so memory is bounded by the
    incomplete stamps, of which the oldest are dropped beyond ``depth``.
    """

    def __init__(self, sources: int, depth: int = 100) -> None:
        self._sources = sources
        self._depth = depth
        self._waiting: dict[int, dict[int, T]] = {}
        self.released: int | None = None

    def put(self, source: int, stamp_ns: int, payload: T) -> list[T] | None:
        """Take one input; return the payloads in order of source when the stamp is complete.

        An input older than the newest released stamp is dropped.
        """
        if self.released is not None and stamp_ns <= self.released:
            return None
        inputs = self._waiting.setdefault(stamp_ns, {})
        inputs[source] = payload
        if len(inputs) < self._sources:
            while len(self._waiting) > self._depth:
                del self._waiting[min(self._waiting)]
            return None
        self.released = stamp_ns
        for stamp in [s for s in self._waiting if s <= stamp_ns]:
            del self._waiting[stamp]
        return [inputs[i] for i in range(self._sources)]

    def is_repeat(self, stamp_ns: int) -> bool:
        """Tell whether this stamp is the newest released: a repeat asks for the stored answer."""
        return self.released is not None and stamp_ns == self.released

    def clear(self) -> None:
        """Forget everything, as after a reset of the simulation."""
        self._waiting.clear()
        self.released = None
