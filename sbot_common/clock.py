# SPDX-License-Identifier: Apache-2.0
"""Simulated time as whole ticks: stamps and time step from the rate (docs/lockstep.md)."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import NamedTuple

from sbot_common.errors import bad_value

NANOSECONDS = 1_000_000_000
_HUGE = re.compile(r'.{60}|[eE][+-]?[0-9]{3}')  # takes time and memory, and is no rate


class Rate(NamedTuple):
    """Ticks a second as an exact fraction, ``numerator / denominator`` hertz."""

    numerator: int
    denominator: int

    @property
    def hz(self) -> float:
        """The rate (Hz), rounded once."""
        return self.numerator / self.denominator

    @property
    def dt(self) -> float:
        """The length of a tick (s), rounded once."""
        return self.denominator / self.numerator

    def stamp_ns(self, tick: int) -> int:
        """Return the stamp of tick k: (k + 1)/rate in nanoseconds, rounded down; never 0."""
        return (tick + 1) * NANOSECONDS * self.denominator // self.numerator

    def tick(self, stamp_ns: int) -> int:
        """Return the last tick whose stamp is at most ``stamp_ns`` (-1 before the first)."""
        # Rounding down loses up to 1 ns of a stamp, so the inverse must look 1 ns ahead.
        return -(-(stamp_ns + 1) * self.numerator // (NANOSECONDS * self.denominator)) - 2

    def ticks(self, seconds: float) -> int:
        """Return how many ticks last at least ``seconds`` (s), read as its shortest decimal."""
        return -int(-Fraction(str(seconds)) * self.numerator // self.denominator)

    def __str__(self) -> str:
        return str(Fraction(self.numerator, self.denominator))

    @classmethod
    def parse(cls, value: int | float | str, where: str = 'rate') -> Rate:
        """Return the rate for 30, 12.5 or '100/3' (Hz).

        Raises
        ------
        InputError
            if it is not a positive number or fraction, or above 1 GHz.

        """
        expected = 'a positive whole number or fraction of hertz, e.g. 30 or 100/3'
        if isinstance(value, bool) or not isinstance(value, int | float | str) or _HUGE.search(
                str(value)):
            raise bad_value(where, value, expected)
        try:
            fraction = Fraction(str(value))
        except (ValueError, ZeroDivisionError):
            raise bad_value(where, value, expected) from None
        if not 0 < fraction <= NANOSECONDS:
            raise bad_value(where, value, expected)
        return cls(fraction.numerator, fraction.denominator)


def in_seconds(seconds: float) -> str:
    """Return a time as text, `54.67 s`: to a hundredth of a second, below 1 s to 4 digits."""
    return f'{round(seconds, 2):.12g} s' if abs(seconds) >= 1.0 else f'{seconds:.4g} s'
