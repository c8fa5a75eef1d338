# SPDX-License-Identifier: Apache-2.0
"""Execution of a plan: journal, engine, progress, tables, and resuming an earlier sweep."""

from __future__ import annotations

import contextlib
import errno
import logging
import os
import pickle
import sys
import time
from collections.abc import Iterable, Mapping
from concurrent.futures import Executor
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from sbot.files.limits import TemporaryFolder
from sbot.runner.loop import run_scenario
from sbot.runner.warm_up import warm_up
from sbot.sweeps.engine import (
    check_scheduler,
    engine_of,
)
from sbot.sweeps.guard import run_batch
from sbot.sweeps.journal import NAME as JOURNAL
from sbot.sweeps.journal import (
    PARQUET,
    Journal,
    Settings,
    read_columns,
    read_index,
    read_plan,
    read_rows,
    write_plan,
    write_tables,
)
from sbot.sweeps.plan import MAX_RUNS, Plan, PlannedRun
from sbot.sweeps.request import MEMORY, RECORD, TIMEOUT, Request
from sbot.sweeps.simulate import Job, Row, make_job, row_of
from sbot.sweeps.sources import plan_of
from sbot.version import VERSION
from sbot_common.errors import InputError, bad_value, install_command, refuse, writing

if TYPE_CHECKING:
    import pandas

LOG = logging.getLogger(__name__)
MAX_JOBS = 1024  # processes on this machine
SAMPLED = 2.0  # s of simulated time to estimate a sweep from
_MOST_BEGUN = 64  # runs that are tried before the first one
_PERIOD = 0.1  # s between two looks of the progress bar


class Options(NamedTuple):
    """How a sweep is run; changes no row that ends well."""

    jobs: int = 0  # number of processes on this machine; 0: one per processor
    scheduler: str | None = None  # of Dask
    executor: Executor | None = None
    batch: int = 1  # runs handed out together
    timeout: float | None = None  # s a run
    memory: int | None = None  # bytes a run
    record: str = 'none'
    retry: bool = False  # with resume: failed runs, too
    progress: bool = True
    check_start: bool = True  # refuse the sweep if no run can begin

    def missing_runs(self, plan: Plan, folder: Path) -> int:
        """Return how many runs of the sweep in a folder ``resume`` would run."""
        return len(plan) - len(_finished(folder, read_index(folder).places, self)[0])


class _Outcome(NamedTuple):
    """What a sweep came to."""

    folder: Path
    runs: int
    errors: tuple[str, ...]  # of the runs that failed

    @property
    def failed(self) -> int:
        """How many runs failed."""
        return len(self.errors)


