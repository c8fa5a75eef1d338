# SPDX-License-Identifier: Apache-2.0
"""Execution engines of runs: this machine's processes, Dask, any executor; pickling for them.

All are ``concurrent.futures`` executors; as many runs are handed out as keep them busy.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import pickle
import re
import socket
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError, Executor, Future, ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from typing import Any, NamedTuple

from sbot.sweeps.guard import TRIES, close_all, run_batch
from sbot.sweeps.plan import PlannedRun
from sbot.sweeps.simulate import Job, Row
from sbot_common.compiled.threads import threads_of
from sbot_common.errors import InputError, install_command

_AHEAD = 2  # runs that wait, for each that is simulated
_ASK_PERIOD = 5.0  # s, how many workers there are
_ANSWER = 10.0  # s in which a scheduler takes a connection
_LEAST_AHEAD = 64  # on a cluster, which may grow
_NO_MISTAKES = ('TimeoutError: took longer', 'MemoryError: needed more', 'WorkerLost',
                'KeyboardInterrupt')

Work = Callable[[bytes, list[PlannedRun]], list[Row]]


class EngineError(RuntimeError):
    """The engine has failed; finished runs are kept."""


class _Engine(NamedTuple):
    """An executor, and how many runs it is simulating when it is busy."""

    executor: Executor
    width: Callable[[], int]
    name: str

    def execute(self, work: Work, packed: bytes, batches: Iterable[list[PlannedRun]],
                done: Callable[[list[Row]], None], lost: Callable[[PlannedRun, str], Row]) -> None:
        """Take all runs and pass rows on as they come; few are on their way at a time.

        Parameters
        ----------
        work : ``run_batch`` with its options
        packed : the job, pickled
        batches : the runs
        done : called with the rows of each batch
        lost : the row of a run whose worker was lost again and again

        Raises
        ------
        EngineError
            when the engine is gone.

        """
        waiting = iter(batches)
        least = 1 if isinstance(self.executor, ThreadPoolExecutor) else _LEAST_AHEAD
        finished: SimpleQueue[Future[list[Row]]] = SimpleQueue()
        pending: dict[Future[list[Row]], tuple[list[PlannedRun], int]] = {}

        def submit(batch: list[PlannedRun], tries: int) -> None:
            try:
                future = self.executor.submit(work, packed, batch)
            except RuntimeError as error:  # it is shut down or broken
                raise EngineError(f'{self.name}: {error}') from None
            pending[future] = batch, tries
            future.add_done_callback(finished.put)

        try:
            while True:
                ahead = max(_AHEAD * self.width(), least)
                while len(pending) < ahead and (batch := next(waiting, None)) is not None:
                    submit(batch, 1)
                if not pending:
                    return
                future = finished.get()
                batch, tries = pending.pop(future)
                try:
                    rows = future.result()
                except InputError:
                    raise
                except (Exception, CancelledError) as error:
                    if type(error).__name__ != 'KilledWorker':
                        raise EngineError(f'{self.name}: {type(error).__name__}: '
                                          f"{' '.join(str(error).split())[:300]}") from error
                    if tries < TRIES:
                        for run in batch:  # one at a time: which of them is it?
                            submit([run], tries + 1)
                        continue
                    rows = [lost(run, 'WorkerLost: its worker ended again and again')
                            for run in batch]
                done(rows)
        finally:
            for future in pending:
                future.cancel()

    def check_start(self, packed: bytes, runs: Iterable[PlannedRun]) -> None:
        """Raise InputError if no run can begin: not even its first tick, whatever its values."""
        job: Job = pickle.loads(packed)
        begun = pickle.dumps(job._replace(only_begun=True))
        errors = []
        for run in runs:
            try:
                [row] = self.executor.submit(run_batch, begun, [run]).result()
            except InputError:
                raise
            except (Exception, CancelledError):  # the engine is gone, which ``execute`` tells
                return
            if row['error'] is None or row['error'].startswith(_NO_MISTAKES):
                return  # the rows of the sweep tell
            errors.append(row['error'])
        if errors:
            raise InputError(f'all runs would fail at their start: {errors[0]}')


@contextlib.contextmanager
def _local_engine(processes: int) -> Iterator[_Engine]:
    """Yield an engine of this machine: a thread for each process for runs."""
    with ThreadPoolExecutor(processes, thread_name_prefix='sweep') as executor:
        try:
            yield _Engine(executor, lambda: processes, f'{processes} processes')
        finally:
            executor.shutdown(wait=False, cancel_futures=True)
            close_all()


def check_scheduler(address: str) -> None:
    """Raise InputError at once without Dask, or if nothing listens at a scheduler's address.

    Dask's own client tries again for half a minute.
    """
    if importlib.util.find_spec('distributed') is None:
        raise InputError(f'--scheduler needs Dask: {install_command("cluster")}')
    try:
        where = (str(json.loads(Path(address).read_bytes())['address'])
                 if address.endswith('.json') else address)
        if place := re.fullmatch(r'(?:(?:tcp|tls)://)?\[?(.+?)\]?:(\d+)', where):
            socket.create_connection((place[1], place[2]), _ANSWER).close()  # type: ignore[arg-type]
        return
    except OSError as error:
        reason = error.strerror or 'no answer'
    except (ValueError, LookupError, TypeError) as error:
        reason = f'{type(error).__name__}: {error}'
    raise InputError(f'--scheduler: no Dask scheduler at {address}: {reason[:200]}')


@contextlib.contextmanager
def _dask_engine(address: str) -> Iterator[_Engine]:
    """Yield an engine of the workers of a running Dask scheduler.

    Parameters
    ----------
    address : e.g. 'tcp://10.0.0.1:8786', or the path of a scheduler file (.json)

    Raises
    ------
    InputError
        if nobody answers there.

    """
    from distributed import Client
    where: dict[str, Any] = ({'scheduler_file': address} if address.endswith('.json')
                             else {'address': address})
    try:
        client = Client(**where, set_as_default=False, timeout=30)
    except (OSError, ValueError) as error:
        reason = ' '.join(str(error).split())[:200]
        raise InputError(f'--scheduler: no Dask scheduler at {address}: {reason}') from None

    known = [0.0, 0]  # when the scheduler was last asked, and what it said

    def width() -> int:
        if time.monotonic() - known[0] > _ASK_PERIOD:
            known[:] = time.monotonic(), sum(client.nthreads().values())
        return int(known[1])

    with client:
        executor = client.get_executor(pure=False)
        try:
            yield _Engine(executor, width, f'Dask at {address}')
        finally:
            executor.shutdown(wait=False)


@contextlib.contextmanager
def _given_engine(executor: Executor) -> Iterator[_Engine]:
    """Yield an engine of the user's own executor, which stays open."""
    width = getattr(executor, '_max_workers', None) or _LEAST_AHEAD
    try:
        yield _Engine(executor, lambda: width, type(executor).__name__)
    finally:
        close_all()


def engine_of(jobs: int, scheduler: str | None,
              executor: Executor | None) -> contextlib.AbstractContextManager[_Engine]:
    """Return the engine for these options; ``jobs`` of 0: a process for each processor."""
    if executor is not None:
        return _given_engine(executor)
    return _local_engine(jobs or threads_of('auto')) if scheduler is None else (
        _dask_engine(scheduler))
