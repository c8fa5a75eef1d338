# SPDX-License-Identifier: Apache-2.0
"""Random numbers by counter: a number is a function of seed, robot, purpose, tick and index.

J. K. Salmon, M. A. Moraes, R. O. Dror and D. E. Shaw, Parallel Random Numbers: As Easy as 1, 2, 3
(SC 2011). There is no state: whoever draws changes nothing, the order of draws means nothing, and
a sensor that is off draws nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np

# NumPy generators of seed, robot, purpose and tick; no global generator.

# What the numbers are made with: recordings name it, so that those of another generator tell.
SOURCE = 'Philox4x64-10 by tick'
# Purposes: half of a generator's key is a purpose's number.
# New purposes go to the end: another number is another stream, and changes recorded results.
# 6, 7 and 9 are those of sensors (``sbot_sim.sensors``).
CONTROLLER, INFRARED, SCAN, ODOMETRY, PLACEMENT, TURBULENCE = range(6)
WHEEL_RADIUS, KNOWLEDGE = 8, 10


_WORD = 2**64 - 1


class TickGenerator:
    """A robot's NumPy generator that is set to a tick, whatever was drawn before.

    Its numbers are those of ``numbers.uniforms``: random(n) at once, or one by one.
    """

    def __init__(self, seed: int, robot: int, purpose: int) -> None:
        philox = np.random.Philox(key=np.array([seed, purpose], np.uint64))
        self.generator = np.random.Generator(philox)
        self._counter = np.array([0, 0, robot, 0], np.uint64)
        self._tick: int | None = None
        # NumPy copies all of it; an empty buffer is one of which all four words are used.
        self._start: Any = {**philox.state, 'buffer_pos': 4, 'has_uint32': 0, 'uinteger': 0}
        self._start['state']['counter'] = self._counter

    def at(self, tick: int) -> np.random.Generator:
        """Return the generator at the first number of a tick; it is one object for all ticks.

        A second turn in a tick, of a node that runs faster than its inputs come, goes on with the
        next numbers.
        """
        if tick != self._tick:
            self._tick = tick
            self._counter[1] = tick & _WORD  # before the first stamp the tick is -1
            self.generator.bit_generator.state = self._start
        return self.generator

    @property
    def drawn(self) -> bool:
        """Whether anything was drawn in this tick."""
        state: Any = self.generator.bit_generator.state
        return bool(state['buffer_pos'] != 4 or state['has_uint32']
                    or (state['state']['counter'] != self._counter).any())


def generator(seed: int, robot: int, purpose: int, tick: int = 0) -> np.random.Generator:
    """Return a generator at the first of a robot's numbers of a tick."""
    return TickGenerator(seed, robot, purpose).at(tick)


def placement_generator(seed: int, robot: int) -> np.random.Generator:
    """Return the generator of placement: PCG64 of SeedSequence([seed, robot, PLACEMENT]).

    It is of another kind than all others, so that a seed places robots where it always did.
    Compiled code has the same numbers by ``next_placement``.
    """
    return np.random.Generator(np.random.PCG64(
        np.random.SeedSequence([seed, robot, PLACEMENT])))
