"""Copies from array to array in compiled code, number by number.

``out[a:z] = values`` does the same, but numba compiles for it a comparison of the shapes and its
message, with functions of text: that takes longer to compile than most of the functions here.
"""

from __future__ import annotations

from typing import Any

from sbot_common.compiled.jit import njit_inner


@njit_inner
def copy_numbers(values: Any, out: Any) -> None:  # noqa: ANN401 - arrays of one type
    """Write the numbers (N,) to ``out`` (N,), which must not overlap them."""
    for i in range(out.shape[0]):
        out[i] = values[i]


@njit_inner
def copy_rows(values: Any, out: Any) -> None:  # noqa: ANN401 - arrays of one type
    """Write the rows (N, M) to ``out`` (N, M), which must not overlap them."""
    for i in range(out.shape[0]):
        for k in range(out.shape[1]):
            out[i, k] = values[i, k]
