"""Arguments of worlds, checked: names, numbers of worlds, seeds, poses, bytes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sbot_common.arguments import as_array
from sbot_common.errors import InputError, bad_value
from sbot_sim.sensors.range_and_bearing import DATA_BYTES

MOST_WORLDS = 1_000_000
MOST_THREADS = 1000
MOST_TICKS = 10_000_000  # of one call, which no signal interrupts
LARGEST_SEED = 2**63 - 1
_MOST_NAMES = 1000

Integers = NDArray[np.int64]


def named(where: str, given: Any, known: Iterable[str]) -> list[str]:  # noqa: ANN401
    """Return names out of a list of those that are known.

    Raises
    ------
    InputError
        for anything else, a single text among it.

    """
    expected = f"any of {', '.join(known)}"
    if isinstance(given, str | bytes) or not isinstance(given, Collection):
        raise bad_value(where, given, f'a list of {expected}')
    try:
        names = list(islice(given, _MOST_NAMES))
    except Exception:  # of a class of others
        raise bad_value(where, given, f'a list of {expected}') from None
    for name in names:
        if not isinstance(name, str) or name not in known:
            raise bad_value(where, name, expected)
    return names


def flag(where: str, given: Any) -> bool:  # noqa: ANN401
    """Return True or False."""
    if not isinstance(given, bool | np.bool_):
        raise bad_value(where, given, 'True or False')
    return bool(given)


def checked_seeds(given: ArrayLike, count: int) -> Integers:
    """Return the seeds (K,) of worlds."""
    values = as_array('seeds', given)
    if values.dtype.kind not in 'iu' or values.shape != (count,) or (
            (values < 0) | (values > LARGEST_SEED)).any():
        raise bad_value('seeds', given, f'{count} whole numbers from 0 to {LARGEST_SEED}')
    return values.astype(np.int64)


def chosen_worlds(given: ArrayLike | None, count: int) -> Integers:
    """Return the numbers of the worlds that a mask (K,) or a list of numbers chooses."""
    if given is None:
        return np.arange(count)
    chosen = as_array('worlds', given)
    if chosen.dtype == np.bool_ and chosen.shape == (count,):
        return np.flatnonzero(chosen)
    if chosen.shape == (0,):
        return np.zeros(0, np.int64)
    if chosen.dtype.kind not in 'iu' or chosen.ndim != 1 or not (
            (chosen >= 0) & (chosen < count)).all():
        raise bad_value('worlds', given, f'a mask of {count} values, or numbers below {count}')
    return chosen.astype(np.int64)


def checked_data(given: ArrayLike, robots: tuple[int, ...], heard: bool) -> NDArray[Any]:
    """Return the bytes (K*N, 10) that robots broadcast; ``heard``: robots can hear them."""
    data = as_array('data', given)
    if not heard:
        raise InputError('data needs range and bearing; add sensors.range_and_bearing: true to '
                         'the '
                         'scenario')
    whole = data.dtype.kind in 'iu' and ((data >= 0) & (data <= 255)).all()
    if data.shape != (*robots, DATA_BYTES) or not whole:
        raise bad_value('data', f'{data.dtype} of shape {data.shape}',
                        f'whole numbers of 0 to 255, shape {(*robots, DATA_BYTES)}')
    return data.reshape(-1, DATA_BYTES)


@contextmanager
def enough_memory(what: str) -> Iterator[None]:
    """Turn a lack of memory into an InputError that names its purpose."""
    try:
        yield
    except MemoryError:
        raise InputError(f'{what}: need more memory than the machine has; use fewer') from None
