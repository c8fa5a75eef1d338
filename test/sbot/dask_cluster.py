"""A real Dask scheduler and workers, as processes."""

import os
import sys
import time
from contextlib import contextmanager

from forked import Started
from sweep_users import HERE

DEADLINE = 240.0  # s


def wait_until(condition, what):
    end = time.monotonic() + DEADLINE
    while not condition():
        assert time.monotonic() < end, what
        time.sleep(0.01)


@contextmanager
def dask_cluster(folder):
    """Yield the file of a scheduler, and the processes of its two workers."""
    file = folder / 'scheduler.json'
    environment = {**os.environ, 'PYTHONPATH': str(HERE.parents[1])}
    log = (folder / 'log').open('w')
    # In sessions of their own, with all that they start.
    options = {'cwd': folder, 'env': environment, 'stdout': log, 'stderr': log,
               'start_new_session': True}
    scheduler = Started(
        [sys.executable, '-m', 'distributed.cli.dask_scheduler', '--host', '127.0.0.1', '--port',
         '0', '--dashboard-address', '127.0.0.1:0', '--scheduler-file', str(file)], **options)
    workers = []
    try:
        wait_until(file.exists, 'the scheduler did not start')
        workers += [Started(
            [sys.executable, '-m', 'distributed.cli.dask_worker', '--scheduler-file', str(file),
             '--no-nanny', '--nthreads', '1', '--no-dashboard'], **options) for _ in range(2)]
        from distributed import Client
        with Client(scheduler_file=str(file), set_as_default=False, timeout=240) as client:
            client.wait_for_workers(2, timeout=DEADLINE)
        yield str(file), workers
    finally:
        for process in [*workers, scheduler]:
            process.kill()
            process.wait(240)
        log.close()
