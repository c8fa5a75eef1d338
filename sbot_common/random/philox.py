"""Philox4x64-10: four random words of a key and a counter, in compiled code.

Salmon et al. (SC 2011), section 3.3: ten rounds of multiplication and exclusive or, which pass all
tests of TestU01. The numbers are those of ``numpy.random.Philox`` and of Random123's
``philox4x64``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sbot_common.compiled.jit import njit_inline, product_halves

Words = tuple[np.uint64, np.uint64, np.uint64, np.uint64]

WORDS = 4  # of a block
_ROUNDS = 10
# The paper's multipliers, chosen for how well one round mixes, and what is added to the key after
# each round: the golden ratio and sqrt(3) - 1 as fractions of 2^64.
_MULTIPLIER_0, _MULTIPLIER_2 = np.uint64(0xD2E7470EE14C6C93), np.uint64(0xCA5A826395121157)
_KEY_STEP_0, _KEY_STEP_1 = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBB67AE8584CAA73B)


@njit_inline
def philox(c0: np.uint64, c1: np.uint64, c2: np.uint64, c3: np.uint64, key_0: np.uint64,
           key_1: np.uint64) -> Any:  # noqa: ANN401
    """Return the block (``Words``) of a counter, the lowest word first, and a key."""
    for _ in range(_ROUNDS):
        low_0, high_0 = product_halves(c0, _MULTIPLIER_0)
        low_2, high_2 = product_halves(c2, _MULTIPLIER_2)
        c0, c1, c2, c3 = high_2 ^ c1 ^ key_0, low_2, high_0 ^ c3 ^ key_1, low_0
        key_0, key_1 = key_0 + _KEY_STEP_0, key_1 + _KEY_STEP_1
    return c0, c1, c2, c3


@njit_inline
def block_of(seed: int, purpose: int, robot: int, tick: int, block: int) -> Any:  # noqa: ANN401
    """Return the words (``Words``) 4 block … 4 block + 3 of a robot's numbers of a tick.

    The key is (seed, purpose), the counter (block + 1, tick, robot, 0): NumPy counts before it
    draws, so these are the words of ``numpy.random.Philox(key=[seed, purpose],
    counter=[0, tick, robot, 0])``.
    """
    return philox(np.uint64(block + 1), np.uint64(tick), np.uint64(robot), np.uint64(0),
                  np.uint64(seed), np.uint64(purpose))
