"""Message synchronisation by exact stamp: a set is released once, when all inputs have arrived."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

Key = int | str


class StampSync:
    """Collects ``inputs`` named values of each stamp, in any order of arrival.

    Stamps already released are remembered only as the newest one, so memory is bounded by the
    incomplete stamps, of which the oldest are dropped beyond ``depth``.
    """

    def __init__(self, inputs: int, depth: int = 100) -> None:
        self._inputs = inputs
        self._depth = depth
        self._waiting: dict[int, dict[Key, Any]] = {}
        self.released: int | None = None  # the newest released stamp (ns)

    def put(self, stamp_ns: int, values: Mapping[Key, Any]) -> dict[Key, Any] | None:
        """Take values of a stamp; return all of that stamp when it is complete.

        Values that are not newer than the newest released stamp are dropped.
        """
        if self.released is not None and stamp_ns <= self.released:
            return None
        gathered = self._waiting.setdefault(stamp_ns, {})
        gathered.update(values)
        if len(gathered) < self._inputs:
            while len(self._waiting) > self._depth:
                del self._waiting[min(self._waiting)]
            return None
        self.released = stamp_ns
        for stamp in [s for s in self._waiting if s <= stamp_ns]:
            del self._waiting[stamp]
        return gathered

    def lacks(self, keys: Collection[Key]) -> bool:
        """Tell whether a stamp that has begun is still without one of these values."""
        return any(key not in gathered for gathered in self._waiting.values() for key in keys)

    def clear(self) -> None:
        """Forget everything, as after a reset of the simulation."""
        self._waiting.clear()
        self.released = None
