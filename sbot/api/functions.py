# SPDX-License-Identifier: Apache-2.0
"""Functions of ``import sbot``: run, sweep, replay, plot, view (docs/python.md).

Each imports its modules when it is called, because imports take longer than loading a scenario.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from sbot.scenario.load import Source, loaded
from sbot_common.errors import InputError

if TYPE_CHECKING:
    import pandas
    from matplotlib.figure import Figure
    from numpy.typing import NDArray
    from typing_extensions import Unpack

    from sbot.api.overrides import Overrides, SeededOverrides, SweepOverrides
    from sbot.bag.reader import Bag
    from sbot.figures.data import RunData
    from sbot.regression.replay import ReplayResult
    from sbot.runner.history import Run
    from sbot.runner.session import Session

    Seeds = int | str | range | Sequence[int | str | range] | NDArray[Any]
    Values = Iterable[Any] | float  # of an axis


def run(scenario: Source, /, *, seed: int | None = None, record: str | Path | None = None,
        sense: Collection[str] = (), threads: int | str = 1,
        progress: Callable[[int, int], None] | None = None, keep: bool = True,
        overlaps: bool = True, hashed: bool = True,
        controllers: Mapping[str, Any] | None = None,
        **overrides: Unpack[Overrides]) -> Run:
    """Run a scenario in this process; the same scenario and seed give the same bits.

    Parameters
    ----------
    scenario : as ``load`` takes it
    seed : replaces the scenario's seed
    record : a new directory for a recording (rosbag2, MCAP)
    sense : names of the sensors whose readings the result keeps, e.g. 'scan' (docs/sensors.md)
    threads : number of threads, or 'auto' for as many as there are processors; changes no bit of
        the result
    progress : function that is called with (ticks done, all ticks) after each tick
    keep : keep poses, commands and wind of every tick; otherwise these arrays are empty
    overlaps : count overlaps from the geometry in every tick; otherwise the summary has None
    hashed : hash the trajectory; otherwise the summary has None
    controllers, overrides : as ``load`` takes them

    Raises
    ------
    InputError
        one line: what was found, what was expected.

    """
    if not keep and sense:
        raise InputError('sense cannot be combined with keep=False')
    from sbot.runner.loop import run_scenario
    from sbot.runner.warm_up import warm_up
    complete = loaded(scenario, _seeded(overrides, seed), controllers)
    warm_up(complete)
    return run_scenario(complete, record=record, threads=threads, progress=progress,
                        keep=keep, sense=sense, overlaps=overlaps, hashed=hashed)


def session(scenario: Source, /, *, seed: int | None = None, sense: Collection[str] = (),
            threads: int | str = 1, keep: bool = True,
            controllers: Mapping[str, Any] | None = None,
            **overrides: Unpack[Overrides]) -> Session:
    """Return a run at tick 0, to take it tick by tick, look inside, and go back.

    Parameters
    ----------
    scenario, seed, sense, threads, keep, controllers, overrides : as ``run`` takes them

    Raises
    ------
    InputError
        one line: what was found, what was expected.

    """
    from sbot.runner.session import Session
    from sbot.runner.warm_up import warm_up
    complete = loaded(scenario, _seeded(overrides, seed), controllers)
    warm_up(complete)
    return Session(complete, sense=sense, threads=threads, keep=keep)


def sweep(scenario: Source | Sequence[Source], /, *, seeds: Seeds | None = None,
          grid: Mapping[str, Values] | None = None, zip: Mapping[str, Values] | None = None,
          sample: Mapping[str, Any] | None = None,
          metrics: Sequence[str | Callable[[Run], Any]] = (),
          output: str | Path | None = None, resume: bool = False, retry: bool = False,
          jobs: int = 0, scheduler: str | None = None, executor: Executor | None = None,
          batch: int = 1, timeout: float | None = None, memory: int | str | None = None,
          record: Literal['none', 'failed', 'all'] = 'none', progress: bool = True,
          overlaps: bool = True, **overrides: Unpack[SweepOverrides]) -> pandas.DataFrame:
    """Run a scenario for every combination of values and seeds; return a row for each run.

    A row depends only on scenario, values, seed and version; all engines give the same bits.

    Parameters
    ----------
    scenario : as ``load`` takes it, several of these, or the path of a sweep file
    seeds : e.g. ``range(50)``, '0:50' or [1, 2]; None: the scenario's own
    grid : values by key path, in all combinations, e.g. ``{'wind.wind_speed_mean': [0, 0.1]}``
    zip : values by key path that change together
    sample : as in a sweep file: count, method, seed, and values by key path
    metrics : ``'module:function'`` or functions; each gets the Run and returns a number, or
        several by name
    output : folder for the results; None: results are not written
    resume : continue the sweep in ``output``, which must have the same plan
    retry : with ``resume``, also repeat failed runs
    jobs : number of processes on this machine; 0: one per processor
    scheduler : address of a Dask scheduler, to use its workers instead
    executor : an executor of ``concurrent.futures``, to use instead
    batch : number of runs that a worker gets together
    timeout, memory : limits of a run: time (s), and memory (bytes, or '2 GiB')
    record : which runs to record, in ``output``/bags: 'none', 'failed' or 'all'
    progress : show the progress
    overlaps : count overlaps from the geometry in every tick; otherwise their column is empty
    overrides : values of all runs, as ``load`` takes them

    Raises
    ------
    InputError
        one line: what was found, what was expected. If a run fails, nothing is raised: its row
        has an ``error``.

    """
    from sbot.sweeps.experiment import sweep_frame
    from sbot.sweeps.request import Request
    request = Request.of(scenario, seeds, grid, zip, sample, metrics, overrides,
                               overlaps)
    return sweep_frame(
        request, None if output is None else Path(output), resume,
        jobs=jobs, scheduler=scheduler, executor=executor, batch=batch, timeout=timeout,
        memory=memory, record=record, retry=retry, progress=progress)


def replay(bag: Bag | str | Path, /, *, record: str | Path | None = None,
           controllers: Mapping[str, Any] | None = None,
           **overrides: Unpack[SeededOverrides]) -> ReplayResult:
    """Feed a recording to fresh controllers and compare every command, bit for bit.

    Parameters
    ----------
    bag : recording of a run in lockstep or in one process
    record : a new directory for the new commands
    controllers : classes or objects by their names in the recording
    overrides : values of the recorded scenario to change, as ``load`` takes them

    Raises
    ------
    InputError
        if the bag cannot be replayed.

    """
    from sbot.bag.reader import Bag
    from sbot.regression.replay import replay as replay_bag
    from sbot.runner.warm_up import warm_up
    warm_up()
    return replay_bag(bag if isinstance(bag, Bag) else Bag(bag), overrides, record,
                      controllers=controllers)


def plot(source: Run | Bag | Source, path: str | Path | None = None, /, *,
         at: Sequence[float] = (), colour: str = '', dark: bool = False,
         title: str | None = None, size: int | str | None = None, fps: float | None = None,
         speed: float | None = None, color: str = '',
         figsize: float | tuple[float, float] | None = None) -> Figure | Path:
    """Draw a run: its arena with all tracks, and curves over time.

    Parameters
    ----------
    source : a run, a recording (``Bag`` or its path), or a scenario, which runs first
    path : .png, .svg or .pdf; .mp4 or .gif for a film. None: return a matplotlib figure.
    at : times (s) to draw side by side, instead of whole tracks
    colour : what the colours show: 'robot' (default for up to eight robots), 'time' (tracks only;
        default for more robots), or 'heading' (films and ``at``)
    dark : draw on a dark background
    title : of a picture, or the name in a film; '' leaves it out. None: the picture's own
    size : pixels: width of a film or .png; of a film also 'WIDTHxHEIGHT'
    fps : frames per second of a film
    speed : of a film, relative to real time; default: 1, or as much as makes it 20 s long
    color : the same as ``colour``
    figsize : width, or width and height, of a picture in inches, e.g. (3.4, 3.0)
        (docs/pictures.md)

    Returns
    -------
    The figure, or the path written.

    Raises
    ------
    InputError
        for an unknown file type, options without effect, a file that cannot be written, or an
        unusable source.

    """
    import numpy as np

    from sbot.figures.look import Look, asked
    from sbot_common.arguments import number, numbers
    numbers('at', at, (np.size(at),))
    times = tuple(number('at', each) for each in at)
    if color and colour:
        raise InputError('colour cannot be combined with color')
    inches = (None if figsize is None else
              tuple(numbers('figsize', figsize, (), (2,)).ravel().tolist()))
    look, film = asked(path, Look(times, colour or color, bool(dark), title, inches=inches), size,
                       None if fps is None else number('fps', fps),
                       None if speed is None else number('speed', speed))
    if path is None:
        from sbot.figures.picture import draw
        return draw(_data(source), look)
    if film is None:
        from sbot.figures.picture import plot_run
        plot_run(_data(source), path, look)
    else:
        from sbot.figures.film import animate_run
        animate_run(_data(source), path, look, film)
    return Path(path)


def view(source: Run | Bag | Source, path: str | Path, /) -> Path:
    """Write a run as one interactive HTML page for any browser; it works offline.

    Parameters
    ----------
    source : as ``plot`` takes it; scans are shown for recordings, and for runs that kept them
    path : .html

    Raises
    ------
    InputError
        for an unknown file type, a file that cannot be written, or an unusable source.

    """
    from sbot.viewer.data import check_name, write_view
    check_name(path)  # complain before the run
    write_view(_happened(source, ['scan']), path)
    return Path(path)


def _seeded(overrides: Mapping[str, object], seed: int | None) -> Mapping[str, object]:
    return overrides if seed is None else {**overrides, 'seed': seed}


def _happened(source: Run | Bag | Source, sense: Collection[str] = ()) -> Run | Bag | str | Path:
    """Return a run or a recording as it is; a scenario runs."""
    from sbot.bag.reader import Bag
    from sbot.figures.data import is_bag
    from sbot.runner.history import Run
    if isinstance(source, Run | Bag) or (isinstance(source, str | Path) and is_bag(source)):
        return source
    return run(source, sense=sense)


def _data(source: Run | Bag | Source) -> RunData:
    """Return what pictures are made of."""
    from sbot.figures.data import RunData
    from sbot.runner.history import Run
    found = _happened(source)
    return RunData.from_result(found) if isinstance(found, Run) else RunData.from_bag(found)
