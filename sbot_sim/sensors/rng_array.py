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

from sbot_common.compiled.jit import njit, njit_inner
from sbot_common.elementary import log, sincos
from sbot_sim.sensors.rng_seeding import MULTIPLIER, advanced, product, seed_states

Floats = NDArray[np.float64]
States = NDArray[np.uint64]

_ULP = 2.0**-53


class Jump(NamedTuple):
    """How a state changes over several draws: 128-bit factors of it and of its increment."""

    factor_high: np.uint64
    factor_low: np.uint64
    increments_high: np.uint64
    increments_low: np.uint64


def generator_states(seed: int, robot_ids: Iterable[int], stream: int) -> States:
    """Return (N, 4) states of ``rng.generator(seed, id, stream)``.

    A row is the state and the increment, the upper 64 bits of each first.
    """
    ids = np.array(list(robot_ids), np.uint64)
    states = np.empty((len(ids), 4), np.uint64)
    seed_states(states, seed, ids, stream)
    return states


@njit_inner
def next_uniform(states: States, j: int) -> float:
    """Return robot j's next number in [0, 1) and advance its state in place."""
    high, low = advanced(states[j, 0], states[j, 1], states[j, 2], states[j, 3])
    states[j, 0], states[j, 1] = high, low
    return _uniform_of(high, low)


@njit_inner
def _uniform_of(high: np.uint64, low: np.uint64) -> float:
    """Return the number in [0, 1) of a state."""
    mixed = high ^ low
    turn = high >> np.uint64(58)
    word = (mixed >> turn) | (mixed << ((np.uint64(64) - turn) & np.uint64(63)))
    return float(word >> np.uint64(11)) * _ULP


@njit_inner
def look_ahead(states: States, j: int, count: int, out: Floats) -> None:
    """Write robot j's next ``count`` numbers in [0, 1), and leave its state as it is."""
    # The state stays in registers, which is much faster than through memory.
    high, low, increment_high, increment_low = (states[j, 0], states[j, 1], states[j, 2],
                                                states[j, 3])
    for i in range(count):
        high, low = advanced(high, low, increment_high, increment_low)
        out[i] = _uniform_of(high, low)


def make_jump(count: int) -> Jump:
    """Return what ``skip_uniforms`` needs to leave out ``count`` numbers."""
    # After n draws the state is m^n times the state plus (1 + m + ... + m^(n-1)) increments.
    factor = pow(MULTIPLIER, count, 2**128)
    increments = sum(pow(MULTIPLIER, k, 2**128) for k in range(count)) % 2**128
    return Jump(*(np.uint64(part >> shift & (2**64 - 1))
                  for part in (factor, increments) for shift in (64, 0)))


@njit
def skip_uniforms(states: States, j: int, jump: Jump) -> None:
    """Advance robot j's state in place as so many draws do; their numbers are not wanted."""
    high, low = product(states[j, 0], states[j, 1], jump.factor_high, jump.factor_low)
    more_high, more_low = product(states[j, 2], states[j, 3], jump.increments_high,
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


@njit_inner
def _two_normals(u: float, v: float) -> tuple[float, float]:
    """Return two standard normal numbers for two in [0, 1) (Box and Muller's method)."""
    # 1 - u is in (0, 1]: its logarithm is finite.
    radius = math.sqrt(-2.0 * log(1.0 - u))
    sine, cosine = sincos(2.0 * math.pi * v)
    return radius * cosine, radius * sine


@njit_inner
def next_normals(states: States, j: int) -> tuple[float, float]:
    """Return robot j's next two standard normal numbers, for two draws of ``next_uniform``."""
    u = next_uniform(states, j)
    return _two_normals(u, next_uniform(states, j))
