"""Bit patterns of doubles in compiled code, as whole numbers and back."""

from __future__ import annotations

from typing import Any

from numba import types
from numba.extending import intrinsic


@intrinsic  # type: ignore[untyped-decorator]
def bits(_: Any, x: Any) -> Any:  # noqa: ANN401
    """Return the bit pattern of a double as int64; other numbers are converted first."""
    def codegen(context: Any, builder: Any, _: Any, args: Any) -> Any:  # noqa: ANN401
        return builder.bitcast(args[0], context.get_value_type(types.int64))
    return types.int64(types.float64), codegen


@intrinsic  # type: ignore[untyped-decorator]
def double(_: Any, pattern: Any) -> Any:  # noqa: ANN401
    """Return the double of a bit pattern."""
    def codegen(context: Any, builder: Any, _: Any, args: Any) -> Any:  # noqa: ANN401
        return builder.bitcast(args[0], context.get_value_type(types.float64))
    return types.float64(types.int64), codegen
