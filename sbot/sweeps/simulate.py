# SPDX-License-Identifier: Apache-2.0
"""One run of a sweep to one row, and the isolation of users' modules."""

from __future__ import annotations

import math
import pickle
import re
import time
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from sbot.controllers.registry import load_function
from sbot.files.yaml_text import LARGEST, Origins, parse_yaml
from sbot.runner.history import Run
from sbot.runner.loop import run_scenario
from sbot.scenario.load import scenario_of_parsed
from sbot.scenario.model import Scenario
from sbot.sweeps.plan import Plan, PlannedRun, Source
from sbot.version import VERSION
from sbot_common.errors import InputError, bad_value, install_command, one_line
from sbot_common.user_code import UserCodeError, call_user_code

Row = dict[str, Any]
MOST_OWN_COLUMNS = 8  # robots; with more of them a row has only what sums them up

# Numbers of each robot in the summary, with their types; over all robots, rows have the mean of a
# float and the sum of an int, and the largest.
OF_ROBOTS = {
    'path_length_m': 'float', 'collisions': 'int', 'reverts': 'int', 'invalid_turns': 'int',
    'max_leader_distance_m': 'float', 'final_leader_distance_m': 'float'}


class Job(NamedTuple):
    """What all runs of a sweep share; sent once to each process that runs some of them."""

    sources: tuple[Source, ...]
    parsed: tuple[tuple[dict[str, Any], Origins], ...]  # their YAML
    fixed: dict[str, Any]
    metrics: tuple[str | tuple[str, bytes], ...]  # 'module:function', or name and pickled function
    given: bytes  # controllers from Python by name, pickled: as new for every run
    path: tuple[str, ...]  # folders where the modules of metrics are
    version: str
    timeout: float | None = None  # s
    memory: int | None = None  # bytes
    overlaps: bool = True  # count them
    only_begun: bool = False  # runs end after their first tick, and metrics are not asked

    @property
    def memory_error(self) -> str:
        """The error of a run that needed more memory than it may."""
        return f'MemoryError: needed more than {(self.memory or 0) / 2**20:g} MiB'

    def row(self, run: PlannedRun, record: Path | None = None) -> Row:
        """Run it; return its row: flat, JSON values, with ``error`` if it failed.

        ``wall_time_s`` is the one value that another time would not give again.
        """
        started = time.perf_counter()
        numbers: Row = {}
        error = None
        try:
            if self.version != VERSION:
                raise InputError(f'version of this worker: got {VERSION}, expected that '
                                 f'of the sweep, {self.version}')
            numbers = _numbers(self, run, record)
        except BaseException as failure:  # a user's code may raise anything, an interrupt, too
            error = _describe(failure, self)
        return row_of(self.sources[run.source], run, self.version, error,
                      time.perf_counter() - started, numbers)

    def scenario(self, run: PlannedRun) -> Scenario:
        """Return the complete scenario of a run."""
        source = self.sources[run.source]
        return scenario_of_parsed(
            *self.parsed[run.source], Path(source.directory), source.name,
            {**self.fixed, **run.values, 'seed': run.seed}, pickle.loads(self.given))

    def module_folders(self, run: PlannedRun) -> str:
        """Return where a run looks for a user's modules, as one text.

        Runs that look elsewhere need another process: one that has imported a module of this name
        from there would not look again.
        """
        values = {'python_path': self.parsed[run.source][0].get('python_path'),
                  **self.fixed, **run.values}
        return repr((self.sources[run.source].directory, [
            (key, value) for key, value in values.items()
            if key.partition('.')[0] == 'python_path']))


def _pickled(value: Any, what: str) -> bytes:  # noqa: ANN401 - any object
    """Return a user's controllers or metric as bytes for another process.

    Raises
    ------
    InputError
        beginning with ``what``, if they cannot be sent.

    """
    here = f'{what}: cannot be sent to another process'
    more = f': {install_command("sweep")}'
    try:
        import cloudpickle
    except ImportError:
        cloudpickle = None
    try:
        data: bytes = (cloudpickle or pickle).dumps(value)
    except Exception as error:
        hint = '' if cloudpickle else f'; cloudpickle sends more{more}'
        raise InputError(f'{here}: {error}{hint}') from None
    if cloudpickle is None and b'__main__' in data:  # where another process does not find it
        raise InputError(f'{here}: what the script or notebook itself defines needs cloudpickle, '
                         f'or a module of its own{more}')
    return data


def make_job(plan: Plan, metrics: Iterable[str | Callable[..., Any]], given: Mapping[str, Any],
             path: tuple[str, ...], timeout: float | None = None,
             memory: int | None = None) -> bytes:
    """Return the data that all runs share, pickled.

    Parameters
    ----------
    plan : of the sweep
    metrics : those of the plan, functions among them
    given : controllers from Python by name
    path, timeout, memory : as in ``Job``

    Raises
    ------
    InputError
        if a controller or metric from Python cannot be pickled.

    """
    sent = tuple(metric if isinstance(metric, str) else (
        name.partition(':')[2], _pickled(metric, f'metric {name}'))
        for name, metric in zip(plan.metrics, metrics, strict=True))
    sources = tuple(source._replace(text='') for source in plan.sources)
    return pickle.dumps(Job(
        sources, tuple(_parsed(source) for source in plan.sources), dict(plan.fixed), sent,
        _pickled(given, 'controllers'), path, VERSION, timeout, memory, plan.overlaps))


