"""Trainings side by side in several processes, which one Ctrl-C ends with what they have."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, wait
from functools import partial
from multiprocessing import get_context
from multiprocessing.context import BaseContext
from multiprocessing.synchronize import Event

from sbot.learn.proof.compare import Plan, Proved, prove
from sbot_common.signals import blocked, unblock

_stops: list[Event] = []  # of a child: set where its trainings are to end


def prove_all(plan: Plan, trainings: Sequence[int], processes: int) -> Iterator[Proved]:
    """Yield the result of each training; the rows do not depend on the number of processes.

    Raises
    ------
    KeyboardInterrupt
        after the results so far, if a signal came.

    """
    if processes > 1:
        yield from _in_children(plan, trainings, processes)
        return
    for training in trainings:
        proved = prove(plan, lambda: None, training)
        yield proved
        if proved.stopped:
            raise KeyboardInterrupt


def _in_children(plan: Plan, trainings: Sequence[int], processes: int) -> Iterator[Proved]:
    context = _context(plan)
    stop = context.Event()
    with ProcessPoolExecutor(processes, context, _begin, (stop,)) as pool:
        with blocked():  # a child that a signal meets before _begin would print a traceback
            works = [pool.submit(partial(prove, plan, _check), each) for each in trainings]
        try:
            try:
                wait(works, return_when='FIRST_EXCEPTION')
            except KeyboardInterrupt:
                stop.set()  # they return in a moment, with what they have
                for each in works:
                    each.cancel()
            for each in works:
                if not each.cancelled():
                    yield each.result()
            if stop.is_set():
                raise KeyboardInterrupt
        finally:  # an error, or a second signal
            stop.set()
            pool.shutdown(wait=False, cancel_futures=True)


def _context(plan: Plan) -> BaseContext:
    """Return how children start: on Linux by forks of a process that has imported everything."""
    if sys.platform != 'linux':  # elsewhere libraries of the system do not survive a fork
        return get_context('spawn')
    context = get_context('forkserver')
    learners = ['cma'] if plan.learner == 'evolved' else []
    context.set_forkserver_preload(['sbot.learn.proof.compare', *learners])
    return context


def _begin(stop: Event) -> None:
    """Ignore a terminal's Ctrl-C in a child, whose parent tells it to stop."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _stops[:] = [stop]
    unblock()


def _check() -> None:
    if _stops[0].is_set():
        raise KeyboardInterrupt