def estimate(plan: Plan, request: Request, processes: int) -> float:
    """Return about how long a sweep takes here (s), from the beginning of three of its runs."""
    job: Job = pickle.loads(make_job(plan, request.metrics, request.given, request.module_path))
    warm_up()
    seconds = 0.0
    numbers = sorted({0, len(plan) // 2, len(plan) - 1})
    for number in numbers:
        scenario = job.scenario(plan[number])
        part = min(scenario.duration, SAMPLED)
        short = replace(scenario, duration=part, until=None)
        run_scenario(replace(short, duration=scenario.rate.dt), keep=False)
        started = time.perf_counter()
        run_scenario(short, keep=False)
        seconds += (time.perf_counter() - started) * scenario.duration / part
    return seconds / len(numbers) * len(plan) / min(processes, len(plan))


def run_sweep(plan: Plan, request: Request, folder: Path, options: Options,
              resume: bool = False) -> _Outcome:
    """Run all of a plan that has no row yet, and write the tables.

    Parameters
    ----------
    plan, request : what to run
    folder : of the results; new, unless ``resume``
    options : how
    resume : go on with the sweep in ``folder``, which must be the same

    Raises
    ------
    InputError
        if the folder holds another sweep, nothing can be started, or every run fails in its first
        tick.
    EngineError
        when the engine is gone. As with KeyboardInterrupt, the folder holds what has been done.

    """
    from tqdm import tqdm
    check_sweep(plan, options, folder, resume)
    packed = make_job(plan, request.metrics, request.given, request.module_path,
                      options.timeout, options.memory)
    warm_up(quiet=not options.progress)
    with contextlib.ExitStack() as stack:
        engines = stack.enter_context(contextlib.ExitStack())
        engine = engines.enter_context(
            engine_of(options.jobs, options.scheduler, options.executor))
        if not resume:
            if options.check_start:
                engine.check_start(packed, islice(plan.samples(), _MOST_BEGUN))
            _begin(plan, request, options, folder)
        journal = stack.enter_context(Journal(folder))
        index = journal.index
        if index.damaged:
            LOG.warning('%s: %s', folder / JOURNAL, index.damage())
        done, failed = _finished(folder, index.places, options)
        bar = stack.enter_context(tqdm(
            total=len(plan), initial=len(done), unit=' runs', smoothing=0.02, mininterval=_PERIOD,
            disable=None if options.progress else True, file=sys.stderr,
            desc=f'{len(failed)} failed'))

        def keep(rows: list[Row]) -> None:
            journal.write(rows)
            failed.update(_errors(rows))
            bar.set_description(f'{len(failed)} failed', refresh=False)
            bar.update(len(rows))

        def lost(run: PlannedRun, error: str) -> Row:
            return row_of(plan.sources[run.source], run, VERSION, error, None)
        bags = None if options.record == 'none' else folder.resolve() / 'bags'
        try:
            engine.execute(partial(run_batch, bags=bags, record=options.record), packed,
                           plan.batches(done, options.batch), keep, lost)
        finally:
            engines.close()
            count = write_tables(folder, plan)
    return _Outcome(folder, count, tuple(failed[run] for run in sorted(failed)))


def check_sweep(plan: Plan, options: Options, folder: Path, resume: bool = False) -> None:
    """Raise InputError unless this sweep can be run, or resumed, in this folder."""
    for name, value, least, most in (('jobs', options.jobs, 0, MAX_JOBS),
                                     ('batch', options.batch, 1, MAX_RUNS)):
        if not least <= value <= most:
            raise bad_value(name, value, f'a whole number from {least} to {most}')
    if options.record not in RECORD:
        raise bad_value('record', options.record, ' or '.join(RECORD))
    if options.memory is not None and not sys.platform.startswith('linux'):
        raise InputError('memory: a limit needs Linux; leave it out')
    if options.executor is None and options.scheduler is not None:
        check_scheduler(options.scheduler)
    if resume:
        old, version, _ = read_plan(folder)
        different = ', '.join(old.differences(plan))
        refuse((different, f'{folder}: holds another sweep; different: {different}; give the '
                           'values of that sweep, or a new folder'),
               (version != VERSION, f'{folder}: was made by version {version}; version {VERSION} '
                                    'cannot be combined with it in one table'))
        return
    with writing(folder):
        there = next(each for each in (folder, *folder.absolute().parents) if each.exists())
        if not os.access(there, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        if any(there.iterdir()) and there == folder:
            raise InputError(f'{folder}: is not empty; give a new folder, or --resume to continue '
                             'the sweep in it')


def _begin(plan: Plan, request: Request, options: Options, folder: Path) -> None:
    """Make the folder and write the plan into it."""
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        settings = Settings(request.path, options.timeout, options.memory, options.record)
        write_plan(folder, plan, settings)


def _finished(folder: Path, places: Mapping[int, int],
              options: Options) -> tuple[set[int], dict[int, str]]:
    """Return the runs that are done, and the errors of those of them that failed."""
    done = set(places)
    failed = _errors(read_rows(folder, places.values()))
    return (done - failed.keys(), {}) if options.retry else (done, failed)


def _errors(rows: Iterable[Row]) -> dict[int, str]:
    """Return the errors of failed runs by number; equal ones are in memory once."""
    return {row['run']: sys.intern(row['error']) for row in rows if row['error'] is not None}


def read_request(folder: Path) -> Request:
    """Return the request of a folder of results, to resume it.

    Raises
    ------
    InputError
        if it is none, or functions or controllers came from Python.

    """
    plan, _, settings = read_plan(folder)
    for name in plan.metrics:
        if name.startswith('object:'):
            raise InputError(f'{folder}: metric {name} came from Python; resume it from there')
    return Request([(source.text, source.file, source.directory, {}) for source in plan.sources],
                   plan.seeds, dict(plan.fixed), list(plan.axes), plan.metrics, settings.path,
                   settings.timeout, settings.memory, settings.record, plan.overlaps)


def sweep_frame(request: Request, output: Path | None, resume: bool, *, timeout: object,
                memory: object, record: str, **options: Any) -> pandas.DataFrame:  # noqa: ANN401
    """Run a request; return the table of its runs.

    Raises
    ------
    InputError
        if pandas is not installed, or as ``run_sweep``.

    """
    try:
        import pandas
    except ImportError:
        raise InputError(f'sweep() needs pandas: {install_command("sweep")}') from None
    refuse((record != 'none' and output is None,
            f'record={record!r} needs a folder; give output'),
           (resume and output is None, 'resume needs a folder; give output'))
    limits = Options(
        timeout=request.timeout if timeout is None else TIMEOUT.check(timeout, lambda: 'timeout'),
        memory=request.memory if memory is None else MEMORY.check(memory, lambda: 'memory'),
        record=request.record if record == 'none' else record, **options)
    plan = plan_of(request)
    with TemporaryFolder('sweep') as folder:
        outcome = run_sweep(plan, request, output or Path(folder, 'sweep'), limits, resume)
        if (outcome.folder / PARQUET).exists():
            return pandas.read_parquet(outcome.folder / PARQUET)
        return pandas.DataFrame(read_columns(outcome.folder, plan))
