# SPDX-License-Identifier: Apache-2.0
"""Thread pool for compiled functions, which release the GIL."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from functools import lru_cache
from numbers import Integral
from typing import TYPE_CHECKING, Any, TypeVar

from sbot_common.errors import bad_value

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

T = TypeVar('T')
MOST_THREADS = 1000
_BLOCKS = 4  # tasks to a thread: they take different time
_WORTH_A_THREAD = 100  # robots; fewer are done before a thread has started


def threads_of(given: int | str) -> int:
    """Return a number of threads; 'auto': as many as this process has processors.

    Raises
    ------
    InputError
        for anything else.

    """
    if given != 'auto':
        if isinstance(given, Integral) and not isinstance(given, bool) and (
                1 <= given <= MOST_THREADS):
            return int(given)
        raise bad_value('threads', given, f"a whole number from 1 to {MOST_THREADS}, or 'auto'")
    affinity = getattr(os, 'sched_getaffinity', None)
    return len(affinity(0)) if affinity is not None else os.cpu_count() or 1


def _worth_threads(threads: int, count: int) -> bool:
    """Tell whether ``count`` robots are work enough for several threads."""
    return threads > 1 and count >= _WORTH_A_THREAD * threads


def in_blocks(threads: int, count: int, work: Callable[..., None],
              *arguments: Any) -> None:  # noqa: ANN401 - whatever ``work`` takes
    """Run ``work(first, end, *arguments)`` on blocks of 0 ... count-1 in parallel, and wait.

    Parameters
    ----------
    threads : how many to use
    count : of robots
    work : compiled, writes only rows of its own block, so that no bit depends on ``threads``
    arguments : the same for all

    """
    if not _worth_threads(threads, count):
        work(0, count, *arguments)
        return
    size = max(1, -(-count // (threads * _BLOCKS)))
    share_out(threads, range(0, count, size),
              lambda first: work(first, min(count, first + size), *arguments))


def in_team(threads: int, work: Callable[..., None],
            *arguments: Any) -> None:  # noqa: ANN401 - whatever ``work`` takes
    """Run ``work(i, threads, *arguments)`` in threads i at once, until it is done in this one, 0.

    ``work`` is compiled; its calls share out what is to do, and none needs another to come.
    """
    others = [_pool(threads, os.getpid()).submit(work, i, threads, *arguments)
              for i in range(1, threads)]
    work(0, threads, *arguments)
    for other in others:
        other.cancel()


def share_out(threads: int, items: Iterable[int], work: Callable[[int], None]) -> None:
    """Run ``work(item)`` for each item in parallel, and wait; a free thread takes the next one."""
    shared = iter(items)

    def help_out() -> None:
        for item in shared:
            work(item)
    # The caller is one of the threads: it does not wait idly for the others to wake up.
    others = [_pool(threads, os.getpid()).submit(help_out) for _ in range(threads - 1)]
    try:
        help_out()
    finally:  # a block that has begun writes into the same arrays
        for other in others:
            if not other.cancel():
                other.result()


def in_background(threads: int, count: int, work: Callable[..., T],
                  *arguments: Any) -> Callable[[], T]:  # noqa: ANN401 - whatever ``work`` takes
    """Start ``work(*arguments)`` in another thread; return a function that waits for its result.

    That function may be called once. If the work has not begun by then, because all threads are
    busy, it does the work itself.

    Parameters
    ----------
    threads : how many to use; with one the work is done here and now
    count : of robots
    work : changes nothing that is read meanwhile, so that no bit depends on ``threads``
    arguments : its own

    """
    if not _worth_threads(threads, count):
        result = work(*arguments)
        return lambda: result
    future = _pool(threads, os.getpid()).submit(work, *arguments)

    def result_of() -> T:
        return work(*arguments) if future.cancel() else future.result()
    return result_of


@lru_cache(maxsize=4)
def _pool(threads: int, process: int) -> ThreadPoolExecutor:
    """Return the thread pool; a forked process has no threads of its parent and gets its own."""
    from concurrent.futures import ThreadPoolExecutor
    return ThreadPoolExecutor(threads - 1, f'robots-{process}')
