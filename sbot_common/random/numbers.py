# SPDX-License-Identifier: Apache-2.0
"""Random numbers by counter (Philox): compiled numbers, and purposes by name.

A robot's numbers of one purpose and tick are counted by an index. Uniform number i is word i of
``numbers._block_of``; normal numbers 2 i and 2 i + 1 are made of the uniform ones 2 i and 2 i + 1.
"""

from __future__ import annotations

import math
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sbot_common.arrays import Floats
from sbot_common.compiled.jit import njit, njit_inline, product_halves, store, vector
from sbot_common.elementary import copy_numbers, log_fast, sincos_fast
from sbot_common.random import PLACEMENT


def purpose_of(name: str) -> int:
    """Return the purpose of a name, without a central list of purposes.

    It is at least 2**32: no number of this list.
    """
    return int.from_bytes(sha256(name.encode()).digest()[:7], 'big') | 1 << 56


# Philox4x64-10: four random words of a key and a counter, in compiled code.
#
# Salmon et al. (SC 2011), section 3.3: ten rounds of multiplication and exclusive or, which pass
# all tests of TestU01. The numbers are those of ``numpy.random.Philox`` and of Random123's
# ``philox4x64``.

WORDS = 4  # of a block
_ROUNDS = 10
# The paper's multipliers, chosen for how well one round mixes, and what is added to the key after
# each round: the golden ratio and sqrt(3) - 1 as fractions of 2^64.
_MULTIPLIER_0, _MULTIPLIER_2 = np.uint64(0xD2E7470EE14C6C93), np.uint64(0xCA5A826395121157)
_KEY_STEP_0, _KEY_STEP_1 = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBB67AE8584CAA73B)


@njit_inline
def _philox(c0: np.uint64, c1: np.uint64, c2: np.uint64, c3: np.uint64, key_0: np.uint64,
           key_1: np.uint64) -> Any:  # noqa: ANN401
    """Return the block of a counter and a key: four words (np.uint64), the lowest first."""
    for _ in range(_ROUNDS):
        low_0, high_0 = product_halves(c0, _MULTIPLIER_0)
        low_2, high_2 = product_halves(c2, _MULTIPLIER_2)
        c0, c1, c2, c3 = high_2 ^ c1 ^ key_0, low_2, high_0 ^ c3 ^ key_1, low_0
        key_0, key_1 = key_0 + _KEY_STEP_0, key_1 + _KEY_STEP_1
    return c0, c1, c2, c3


@njit_inline
def _block_of(seed: int, purpose: int, robot: int, tick: int, block: int) -> Any:  # noqa: ANN401
    """Return the words 4 block … 4 block + 3 of a robot's numbers of a tick.

    The key is (seed, purpose), the counter (block + 1, tick, robot, 0): NumPy counts before it
    draws, so these are the words of ``numpy.random.Philox(key=[seed, purpose],
    counter=[0, tick, robot, 0])``.
    """
    return _philox(np.uint64(block + 1), np.uint64(tick), np.uint64(robot), np.uint64(0),
                  np.uint64(seed), np.uint64(purpose))


_ULP = 2.0**-53  # the upper 53 bits of a word are a multiple of it, as in NumPy


@njit_inline
def _unit(word: np.uint64) -> float:
    """Return the number in [0, 1) of a word."""
    # A signed integer becomes a double by one instruction, an unsigned one does not.
    return np.int64(word >> np.uint64(11)) * _ULP


@njit_inline
def block_vector(seed: int, purpose: int, robot: int, tick: int, block: int) -> float:
    """Return the vector of a robot's numbers 4 block … 4 block + 3 in [0, 1)."""
    a, b, c, d = _block_of(seed, purpose, robot, tick, block)
    four: float = vector(_unit(a), _unit(b), _unit(c), _unit(d))
    return four


@njit_inline
def fill_block(seed: int, purpose: int, robot: int, tick: int, block: int, out: Floats) -> None:
    """Write a robot's numbers 4 block … 4 block + 3 in [0, 1) to their places in ``out``."""
    store(out, WORDS * block, block_vector(seed, purpose, robot, tick, block))


