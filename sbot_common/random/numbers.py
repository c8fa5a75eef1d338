"""Uniform and normal random numbers of robots, in compiled code.

A robot's numbers of one purpose and tick are counted by an index. Uniform number i is word i of
``philox.block_of``; normal numbers 2 i and 2 i + 1 are made of the uniform ones 2 i and 2 i + 1.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from sbot_common.compiled.jit import njit, njit_inline
from sbot_common.elementary import log_fast, sincos_fast
from sbot_common.elementary.copying import copy_numbers
from sbot_common.random.philox import WORDS, block_of

Floats = NDArray[np.float64]

_ULP = 2.0**-53  # the upper 53 bits of a word are a multiple of it, as in NumPy


@njit_inline
def _unit(word: np.uint64) -> float:
    """Return the number in [0, 1) of a word."""
    # A signed integer becomes a double by one instruction, an unsigned one does not.
    return np.int64(word >> np.uint64(11)) * _ULP


@njit_inline
def fill_block(seed: int, purpose: int, robot: int, tick: int, block: int, out: Floats) -> None:
    """Write a robot's numbers 4 block … 4 block + 3 in [0, 1) to their places in ``out``."""
    a, b, c, d = block_of(seed, purpose, robot, tick, block)
    i = WORDS * block
    out[i], out[i + 1], out[i + 2], out[i + 3] = _unit(a), _unit(b), _unit(c), _unit(d)


@njit_inline
def fill_uniforms(seed: int, purpose: int, robot: int, tick: int, count: int,
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
    fill_uniforms(seed, purpose, robot, tick, count, out)
    _make_normal(out, (count + 1) // 2)


@njit
def uniforms(seed: int, purpose: int, robots: NDArray[np.int64], tick: int,
             count: int) -> Floats:
    """Return the first ``count`` numbers in [0, 1) of some robots in a tick: (M, count).

    Parameters
    ----------
    seed : >= 0, below 2**63
    purpose : a constant of ``sbot_common.random.purposes``
    robots : (M,) their ids
    tick : >= 0
    count : of each robot

    """
    out, room = np.empty((len(robots), count)), np.empty(count + WORDS)
    for j in range(len(robots)):
        fill_uniforms(seed, purpose, robots[j], tick, count, room)
        copy_numbers(room, out[j])
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
        fill_uniforms(seed, purpose, first + j, tick, count, room)
        for i in range(width):
            numbers[j * width + i] = room[i]
    _make_normal(numbers, robots * width // 2)
    out = np.empty((robots, count))
    for j in range(robots):
        for i in range(count):
            out[j, i] = numbers[j * width + i]
    return out


@njit
def normals_of_worlds(seeds: NDArray[np.int64], purpose: int, robots: int,
                      ticks: NDArray[np.int64], count: int) -> Floats:
    """Return ``normals`` of M worlds, one after the other: (M * robots, count).

    ``seeds`` and ``ticks`` are those of each world (M,).
    """
    out, room = np.empty((len(seeds) * robots, count)), np.empty(count + WORDS)
    for k in range(len(seeds)):
        for j in range(robots):
            fill_normals(seeds[k], purpose, j, ticks[k], count, room)
            copy_numbers(room, out[k * robots + j])
    return out
