"""Vectors of four numbers in compiled code: one machine instruction for four beams or objects.

A vector takes the same operators as a number, and a number beside one counts for all four. So a
formula that uses nothing but operators, ``math.sqrt`` and the functions below is written once, for
numbers and for vectors; each lane of a result has the bits that the number would have, on every
machine. ``sbot_common.compiled.vector_types`` defines them for numba.
"""

from __future__ import annotations

from typing import Any

from sbot_common.compiled.jit import intrinsic, njit_inline

LANES = 4  # numbers in a vector


def _of_vectors(name: str) -> Any:  # noqa: ANN401
    return intrinsic(name, module='sbot_common.compiled.vector_types')


absolute = _of_vectors('absolute')
ceiling = _of_vectors('ceiling')
rounded_down = _of_vectors('rounded_down')
select = _of_vectors('select')
least = _of_vectors('least')
greatest = _of_vectors('greatest')
splat = _of_vectors('splat')
vector = _of_vectors('vector')
bits = _of_vectors('bits')
load = _of_vectors('load')
store = _of_vectors('store')
store_whole = _of_vectors('store_whole')
load_until = _of_vectors('load_until')
append = _of_vectors('append')


@njit_inline
def one_bit(lane: int) -> int:
    """Return the mask of a lane, 0 if it is not one of a vector's."""
    return 1 << (lane & (LANES - 1)) if 0 <= lane < LANES else 0
