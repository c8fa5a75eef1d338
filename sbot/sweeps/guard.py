# SPDX-License-Identifier: Apache-2.0
"""Runs in a child process, started once: time limits, a retry for runs that crash."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import pickle
import shutil
import subprocess
import sys
import threading
import time
import weakref
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

from sbot.environment.running import python_command
from sbot.sweeps.plan import PlannedRun
from sbot.sweeps.simulate import Job, Row, row_of
from sbot_common.errors import InputError

# The process in which runs are simulated: started once, then one run after another.
#
# Apart from the process that waits for it, so that a run that hangs, needs too much memory or
# crashes takes nothing with it. It ends when the other end of its pipe does.

_IDLE = 300.0  # s without a run, after which the process ends


def _main(descriptor: int) -> None:
    """Answer each (job or None, run, directory of a bag or None) with its row.

    Parameters
    ----------
    descriptor : of the connection to the process that waits

    """
    connection = Connection(descriptor)
    os.dup2(2, 1)  # what a user's code prints
    with contextlib.suppress(OSError):  # short of memory, Linux ends this process first
        Path('/proc/self/oom_score_adj').write_text('1000')
    from sbot.runner.warm_up import warm_up
    warm_up(quiet=True)
    connection.send('ready')
    logging.getLogger('sbot').setLevel(logging.ERROR)  # a sweep says once what is idle
    questions: SimpleQueue[Any] = SimpleQueue()
    threading.Thread(target=_listen, args=(connection, questions), daemon=True).start()
    job: Job | None = None
    with contextlib.suppress(Empty):
        while True:
            packed, run, record = questions.get(timeout=_IDLE)
            if packed is not None:
                job = pickle.loads(packed)
            assert job is not None
            _limit(job.memory)
            row = job.row(run, record)
            _limit(None)
            connection.send(row)


def _listen(connection: Connection, questions: SimpleQueue[Any]) -> None:
    """Pass questions on; end the process, whatever it does, when nobody waits any more."""
    while True:
        try:
            questions.put(connection.recv())
        except (EOFError, OSError):
            os._exit(1)


def _limit(size: int | None) -> None:
    """Let the process have at most ``size`` more bytes of memory (RLIMIT_AS); None: any."""
    if sys.platform.startswith('linux'):
        import resource
        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        soft = hard
        if size is not None:
            pages = int(Path('/proc/self/statm').read_text().split()[0])
            wanted = pages * resource.getpagesize() + size
            soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


TRIES = 3  # of a run whose process ends under it
_DRAIN_TIME = 10.0  # s
_CODE = ('import json; sys.path[:] = json.loads(sys.argv[2]); '
         'from sbot.sweeps.guard import _main; _main(int(sys.argv[1]))')


class _Guard:
    """One process for runs, started when first needed and again when it was lost."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._connection: Connection | None = None
        self._known = b''  # the job that the process has
        self._folders = ''  # where its runs look for a user's modules
        self._closed = False

    def row(self, packed: bytes, job: Job, run: PlannedRun, record: Path | None = None) -> Row:
        """Return the row of a run; whatever happens to the process, there is one.

        Parameters
        ----------
        packed, job : the job, pickled and as it is
        run : which
        record : directory of a bag to write

        Raises
        ------
        EOFError, OSError
            after ``close``.
        InputError
            if no process can be started here.

        """
        for _ in range(TRIES):
            started = time.perf_counter()
            if record is not None:
                shutil.rmtree(record, ignore_errors=True)  # what an earlier try has left
            try:
                connection = self._connected(job.module_folders(run))
                connection.send((packed if packed != self._known else None, run, record))
                self._known = packed
                if not connection.poll(job.timeout):
                    self._end()
                    return _failed(job, run, f'TimeoutError: took longer than {job.timeout:g} s',
                                   started)
                row: Row = connection.recv()
            except (EOFError, OSError):
                code = self._end(_DRAIN_TIME)
                if self._closed:
                    raise
                continue
            if job.memory is not None and row['error'] == job.memory_error:
                self._end()  # whatever it could not finish
            return row
        return _failed(job, run, f'WorkerLost: its process ended {TRIES} times, last '
                                 f'{_ending(code)}', started)

    def _connected(self, folders: str) -> Connection:
        """Return the connection to a process whose runs look for a user's modules in folders."""
        if (self._connection is None or self._process is None or self._process.poll() is not None
                or folders != self._folders):
            self._end()
            self._folders = folders
            self._connection = self._started()
        return self._connection

    def _started(self) -> Connection:
        if sys.platform == 'win32':  # its processes inherit no descriptors
            raise InputError('a sweep needs Linux or macOS; on Windows use WSL')
        mine, its = Pipe()
        environment = {'OMP_NUM_THREADS': '1', 'OPENBLAS_NUM_THREADS': '1', **os.environ}
        command = python_command(_CODE, str(its.fileno()), json.dumps(
            [os.path.abspath(folder) for folder in sys.path]))
        try:
            self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, env=environment,
                                             pass_fds=[its.fileno()], start_new_session=True)
        except OSError as error:
            raise InputError(f'cannot start a process: {error.strerror}') from None
        finally:
            its.close()
        self._known = b''
        if self._closed:  # meanwhile
            self._process.kill()
            raise EOFError
        try:
            mine.recv()
        except (EOFError, OSError):
            code = self._end(_DRAIN_TIME)
            if self._closed:
                raise
            raise InputError('the process for runs did not start (its messages are above): '
                             f'{_ending(code)}') from None
        return mine

    def _end(self, grace: float = 0.0) -> int | None:
        """End the process, after ``grace`` seconds if it has not by itself; return its exit code.

        A pipe breaks a moment before the exit code is known.
        """
        process, self._process = self._process, None
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        if process is None:
            return None
        with contextlib.suppress(subprocess.TimeoutExpired):
            return process.wait(grace)
        process.kill()
        process.wait()
        return None

    def close(self) -> None:
        """End the process at once, from any thread."""
        self._closed = True
        process = self._process
        if process is not None:
            process.kill()
            process.wait()


def _failed(job: Job, run: PlannedRun, error: str, started: float) -> Row:
    return row_of(job.sources[run.source], run, job.version, error,
                      time.perf_counter() - started)


def _ending(code: int | None) -> str:
    if code is None:
        return 'by being stopped'
    return f'by signal {-code}' if code < 0 else f'with exit code {code}'


_local = threading.local()
_all: weakref.WeakSet[_Guard] = weakref.WeakSet()


def run_batch(packed: bytes, runs: list[PlannedRun], bags: Path | None = None,
              record: str = 'none') -> list[Row]:
    """Return the rows of some runs, each in this thread's process for runs.

    This is what an executor calls: a thread here, a worker of Dask's elsewhere.

    Parameters
    ----------
    packed : the job, pickled
    runs : which
    bags : folder for recordings
    record : which to record: 'none', 'all', or 'failed': again, after a row with an error

    """
    guard: _Guard | None = getattr(_local, 'guard', None)
    if guard is None or guard._closed:
        guard = _local.guard = _Guard()
        _all.add(guard)
    job: Job = pickle.loads(packed)
    rows = []
    for run in runs:
        bag = None if bags is None else bags / f'run_{run.number:06d}'
        if bag is not None:
            shutil.rmtree(bag, ignore_errors=True)  # where this one is not recorded, too
        row = guard.row(packed, job, run, bag if record == 'all' else None)
        if record == 'failed' and row['error'] is not None:
            guard.row(packed, job, run, bag)
        rows.append(row)
    return rows


def close_all() -> None:
    """End all processes for runs of this process."""
    for guard in list(_all):
        guard.close()
