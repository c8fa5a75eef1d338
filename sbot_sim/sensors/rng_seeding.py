"""Seeding of the robots' random generators, bit-compatible with NumPy's SeedSequence and PCG64.

NumPy makes a generator in fifteen microseconds; thousands of worlds need hundreds of thousands.
The algorithms are those that NumPy documents, by M. E. O'Neill: ``seed_seq_fe`` for the seeds and
PCG XSL RR 128/64.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sbot_common.compiled.jit import njit, njit_inner, product_high

States = NDArray[np.uint64]
Words = NDArray[np.uint64]

MULTIPLIER = 0x2360ED051FC65DA44385DF649FCCF645  # of PCG64
_MULTIPLIER_HIGH = np.uint64(MULTIPLIER >> 64)
_MULTIPLIER_LOW = np.uint64(MULTIPLIER & (2**64 - 1))
_LOW_HALF = np.uint64(0xFFFFFFFF)
_32 = np.uint64(32)

# Of SeedSequence; its words have 32 bits, kept in 64 here.
_POOL = 4
_INIT_A, _MULT_A = np.uint64(0x43B0D7E5), np.uint64(0x931E8875)
_INIT_B, _MULT_B = np.uint64(0x8B51F9DD), np.uint64(0x58F38DED)
_MIX_LEFT, _MIX_RIGHT = np.uint64(0xCA01F9DD), np.uint64(0x4973F715)
_16 = np.uint64(16)


@njit_inner
def product(high: np.uint64, low: np.uint64, factor_high: np.uint64,
             factor_low: np.uint64) -> tuple[np.uint64, np.uint64]:
    """Return the lower 128 bits of a product of two 128-bit numbers, the upper half first."""
    return (product_high(low, factor_low) + high * factor_low + low * factor_high,
            low * factor_low)


@njit_inner
def advanced(high: np.uint64, low: np.uint64, increment_high: np.uint64,
             increment_low: np.uint64) -> tuple[np.uint64, np.uint64]:
    """Return a generator's next state: the state times the multiplier, plus the increment."""
    high, low = product(high, low, _MULTIPLIER_HIGH, _MULTIPLIER_LOW)
    new_low = low + increment_low
    carry = np.uint64(1) if new_low < low else np.uint64(0)
    return high + increment_high + carry, new_low


@njit_inner
def _hashed(word: np.uint64, constant: np.uint64) -> np.uint64:
    """Return a word hashed; the constant is that of the last word, times the multiplier."""
    word = (word * constant) & _LOW_HALF
    return word ^ (word >> _16)


@njit_inner
def _mixed(x: np.uint64, y: np.uint64) -> np.uint64:
    """Return two words mixed to one."""
    word = (_MIX_LEFT * x - _MIX_RIGHT * y) & _LOW_HALF
    return word ^ (word >> _16)


@njit_inner
def _fill_pool(entropy: Words, count: int, pool: Words) -> None:
    """Fill a SeedSequence's pool from ``count`` words."""
    constant = _INIT_A
    for i in range(_POOL):
        word = (entropy[i] if i < count else np.uint64(0)) ^ constant
        constant = (constant * _MULT_A) & _LOW_HALF
        pool[i] = _hashed(word, constant)
    for source in range(max(_POOL, count)):
        for i in range(_POOL):
            if i == source:
                continue
            word = (pool[source] if source < _POOL else entropy[source]) ^ constant
            constant = (constant * _MULT_A) & _LOW_HALF
            pool[i] = _mixed(pool[i], _hashed(word, constant))


@njit_inner
def _add_words(number: np.uint64, entropy: Words, count: int) -> int:
    """Append a number, lower half first, without leading zeros; return the new count."""
    entropy[count] = number & _LOW_HALF
    if number >> _32 == np.uint64(0):
        return count + 1
    entropy[count + 1] = number >> _32
    return count + 2


@njit
def seed_states(states: States, seed: int, robot_ids: NDArray[np.uint64], stream: int) -> None:
    """Write the states of ``sbot_common.rng.generator(seed, id, stream)`` of new generators.

    Parameters
    ----------
    states : (N, 4) written: state and increment, the upper 64 bits of each first
    seed : >= 0, below 2**63
    robot_ids : (N,)
    stream : a constant of ``sbot_common.rng``

    """
    entropy, pool, words = np.empty(6, np.uint64), np.empty(_POOL, np.uint64), np.empty(
        4, np.uint64)
    for j in range(len(robot_ids)):
        count = _add_words(np.uint64(seed), entropy, 0)
        count = _add_words(robot_ids[j], entropy, count)
        count = _add_words(np.uint64(stream), entropy, count)
        _fill_pool(entropy, count, pool)
        constant = _INIT_B
        for i in range(8):
            word = pool[i % _POOL] ^ constant
            constant = (constant * _MULT_B) & _LOW_HALF
            word = _hashed(word, constant)
            words[i // 2] = word if i % 2 == 0 else words[i // 2] | (word << _32)
        # PCG64: from state 0 one step, add the first two words, another step.
        high = (words[2] << np.uint64(1)) | (words[3] >> np.uint64(63))
        low = (words[3] << np.uint64(1)) | np.uint64(1)
        sum_low = low + words[1]
        sum_high = high + words[0] + (np.uint64(1) if sum_low < low else np.uint64(0))
        states[j, 0], states[j, 1] = advanced(sum_high, sum_low, high, low)
        states[j, 2], states[j, 3] = high, low
