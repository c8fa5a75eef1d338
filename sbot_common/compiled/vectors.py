"""Vectors of four numbers in compiled code: one machine instruction for four beams or objects.

A vector takes the same operators as a number, and a number beside one counts for all four. So a
formula that uses nothing but operators, ``math.sqrt`` and the functions below is written once, for
numbers and for vectors; each lane of a result has the bits that the number would have, on every
machine. ``sbot_common.compiled.intrinsics`` defines them for numba.
"""

from __future__ import annotations

from sbot_common.compiled.jit import LANES as LANES
from sbot_common.compiled.jit import intrinsic, njit_inline

absolute = intrinsic('absolute')
ceiling = intrinsic('ceiling')
rounded_down = intrinsic('rounded_down')
select = intrinsic('select')
least = intrinsic('least')
greatest = intrinsic('greatest')
splat = intrinsic('splat')
vector = intrinsic('vector')
bits = intrinsic('mask_bits')
load = intrinsic('load')
store = intrinsic('store')
store_whole = intrinsic('store_whole')
load_until = intrinsic('load_until')
append = intrinsic('append')


@njit_inline
def one_bit(lane: int) -> int:
    """Return the mask of a lane, 0 if it is not one of a vector's."""
    return 1 << (lane & (LANES - 1)) if 0 <= lane < LANES else 0
