"""The process in which runs are simulated: started once, then one run after another.

Apart from the process that waits for it, so that a run that hangs, needs too much memory or
crashes takes nothing with it. It ends when the other end of its pipe does.
"""

from __future__ import annotations

import contextlib
import logging
import os
import pickle
import sys
import threading
from collections.abc import Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

IDLE = 300.0  # s without a run, after which the process ends
READY = 'ready'


def main(descriptor: int) -> None:
    """Answer each (job or None, run, directory of a bag or None) with its row.

    Parameters
    ----------
    descriptor : of the connection to the process that waits

    """
    try:
        _serve(descriptor)
    except KeyboardInterrupt:  # of a user's thread, after its run
        os._exit(1)


def _serve(descriptor: int) -> None:
    connection = Connection(descriptor)
    os.dup2(2, 1)  # what a user's code prints
    with contextlib.suppress(OSError):  # short of memory, Linux ends this process first
        Path('/proc/self/oom_score_adj').write_text('1000')
    from sbot.runner.warm_up import warm_up
    from sbot.sweeps.simulate import Job, make_row
    warm_up(quiet=True)
    connection.send(READY)
    logging.getLogger('sbot').setLevel(logging.ERROR)  # a sweep says once what is idle
    questions: SimpleQueue[Any] = SimpleQueue()
    threading.Thread(target=_listen, args=(connection, questions), daemon=True).start()
    job: Job | None = None
    while True:
        try:
            packed, run, record = questions.get(timeout=IDLE)
        except Empty:
            return
        if packed is not None:
            job = pickle.loads(packed)
        assert job is not None
        with limited(job.memory):
            row = make_row(job, run, record)
        connection.send(row)


def _listen(connection: Connection, questions: SimpleQueue[Any]) -> None:
    """Pass questions on; end the process, whatever it does, when nobody waits any more."""
    while True:
        try:
            questions.put(connection.recv())
        except (EOFError, OSError):
            os._exit(1)


@contextlib.contextmanager
def limited(size: int | None) -> Iterator[None]:
    """Let the process have at most ``size`` more bytes of memory (RLIMIT_AS); None: any."""
    if size is None or not sys.platform.startswith('linux'):
        yield
        return
    import resource
    pages = int(Path('/proc/self/statm').read_text().split()[0])
    before = resource.getrlimit(resource.RLIMIT_AS)
    wanted = pages * resource.getpagesize() + size
    hard = before[1]
    resource.setrlimit(resource.RLIMIT_AS, (
        wanted if hard == resource.RLIM_INFINITY else min(wanted, hard), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)
