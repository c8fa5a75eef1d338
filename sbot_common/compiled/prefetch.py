"""Prefetching in compiled code: ask for memory before it is needed.

Robots are looked at in order of place, and their rows are anywhere in memory. A load that waits
for such a row waits alone, because nobody can foresee the branches after it; rows that many robots
are going to need, asked for together, arrive together.
"""

from __future__ import annotations

from typing import Any

from numba import types
from numba.core import cgutils
from numba.core.cgutils import ir
from numba.extending import intrinsic
from numba.np.arrayobj import make_array

TOGETHER = 32  # robots whose memory is asked for before the first of them is looked at

_BYTE, _FLAG = ir.IntType(8), ir.IntType(32)
_TO_READ, _KEEP, _DATA = 0, 3, 1


@intrinsic  # type: ignore[untyped-decorator]
def prefetch(_: Any, array: Any, i: Any) -> Any:  # noqa: ANN401
    """Ask for row i of an array; no result depends on it, and no i is wrong."""
    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:  # noqa: ANN401
        view = make_array(sig.args[0])(context, builder, args[0])
        stride = cgutils.unpack_tuple(builder, view.strides)[0]
        start = builder.bitcast(view.data, _BYTE.as_pointer())
        place = builder.gep(start, [builder.mul(args[1], stride)])
        function = cgutils.get_or_insert_function(builder.module, ir.FunctionType(
            ir.VoidType(), [place.type, _FLAG, _FLAG, _FLAG]), 'llvm.prefetch.p0')
        builder.call(function, [place, _FLAG(_TO_READ), _FLAG(_KEEP), _FLAG(_DATA)])
        return context.get_dummy_value()
    return types.void(array, types.int64), codegen
