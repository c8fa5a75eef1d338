# SPDX-License-Identifier: Apache-2.0
"""The numbers of ``numbers.placement_generator``, in compiled code.

NumPy's SeedSequence of [seed, robot, PLACEMENT] makes the state of PCG64 (O'Neill,
HMC-CS-2014-0905): a linear congruential generator of 128 bits, of which XSL-RR gives 64.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sbot_common.compiled.jit import njit, njit_inline, product_halves
from sbot_common.random.numbers import PLACEMENT

State = NDArray[np.uint64]  # (4,) upper and lower half of the state, then of what a step adds

_POOL, _STATE = 4, 4  # numbers of 32 bits that are mixed, and of 64 bits that come out
_LOW = np.uint64(2**32 - 1)
_HALF, _XSL, _UNIT, _ONE = np.uint64(16), np.uint64(58), np.uint64(11), np.uint64(1)
_WORD, _ALL = np.uint64(32), np.uint64(63)
# SeedSequence: beginnings and factors of its two hashes, and the factors of a mixture.
_BEGIN_A, _TIMES_A = np.uint64(0x43B0D7E5), np.uint64(0x931E8875)
_BEGIN_B, _TIMES_B = np.uint64(0x8B51F9DD), np.uint64(0x58F38DED)
_MIX_LEFT, _MIX_RIGHT = np.uint64(0xCA01F9DD), np.uint64(0x4973F715)
_HIGH_FACTOR, _LOW_FACTOR = np.uint64(2549297995355413924), np.uint64(4865540595714422341)


@njit_inline
def _folded(value: np.uint64) -> np.uint64:
    """Return the lower 32 bits of a number, mixed with their own upper half."""
    value &= _LOW
    return value ^ (value >> _HALF)


@njit
def _step(state: State) -> None:
    """Let the generator go one step: state * factor + what it adds, of 128 bits."""
    low, high = product_halves(state[1], _LOW_FACTOR)
    high += state[0] * _LOW_FACTOR + state[1] * _HIGH_FACTOR + state[2]
    state[1] = low + state[3]
    state[0] = high + _ONE if state[1] < low else high


@njit
def seed_placement(seed: int, robot: int, state: State) -> None:
    """Write the state of ``placement_generator(seed, robot)`` (robot < 2**32) at its beginning."""
    pool, words = np.zeros(_POOL, np.uint64), np.zeros(_STATE, np.uint64)
    pool[0], pool[1] = np.uint64(seed) & _LOW, np.uint64(seed) >> _WORD
    at = 1 if pool[1] == 0 else 2  # a small number is one of 32 bits
    pool[at], pool[at + 1] = np.uint64(robot), np.uint64(PLACEMENT)
    by = _BEGIN_A
    for i in range(_POOL):
        before, by = by, by * _TIMES_A & _LOW
        pool[i] = _folded((pool[i] ^ before) * by)
    for i in range(_POOL):
        for j in range(_POOL):
            if i != j:
                before, by = by, by * _TIMES_A & _LOW
                pool[j] = _folded(_MIX_LEFT * pool[j]
                                  - _MIX_RIGHT * _folded((pool[i] ^ before) * by))
    by = _BEGIN_B
    for i in range(2 * _STATE):
        before, by = by, by * _TIMES_B & _LOW
        word = _folded((pool[i % _POOL] ^ before) * by)
        words[i // 2] |= word << _WORD if i % 2 else word
    state[2], state[3] = words[2] << _ONE | words[3] >> _ALL, words[3] << _ONE | _ONE
    state[1] = state[3] + words[1]
    state[0] = state[2] + words[0] + (_ONE if state[1] < words[1] else _ONE - _ONE)
    _step(state)


@njit
def next_placement(state: State) -> float:
    """Return the generator's next number in [0, 1)."""
    _step(state)
    value, turn = state[0] ^ state[1], state[0] >> _XSL
    value = value >> turn | value << (~turn + _ONE & _ALL)
    return np.int64(value >> _UNIT) * 2.0**-53
