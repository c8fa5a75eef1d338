"""Sweeps from Python: arguments to a request, results to a pandas table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sbot.files.limits import TemporaryFolder
from sbot.sweeps import table
from sbot.sweeps.design import sample_axis, spread_of
from sbot.sweeps.experiment import Options, run_sweep
from sbot.sweeps.journal import source_of
from sbot.sweeps.plan import grid_axes, seeds_of, values_of, zip_axis
from sbot.sweeps.request import (
    Request,
    checked_memory,
    checked_timeout,
    is_sweep_file,
    read_sweep_file,
)
from sbot.sweeps.table import PARQUET, read_columns
from sbot_common.errors import InputError, bad_value, install_command, unknown_name

if TYPE_CHECKING:
    import pandas


def request_of(scenario: Any, seeds: object, grid: Mapping[str, object] | None,  # noqa: ANN401
               side_by_side: Mapping[str, object] | None, sample: Mapping[str, Any] | None,
               metrics: Sequence[str | Callable[..., Any]],
               overrides: Mapping[str, object], overlaps: bool = True) -> Request:
    """Return the request of the arguments of ``sbot.sweep``.

    Raises
    ------
    InputError
        naming the argument.

    """
    if isinstance(scenario, str | Path) and is_sweep_file(str(scenario)):
        request = read_sweep_file(str(scenario))
    else:
        several = scenario if isinstance(scenario, list | tuple) else [scenario]
        request = Request([source_of(each) for each in several])
    if seeds is not None:
        request.seeds = seeds_of(seeds, 'seeds')
    request.fixed.update(overrides)
    for key, values in (grid or {}).items():
        request.axes += grid_axes({key: values_of(_plain(values), f'grid {key}')})
    request.axes += zip_axis({key: values_of(_plain(values), f'zip {key}')
                              for key, values in (side_by_side or {}).items()})
    if sample is not None:
        drawn = sample.get('values', {}) if isinstance(sample, Mapping) else None
        if not isinstance(drawn, Mapping):
            raise bad_value('sample', sample, 'a mapping: count, method, seed, values')
        for name in sample:
            if name not in ('count', 'method', 'seed', 'values'):
                raise unknown_name('sample', name, ('count', 'method', 'seed', 'values'))
        spreads = {key: spread_of(value, f'sample {key}')
                   for key, value in drawn.items()}
        request.axes += sample_axis(spreads, sample.get('count', 0),
                                    sample.get('method', 'latin_hypercube'), sample.get('seed', 1))
    request.metrics += tuple(metrics)
    request.overlaps = request.overlaps and overlaps
    return request


def _plain(values: object) -> object:
    """Return NumPy arrays and pandas columns as lists."""
    return values.tolist() if hasattr(values, 'tolist') else values


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
    if record != 'none' and output is None:
        raise InputError(f'record={record!r} needs a folder; give output')
    if resume and output is None:
        raise InputError('resume needs a folder; give output')
    limits = Options(
        timeout=request.timeout if timeout is None else checked_timeout(timeout, 'timeout'),
        memory=request.memory if memory is None else checked_memory(memory, 'memory'),
        record=request.record if record == 'none' else record, **options)
    plan = request.plan()
    with TemporaryFolder('sweep') as folder:
        outcome = run_sweep(plan, request, output or Path(folder, 'sweep'), limits, resume)
        if table.is_installed():
            return pandas.read_parquet(outcome.folder / PARQUET)
        return pandas.DataFrame(read_columns(outcome.folder))
