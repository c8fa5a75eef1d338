"""Philox4x64-10 against NumPy's, and against the known answers of Random123 (kat_vectors)."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sbot_common.compiled.jit import njit
from sbot_common.random.philox import block_of, philox

WORD = st.integers(0, 2**64 - 1)
SMALL = st.integers(0, 2**63 - 1)
ONES = 2**64 - 1

# Random123, tests/kat_vectors, philox4x64 with 10 rounds: counter, key, answer.
KNOWN = [
    ((0, 0, 0, 0), (0, 0),
     (0x16554D9ECA36314C, 0xDB20FE9D672D0FDC, 0xD7E772CEE186176B, 0x7E68B68AEC7BA23B)),
    ((ONES,) * 4, (ONES,) * 2,
     (0x87B092C3013FE90B, 0x438C3C67BE8D0224, 0x9CC7D7C69CD777B6, 0xA09CAEBF594F0BA0)),
    ((0x243F6A8885A308D3, 0x13198A2E03707344, 0xA4093822299F31D0, 0x082EFA98EC4E6C89),
     (0x452821E638D01377, 0xBE5466CF34E90C6C),
     (0xA528F45403E61D95, 0x38C72DBD566E9788, 0xA5A1610E72FD18B5, 0x57BD43B5E52B7FE6)),
]


@njit
def compiled(counter, key):
    return philox(counter[0], counter[1], counter[2], counter[3], key[0], key[1])


@njit
def compiled_block(seed, purpose, robot, tick, block):
    return block_of(seed, purpose, robot, tick, block)


def words_of(counter, key):
    return compiled(np.array(counter, np.uint64), np.array(key, np.uint64))


@pytest.mark.parametrize(('counter', 'key', 'answer'), KNOWN)
def test_known_answers(counter, key, answer):
    assert words_of(counter, key) == answer


@given(st.tuples(WORD, WORD, WORD, WORD), st.tuples(WORD, WORD))
def test_words_are_numpys(counter, key):
    """NumPy counts before it draws."""
    after = (sum(word << (64 * i) for i, word in enumerate(counter)) + 1) % 2**256
    numpys = np.random.Philox(key=np.array(key, np.uint64), counter=np.array(counter, np.uint64))
    answer = words_of([after >> (64 * i) & ONES for i in range(4)], key)
    assert answer == tuple(numpys.random_raw(4).tolist())


@given(SMALL, st.integers(0, 20), SMALL, SMALL, st.integers(0, 10))
def test_blocks_are_those_of_numpys_generator(seed, purpose, robot, tick, block):
    numpys = np.random.Philox(key=[seed, purpose], counter=[0, tick, robot, 0])
    expected = numpys.random_raw(4 * block + 4)[4 * block:]
    assert compiled_block(seed, purpose, robot, tick, block) == tuple(expected.tolist())