@njit_inline
def _fill_uniforms(seed: int, purpose: int, robot: int, tick: int, count: int,
                  out: Floats) -> None:
    """Write a robot's first ``count`` numbers in [0, 1); ``out`` has room for whole fours."""
    for block in range((count + WORDS - 1) // WORDS):
        fill_block(seed, purpose, robot, tick, block, out)


@njit_inline
def _two_normals(u: float, v: float) -> tuple[float, float]:
    """Return two standard normal numbers for two in [0, 1) (Box and Muller's method)."""
    # 1 - u is in (0, 1]: its logarithm is finite, and both functions need no branch.
    radius = math.sqrt(-2.0 * log_fast(1.0 - u))
    sine, cosine = sincos_fast(2.0 * math.pi * v)
    return radius * cosine, radius * sine


@njit_inline
def _make_normal(numbers: Floats, pairs: int) -> None:
    """Replace pairs of uniform numbers by normal ones; in vectors, which is why it is a loop."""
    for i in range(pairs):
        numbers[2 * i], numbers[2 * i + 1] = _two_normals(numbers[2 * i], numbers[2 * i + 1])


@njit_inline
def fill_normals(seed: int, purpose: int, robot: int, tick: int, count: int,
                 out: Floats) -> None:
    """Write a robot's first ``count`` standard normal numbers, with room as above."""
    _fill_uniforms(seed, purpose, robot, tick, count, out)
    _make_normal(out, (count + 1) // 2)


@njit
def uniforms(seed: int, purpose: int, robots: NDArray[np.int64], tick: int,
             count: int) -> Floats:
    """Return the first ``count`` numbers in [0, 1) of some robots in a tick: (M, count).

    Parameters
    ----------
    seed : >= 0, below 2**63
    purpose : a constant of ``sbot_common.random.numbers``
    robots : (M,) their ids
    tick : >= 0
    count : of each robot

    """
    out, room = np.empty((len(robots), count)), np.empty(count + WORDS)
    for j in range(len(robots)):
        _fill_uniforms(seed, purpose, robots[j], tick, count, room)
        copy_numbers(room, out[j])
    return out


@njit
def uniforms_of_worlds(seeds: NDArray[np.int64], purpose: int, robot: int,
                       ticks: NDArray[np.int64], count: int) -> Floats:
    """Return ``uniforms`` of one id in M worlds, (M, count); seeds and ticks (M,) are theirs."""
    out, room = np.empty((len(seeds), count)), np.empty(count + WORDS)
    for k in range(len(seeds)):
        _fill_uniforms(seeds[k], purpose, robot, ticks[k], count, room)
        copy_numbers(room, out[k])
    return out


@njit
def normals(seed: int, purpose: int, robots: int, tick: int, count: int,
            first: int = 0) -> Floats:
    """Return the first ``count`` standard normal numbers of N robots: (N, count).

    Parameters are those of ``uniforms``; ``robots`` is N, ``first`` the id of the first one.
    """
    width = count + count % 2
    numbers, room = np.empty(robots * width), np.empty(count + WORDS)
    for j in range(robots):
        _fill_uniforms(seed, purpose, first + j, tick, count, room)
        for i in range(width):
            numbers[j * width + i] = room[i]
    _make_normal(numbers, robots * width // 2)
    out = np.empty((robots, count))
    for j in range(robots):
        for i in range(count):
            out[j, i] = numbers[j * width + i]
    return out


# The numbers of ``placement_generator``, in compiled code.
#
# NumPy's SeedSequence of [seed, robot, PLACEMENT] makes the state of PCG64 (O'Neill,
# HMC-CS-2014-0905): a linear congruential generator of 128 bits, of which XSL-RR gives 64.


State = NDArray[np.uint64]  # (4,) upper and lower half of the state, then of what a step adds

_POOL, _STATE = 4, 4  # numbers of 32 bits that are mixed, and of 64 bits that come out
_LOW = np.uint64(2**32 - 1)
_HALF, _XSL, _UNIT, _ONE = np.uint64(16), np.uint64(58), np.uint64(11), np.uint64(1)
_SHIFT, _ALL = np.uint64(32), np.uint64(63)
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
    pool[0], pool[1] = np.uint64(seed) & _LOW, np.uint64(seed) >> _SHIFT
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
        words[i // 2] |= word << _SHIFT if i % 2 else word
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
