# SPDX-License-Identifier: Apache-2.0
"""`sbot sweep`: experiments over parameters and seeds."""

from __future__ import annotations

import argparse
import logging
import os
import sys
from pathlib import Path

from sbot.cli.command import QUIET, Command, flag, repeated, value
from sbot.scenario.fields import MAX_SEED
from sbot.scenario.load import parse_override
from sbot.sweeps.engine import EngineError
from sbot.sweeps.experiment import (
    MAX_JOBS,
    SAMPLED,
    Options,
    check_sweep,
    estimate,
    read_request,
    run_sweep,
)
from sbot.sweeps.journal import CSV, PARQUET, PLAN_NAME
from sbot.sweeps.plan import (
    MAX_POINTS,
    MAX_RUNS,
    Plan,
    whole_number,
)
from sbot.sweeps.request import MEMORY, TIMEOUT, Request, Sample
from sbot.sweeps.show import frequent_errors
from sbot.sweeps.sources import plan_of
from sbot_common.compiled.threads import threads_of
from sbot_common.errors import bad_value, one_line, refuse

_LOG = logging.getLogger(__name__)
_MOST_ASKED = 10_000  # seeds: a larger number is hardly meant as a count
FAILED = 3  # exit code where runs have failed


def _request(arguments: argparse.Namespace) -> Request:
    """Return what the options ask for, over what a sweep file or an earlier sweep has."""
    if arguments.scenario is None:
        given = ('seeds', 'assignments', 'zip', 'sample', 'duration', 'metric')
        refuse((not arguments.resume or arguments.output is None,
                'sbot sweep needs a scenario, a sweep file, or --resume -o DIR'),
               (arguments.no_overlaps or any(getattr(arguments, name) not in (None, [])
                                             for name in given),
                '--resume cannot be combined with options that change the sweep'))
        return read_request(Path(arguments.output))
    if os.path.isfile(Path(arguments.scenario) / PLAN_NAME):
        raise bad_value('SCENARIO', arguments.scenario, 'a scenario, not the results of a sweep; '
                        'see sbot sweep show DIR and sbot sweep --resume -o DIR')
    request = Request.by_default(arguments.scenario)
    _add_values(request, arguments)
    return request


def _add_values(request: Request, arguments: argparse.Namespace) -> None:
    text = (arguments.seeds or '').strip()
    if not arguments.quiet and text.isdecimal() and len(text) < 9 and (
            1 < int(text) <= _MOST_ASKED):
        _LOG.warning('--seeds %s: is one seed; %s seeds are 0:%s', text, text, text)
    for text in arguments.assignments:
        key, value = parse_override(text)
        request.set(key, value, f'--set {key}')
    if arguments.duration is not None:
        request.set('duration', arguments.duration, '--duration')
    zipped, spreads = _pairs(arguments.zip, '--zip'), _pairs(arguments.sample, '--sample')
    refuse((bool(spreads) != (arguments.samples is not None),
            '--sample and --samples N need each other'))
    sample = None if not spreads else Sample(
        count=whole_number(arguments.samples, '--samples', 1, MAX_POINTS),
        method=arguments.sampler, values=spreads,
        seed=whole_number(arguments.sample_seed, '--sample-seed', 0, MAX_SEED))
    request.add(lambda kind, *path: ' '.join(map(str, (f'--{kind}', *path[-1:]))),
                arguments.seeds, {}, [zipped], sample)
    request.metrics += tuple(arguments.metric)
    request.overlaps = request.overlaps and not arguments.no_overlaps


def _pairs(texts: list[str], option: str) -> dict[str, object]:
    """Return values by key path; InputError for a key that is given twice."""
    found: dict[str, object] = {}
    for key, given in (parse_override(text, option) for text in texts):
        refuse((key in found, f'{option} {key}: is given twice'))
        found[key] = given
    return found


def _options(arguments: argparse.Namespace, request: Request) -> Options:
    return Options(
        jobs=0 if arguments.jobs is None else whole_number(arguments.jobs, '--jobs', 0, MAX_JOBS),
        scheduler=arguments.scheduler,
        batch=whole_number(arguments.batch, '--batch', 1, MAX_RUNS),
        timeout=request.timeout if arguments.timeout is None else TIMEOUT.check(
            arguments.timeout, lambda: '--timeout'),
        memory=request.memory if arguments.memory is None else MEMORY.check(
            arguments.memory, lambda: '--memory'),
        record=arguments.record or request.record, retry=arguments.retry,
        progress=not arguments.quiet)


def _sweep(arguments: argparse.Namespace) -> int:
    request = _request(arguments)
    plan = plan_of(request)
    options = _options(arguments, request)
    if arguments.dry_run:
        _foretell(plan, request, options, arguments)
        return 0
    refuse((arguments.output is None, 'sbot sweep needs a folder for the results: -o DIR'))
    folder, shown = Path(arguments.output), one_line(arguments.output)
    try:
        outcome = run_sweep(plan, request, folder, options, arguments.resume)
    except (KeyboardInterrupt, EngineError) as error:
        reason = 'interrupted' if isinstance(error, KeyboardInterrupt) else str(error)
        then = (f'; the results so far are in {shown}; continue with: sbot sweep --resume -o '
                f'{shown}' if (folder / PLAN_NAME).exists() else ', before the first run')
        print(f'sbot: {reason}{then}', file=sys.stderr)
        return 1
    failed = f', {outcome.failed} failed (column error)' if outcome.failed else ''
    tables = ', '.join(f'{shown}/{name}' for name in (PARQUET, CSV)
                       if (folder / name).exists())
    print('\n'.join([f'{_count(outcome.runs)}{failed}: {tables}',
                     *frequent_errors(outcome.errors)]))
    return FAILED if outcome.failed else 0


