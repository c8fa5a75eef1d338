# SPDX-License-Identifier: Apache-2.0
"""Checks of function arguments: whole numbers within limits, arrays of finite numbers."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sbot_common.errors import bad_value

_WHOLE = (int, np.integer)
_FLOAT64 = np.dtype(np.float64)


def whole(name: str, value: Any, least: int, most: int) -> int:  # noqa: ANN401
    """Return an argument that is to be a whole number within limits.

    Raises
    ------
    InputError
        for anything else, ``True`` and 1.0 among it.

    """
    if type(value) is int and least <= value <= most:
        return value
    if isinstance(value, bool) or not isinstance(value, _WHOLE) or not least <= value <= most:
        raise bad_value(name, value, f'a whole number from {least} to {most}')
    return int(value)


def number(name: str, value: Any) -> float:  # noqa: ANN401
    """Return an argument that is to be one finite number.

    Raises
    ------
    InputError
        for anything else, ``True`` among it.

    """
    if isinstance(value, bool | np.bool_):
        raise bad_value(name, value, 'a finite number')
    return float(numbers(name, value, ()))


def numbers(name: str, value: Any, *shapes: tuple[int, ...]) -> NDArray[np.float64]:  # noqa: ANN401
    """Return an argument that is to be finite numbers as an array of one of the shapes.

    Raises
    ------
    InputError
        for another shape, or anything that NumPy does not take for numbers.

    """
    array = floats(name, value, shapes)
    finite = np.isfinite(array)
    if not np.logical_and.reduce(finite, axis=None):  # in half the time of all()
        raise bad_value(name, float(array[~finite][0]), 'finite numbers')
    return array


def floats(name: str, value: Any, shapes: Collection[tuple[int, ...]]) -> NDArray[np.float64]:  # noqa: ANN401
    """Do the work of ``numbers``, but for finding those that are not finite."""
    array = value if type(value) is np.ndarray else as_array(name, value)
    if array.dtype is not _FLOAT64:  # a third of the time of !=; others are converted below
        if array.dtype.kind not in 'iufb':
            raise bad_value(name, value, 'finite numbers')
        array = array.astype(np.float64)
    if array.shape not in shapes:
        raise bad_value(name, f'shape {array.shape}',
                        ' or '.join(f'shape {shape}' for shape in shapes))
    return array


def as_array(name: str, value: Any) -> NDArray[Any]:  # noqa: ANN401
    """Return an argument as an array of whatever it has.

    Raises
    ------
    InputError
        for rows of different lengths, and where a class of others refuses.

    """
    try:
        return np.asarray(value)
    except Exception:
        raise bad_value(name, value, 'an array of numbers') from None