def row_of(source: Source, run: PlannedRun, version: str, error: str | None,
           seconds: float | None, numbers: Mapping[str, Any] = MappingProxyType({})) -> Row:
    """Return a row; one without ``numbers`` is of a run that failed."""
    return {'run': run.number, 'scenario': source.name, **run.values, 'seed': run.seed,
            **numbers, 'version': version, 'error': error,
            'wall_time_s': None if seconds is None else round(seconds, 6)}


def _describe(error: BaseException, job: Job) -> str:
    """Return an error as one line, without details that differ from process to process.

    It ends with the file's name and the line in a user's code, where that raised it.
    """
    if isinstance(error, MemoryError) and job.memory is not None:
        return job.memory_error
    text = ' '.join(str(error).split())
    text = one_line(re.sub(r' at 0x[0-9a-fA-F]+', '', text)[:500])
    if isinstance(error, UserCodeError):
        return f'{text} ({place})' if (place := error.place()) else text
    return text if isinstance(error, InputError) else (
        f'{type(error).__name__}: {text}'.removesuffix(': '))


def _parsed(source: Source) -> tuple[dict[str, Any], Origins]:
    """Return the YAML of a scenario, read once for all runs."""
    data, origins = parse_yaml(source.text, source.file)
    assert isinstance(data, dict)
    return data, origins


def _numbers(job: Job, run: PlannedRun, record: Path | None) -> Row:
    scenario = job.scenario(run)
    if job.only_begun:
        run_scenario(replace(scenario, duration=scenario.rate.dt, until=None),
                     keep=False, overlaps=False)
        return {}
    result = run_scenario(scenario, record=record, keep=bool(job.metrics),
                          overlaps=job.overlaps, keep_empty=True)
    values = _summary_columns(result.summary)
    for metric in job.metrics:
        values.update(_metric_columns(metric, job, result))
    return values


def _summary_columns(summary: Mapping[str, Any]) -> Row:
    """Return the columns of a run's summary; ``goal_reached_s`` is robot 0's."""
    robots = summary['robots']
    row: Row = {'robot_count': len(robots), 'goal_reached_s': robots[0]['goal_reached_s'],
                'robots_arrived': sum(robot['goal_reached_s'] is not None for robot in robots),
                'ticks': summary['ticks'], 'sim_time_s': summary['sim_time_s'],
                'ended_by': summary.get('ended_by', 'duration'), 'overlaps': summary['overlaps']}
    for name, kind in OF_ROBOTS.items():
        values = [robot[name] for robot in robots]
        row.update({name: sum(values)} if kind == 'int'
                   else {f'{name}_mean': sum(values) / len(values)})
        row[f'{name}_max'] = max(values)
    row['trajectory_sha256'] = summary['trajectory_sha256']
    if len(robots) <= MOST_OWN_COLUMNS:
        for robot in robots:
            own = dict(zip(('x_m', 'y_m', 'yaw_rad'), robot['pose'], strict=True)) | {
                name: value for name, value in robot.items()
                if name not in ('id', 'pose', 'reason')}
            row.update({f"robot_{robot['id']}_{name}": value for name, value in own.items()})
    return row


def _metric_columns(metric: str | tuple[str, bytes], job: Job, result: Run) -> Row:
    """Return the values of a user's metric for a run, by column.

    Raises
    ------
    InputError
        if it returns something else than a number, a truth value, a text or None, or a dict of
        these by name.

    """
    if isinstance(metric, tuple):
        name, function = metric[0], pickle.loads(metric[1])
    else:
        name = metric.partition(':')[2]
        function = load_function(metric, (*job.path, *result.scenario.python_path), 'metric')
    with warnings.catch_warnings(record=True) as found:
        value = call_user_code(partial(function, result), lambda: f'metric {name}')
    for each in found:
        _warn(f'metric {name}: {each.message}', each.category,  # type: ignore[arg-type]
              each.filename, each.lineno)
    if isinstance(value, Mapping):
        return {_plain(f'{name}.{key}', f'metric {name}'): _plain(item, f'metric {name}.{key}')
                for key, item in value.items()}
    return {name: _plain(value, f'metric {name}')}


@cache  # once in each process
def _warn(text: str, category: type[Warning], file: str, line: int) -> None:
    warnings.warn_explicit(text, category, file, line)


def _plain(value: Any, where: str) -> Any:  # noqa: ANN401 - whatever a metric returns
    if hasattr(value, 'item') and callable(value.item) and getattr(value, 'size', 1) == 1:
        value = value.item()  # NumPy's numbers
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else value
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            raise bad_value(where, value, 'text that UTF-8 can hold') from None
        return value
    if isinstance(value, int) and abs(value) > LARGEST:
        raise bad_value(where, value, 'a whole number of 64 bits')
    if value is None or isinstance(value, bool | int | float):
        return value
    raise bad_value(where, value, 'a number, true or false, text or None')