def _foretell(plan: Plan, request: Request, options: Options,
              arguments: argparse.Namespace) -> None:
    """Print how many runs there are, and about how long they take."""
    runs, left = len(plan), ''
    if arguments.output is not None:
        folder = Path(arguments.output)
        check_sweep(plan, options._replace(scheduler=None), folder, arguments.resume)
        if arguments.resume:
            runs = options.missing_runs(plan, folder)
            left = f'{_count(runs)} of these still to do\n'
    processes = options.jobs or threads_of('auto')
    print(f'{_count(len(plan))}: {one_line(_parts(request))}\n{left}', end='')
    if runs:
        seconds = estimate(plan, request, processes) * runs / len(plan)
        print(f'about {_time(seconds)} on {processes} processes of this machine, if every run '
              f'lasts its whole duration\n(estimated from the first {SAMPLED:g} s of '
              f'{min(len(plan), 3)} of the runs)')


def _count(runs: int) -> str:
    return f"{runs:,} run{'s' if runs != 1 else ''}"


def _parts(request: Request) -> str:
    """Return what is combined, e.g. '6 wind.wind_speed_mean x 50 seeds'."""
    parts = [f'{len(axis)} {" & ".join(axis.keys)}' for axis in request.axes]
    if len(request.scenarios) > 1:
        parts.insert(0, f'{len(request.scenarios)} scenarios')
    return ' x '.join([*parts, f"{max(1, len(request.seeds))} seed"
                               f"{'s' if len(request.seeds) > 1 else ''}"])


def _time(seconds: float) -> str:
    for unit, size in (('days', 86400.0), ('h', 3600.0), ('min', 60.0)):
        if seconds >= 2 * size:
            return f'{seconds / size:.2g} {unit}'
    return f'{seconds:.2g} s'


_DESCRIPTION = """Run a scenario for every combination of values and seeds, on this machine's
processors or a Dask cluster. DIR/runs.csv gets one row per run, and so does DIR/runs.parquet if
pyarrow is installed. With --set, a list [1, 2] holds values to try, first:end:step is a range
without its end, and anything else is one value for all runs. 'sbot sweep show DIR' prints the
results, and 'sbot sweep plot DIR' draws them. More: docs/sweeps.md. Exit code 0: all runs
succeeded; 3: some failed (column error); 1: the sweep was interrupted; 2: bad input, before the
first run."""
COMMANDS = {
    'sweep': Command(_sweep, {
        'scenario': value(
            'SCENARIO', 'scenario file (.yaml, .argos, .world), name of a shipped scenario, or '
            'sweep file; not needed with --resume', nargs='?'),
        '--seeds': value(
            'SEEDS', "a range 0:50 or a list 1,2,3 (default: the scenario's seed)"),
        '--set': repeated('KEY=VALUES', 'values to try, or one value; may be repeated',
                          dest='assignments'),
        '--zip': repeated(
            'KEY=VALUES', 'values that change together with those of other --zip options'),
        '--sample': repeated(
            'KEY=[LOW,HIGH]', 'range to draw values from; also {low: 1, high: 10, scale: log} or '
            '{choices: [...]}'),
        '--samples': value('N', 'number of points to draw'),
        '--sampler': value(
            None, 'how points are drawn: latin_hypercube (default) or random',
            choices=('latin_hypercube', 'random'), default='latin_hypercube'),
        '--sample-seed': value('N', 'seed of the points (default: 1)', default='1'),
        '--duration': value('S', 'simulated seconds of a run', type=float),
        '--metric': repeated(
            'MODULE:FUNCTION', 'your function that gets the Run and returns a number; its module '
            'is in the current folder or beside the scenario; may be repeated'),
        '--no-overlaps': flag('faster: do not count overlaps in every tick'),
        '-o --output': value('DIR', 'folder of the results'),
        '--resume': flag('continue the sweep in DIR: run what is missing'),
        '--retry': flag('with --resume: also repeat failed runs'),
        '--dry-run': flag(
            'print the number of runs and an estimate of their time; with --resume: of those '
            'that are missing'),
        '--jobs': value('N', 'processes on this machine (default: one per processor)'),
        '--scheduler': value(
            'ADDRESS', 'run on the workers of this Dask scheduler (tcp://..., or its file)'),
        '--batch': value('N', 'runs handed to a worker at once (for very short ones)',
                         default='1'),
        '--timeout': value('S', 'longest wall time of a run', type=float),
        '--memory': value('SIZE', "memory limit of a run, e.g. '2 GiB'"),
        '--record': value(None, 'which runs to record, in DIR/bags (default: none)',
                          choices=('none', 'failed', 'all')),
        '--quiet': QUIET,
    }, description=_DESCRIPTION),
}
