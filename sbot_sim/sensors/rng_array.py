"""Array of the robots' random generators, bit-compatible with NumPy's PCG64.

``sbot_common.rng.generator`` makes one generator object for a robot and a purpose; a draw from
it costs a microsecond. Here its state is four integers in a row of an array, and draws of
thousands of robots are compiled. Drawing advances the array in place, as it does an object.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot_common.elementary import log, sincos
from sbot_common.jit import njit, njit_inner
from sbot_common.rng import generator

Floats = NDArray[np.float64]
States = NDArray[np.uint64]

_MASK = 2**64 - 1
_MULTIPLIER = 0x2360ED051FC65DA44385DF649FCCF645  # of PCG64
_MULTIPLIER_HIGH = np.uint64(_MULTIPLIER >> 64)
_MULTIPLIER_LOW = np.uint64(_MULTIPLIER & _MASK)
_LOW_HALF = np.uint64(0xFFFFFFFF)
_32 = np.uint64(32)
_ULP = 2.0**-53


class Jump(NamedTuple):
    """How a state changes over several draws: 128-bit factors of it and of its increment."""

    factor_high: np.uint64
    factor_low: np.uint64
    increments_high: np.uint64
    increments_low: np.uint64


def generator_states(seed: int, robot_ids: Iterable[int], stream: int) -> States:
    """Return (N, 4) states of ``streams.generator(seed, id, stream)``.

    A row is the state and the increment, the upper 64 bits of each first.
    """
    rows = []
    for robot_id in robot_ids:
        state = generator(seed, robot_id, stream).bit_generator.state['state']
        rows.append([part >> shift & _MASK for part in (state['state'], state['inc'])
                     for shift in (64, 0)])
    return np.array(rows, np.uint64).reshape(-1, 4)


@njit_inner
def _product_high(a: np.uint64, b: np.uint64) -> np.uint64:
    """Return the upper 64 bits of the 128-bit product of two numbers."""
    a0, a1 = a & _LOW_HALF, a >> _32
    b0, b1 = b & _LOW_HALF, b >> _32
    middle = a1 * b0 + (a0 * b0 >> _32)
    carry = (middle & _LOW_HALF) + a0 * b1
    return a1 * b1 + (middle >> _32) + (carry >> _32)


@njit_inner
def _product(high: np.uint64, low: np.uint64, factor_high: np.uint64,
             factor_low: np.uint64) -> tuple[np.uint64, np.uint64]:
    """Return the lower 128 bits of a product of two 128-bit numbers, the upper half first."""
    return (_product_high(low, factor_low) + high * factor_low + low * factor_high,
            low * factor_low)


@njit_inner
def next_uniform(states: States, j: int) -> float:
    """Return robot j's next number in [0, 1) and advance its state in place."""
    high, low = _product(states[j, 0], states[j, 1], _MULTIPLIER_HIGH, _MULTIPLIER_LOW)
    new_low = low + states[j, 3]
    carry = np.uint64(1) if new_low < low else np.uint64(0)
    high = high + states[j, 2] + carry
    states[j, 0], states[j, 1] = high, new_low
    mixed = high ^ new_low
    turn = high >> np.uint64(58)
    word = (mixed >> turn) | (mixed << ((np.uint64(64) - turn) & np.uint64(63)))
    return float(word >> np.uint64(11)) * _ULP


def make_jump(count: int) -> Jump:
    """Return what ``skip_uniforms`` needs to leave out ``count`` numbers."""
    # After n draws the state is m^n times the state plus (1 + m + ... + m^(n-1)) increments.
    factor = pow(_MULTIPLIER, count, 2**128)
    increments = sum(pow(_MULTIPLIER, k, 2**128) for k in range(count)) % 2**128
    return Jump(*(np.uint64(part >> shift & _MASK)
                  for part in (factor, increments) for shift in (64, 0)))


@njit
def skip_uniforms(states: States, j: int, jump: Jump) -> None:
    """Advance robot j's state in place as so many draws do; their numbers are not wanted."""
    high, low = _product(states[j, 0], states[j, 1], jump.factor_high, jump.factor_low)
    more_high, more_low = _product(states[j, 2], states[j, 3], jump.increments_high,
                                   jump.increments_low)
    new_low = low + more_low
    carry = np.uint64(1) if new_low < low else np.uint64(0)
    states[j, 0], states[j, 1] = high + more_high + carry, new_low


@njit
def _uniforms(states: States, count: int) -> Floats:
    out = np.empty((states.shape[0], count))
    for j in range(states.shape[0]):
        for i in range(count):
            out[j, i] = next_uniform(states, j)
    return out


def uniforms(generators: States | Sequence[np.random.Generator], count: int) -> Floats:
    """Return (N, count) numbers in [0, 1): ``count`` draws from each robot's generator.

    Parameters
    ----------
    generators : (N, 4) states, advanced in place, or N generators of NumPy: the same numbers
    count : draws of each robot

    """
    if isinstance(generators, np.ndarray):
        return _uniforms(generators, count)
    return np.array([g.random(count) for g in generators]).reshape(-1, count)


@njit
def _normals(uniform: Floats) -> Floats:
    out = np.empty_like(uniform)
    for j in range(uniform.shape[0]):
        for i in range(0, uniform.shape[1], 2):
            # 1 - u is in (0, 1]: its logarithm is finite.
            radius = math.sqrt(-2.0 * log(1.0 - uniform[j, i]))
            sine, cosine = sincos(2.0 * math.pi * uniform[j, i + 1])
            out[j, i] = radius * cosine
            out[j, i + 1] = radius * sine
    return out


def normals(generators: States | Sequence[np.random.Generator], count: int) -> Floats:
    """Return (N, count) standard normal numbers (Box and Muller's method).

    They cost ``count`` draws of each robot, one more if that is odd, whatever the values.
    """
    return _normals(uniforms(generators, count + count % 2))[:, :count]
