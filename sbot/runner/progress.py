"""Progress of a command: a bar on the terminal, or lines; and what --quiet leaves out."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

# Of every command: its help says the same everywhere.
QUIET = ('print only the result, warnings and errors: no progress, hints, names of written files '
         'or output of nodes')


@contextmanager
def progress_bar(unit: str, total: float | None = None, *, shown: bool = True,
                 **style: Any) -> Iterator[Callable[[float], None] | None]:  # noqa: ANN401
    """Yield what takes how much is done and shows it on stderr; None if that is no terminal.

    Parameters
    ----------
    unit : of what is done, e.g. ' frames'
    total : of it; None: unknown
    shown : False: show nothing, and yield None
    style : of tqdm

    """
    if not shown or not sys.stderr.isatty():
        yield None
        return
    from tqdm import tqdm  # takes as long to import as a short run
    with tqdm(total=total, unit=unit, leave=False, file=sys.stderr, **style) as bar:
        def show(done: float) -> None:
            bar.update(max(0, done - bar.n))
        yield show


_BETWEEN = 10.0  # s from line to line


def now_and_then(*, shown: bool = True) -> Callable[[Callable[[], str]], None]:
    """Return what prints a line of progress on stderr: the first one, then one each ten seconds.

    For work of several processes, whose bars would overwrite each other, and of logs. It takes a
    function that returns the line.
    """
    due = 0.0

    def show(line: Callable[[], str]) -> None:
        nonlocal due
        if shown and time.monotonic() >= due:
            due = time.monotonic() + _BETWEEN
            print(line(), file=sys.stderr, flush=True)
    return show
