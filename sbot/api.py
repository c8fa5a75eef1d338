"""The public API of ``import sbot``: load, run, sweep, replay, plot, view (docs/python.md)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import TYPE_CHECKING, Any

from neural_controller.function_policy import function_policy
from neural_controller.network import load_network, save_network
from neural_controller.network import make_network as network
from neural_controller.policy_file import load_policy, save_policy
from sbot.bag.reader import Bag
from sbot.regression.replay import ReplayResult
from sbot.regression.replay import replay as replay_bag
from sbot.runner.history import Run
from sbot.runner.loop import run_scenario
from sbot.runner.recording import free_again
from sbot.runner.warm_up import warm_up
from sbot.scenario.load import (
    changed_scenario,
    load_scenario,
    parse_scenario,
    scenario_from_mapping,
)
from sbot.scenario.model import Scenario
from sbot.worlds import many, single
from sbot_common.errors import InputError, bad_value

if TYPE_CHECKING:
    import pandas
    from matplotlib.figure import Figure

    from sbot.figures.data import RunData

__all__ = ['Bag', 'InputError', 'Run', 'Scenario', 'World', 'Worlds', 'function_policy', 'load',
           'load_network', 'load_policy', 'network', 'plot', 'replay', 'run', 'save_network',
           'save_policy', 'sweep', 'view']

Source = Scenario | Mapping[str, Any] | str | Path


def load(source: Source, /, *, controllers: Mapping[str, Any] | None = None,
         **overrides: object) -> Scenario:
    """Return a complete, checked scenario.

    A ``Scenario`` with overrides is loaded anew: another seed places groups of robots elsewhere.

    Parameters
    ----------
    source : the name of a shipped scenario, a path (``.yaml`` or ``.argos``), YAML text (it has a
        line break), or a dict with the keys of docs/scenario.md. In a dict, a robot's
        ``controller`` may be a class or an object.
    controllers : classes or objects by the names that a text or a recording has for them
    overrides : values that replace those of the source, e.g. ``duration=5``; a dotted key path
        goes in as ``**{'wind.wind_speed_mean': 0.3}``

    Raises
    ------
    InputError
        one line with file, line, key path, value and what was expected.

    """
    if isinstance(source, Scenario):
        given = {**source.given, **(controllers or {})}
        if not overrides and given == source.given:
            return source
        return changed_scenario(source, overrides, given)
    if isinstance(source, Mapping):
        return scenario_from_mapping(source, overrides, controllers)
    if isinstance(source, str) and '\n' in source:
        return parse_scenario(source, 'scenario', Path.cwd(), overrides=overrides,
                              controllers=controllers, warn=True)
    if not isinstance(source, str | Path):
        raise bad_value('scenario', source, 'a name, a path, YAML text, a dict or a Scenario')
    return load_scenario(str(source), overrides, controllers)


def run(scenario: Source, /, *, seed: int | None = None, record: str | Path | None = None,
        sense: Collection[str] = (), threads: int = 1,
        progress: Callable[[int, int], None] | None = None, keep: bool = True,
        overlaps: bool = True, hashed: bool = True,
        controllers: Mapping[str, Any] | None = None, **overrides: object) -> Run:
    """Run a scenario to its end, in this process; same scenario and seed, same bits.

    Parameters
    ----------
    scenario : as ``load`` takes it
    seed : instead of the scenario's
    record : a new directory for a recording (rosbag2, MCAP)
    sense : sensors to keep in the result, too: any of 'scans', 'infrared', 'odometry'
    threads : how many to use; changes no bit of the result
    progress : called with (ticks done, all ticks) after each tick
    keep : keep poses, commands and wind of every tick; without it those arrays are empty
    overlaps : count overlaps from the geometry in every tick; without it the summary has None
    hashed : hash the trajectory; without it the summary has None
    controllers, overrides : as ``load`` takes them

    Raises
    ------
    InputError
        one line: what was found, what was expected.

    """
    if not keep and sense:
        raise bad_value('sense', sense, 'nothing with keep=False')
    if seed is not None:
        overrides['seed'] = seed
    complete = load(scenario, controllers=controllers, **overrides)
    warm_up()
    with free_again(record):
        return run_scenario(complete, record=record, threads=threads, progress=progress,
                            keep=keep, sense=sense, overlaps=overlaps, hashed=hashed)


def load_uncontrolled(scenario: Source, overrides: Mapping[str, object]) -> Scenario:
    """Return a scenario whose controllers nobody asks.

    Raises
    ------
    InputError
        as ``load`` does, and for ``controllers`` among the overrides.

    """
    if 'controllers' in overrides:
        raise bad_value('controllers', overrides['controllers'], 'none: worlds do what they are '
                        'commanded')
    return load(scenario, controllers=None, **overrides)


class World(single.World):
    """One world of N robots, stepped from Python in one compiled call a step.

    Parameters
    ----------
    scenario : as ``load`` takes it; the controllers it names are not asked
    seed : of placement and noise; None: the scenario's
    sense : which of 'scan', 'infrared', 'odometry', 'neighbours', 'twist', 'wind' to simulate;
        None: all that the robots have
    overrides : as ``load`` takes them

    Raises
    ------
    InputError
        one line: what was found, what was expected.

    """

    def __init__(self, scenario: Source, /, *, seed: int | None = None,
                 sense: Collection[str] | None = None, **overrides: object) -> None:
        super().__init__(load_uncontrolled(scenario, overrides), seed=seed, sense=sense)


class Worlds(many.Worlds):
    """Many independent worlds, stepped together; world k equals a run of it alone, to the bit.

    Parameters
    ----------
    scenario : as ``load`` takes it, for all worlds; or a list of these, one a world, which may
        differ in obstacles, poses, bodies, wind and noise
    count : how many worlds
    seeds : (K,) of placement and noise; None: the scenario's, the scenario's + 1, …
    sense : as of ``World``
    threads : how many to use; changes no bit
    overrides : as ``load`` takes them, for all worlds

    Raises
    ------
    InputError
        one line: what was found, what was expected.

    """

    def __init__(self, scenario: Source | Sequence[Source], /, count: int | None = None, *,
                 seeds: Sequence[int] | None = None, sense: Collection[str] | None = None,
                 threads: int = 1, **overrides: object) -> None:
        given: list[Any] = list(scenario) if isinstance(scenario, list | tuple) else [scenario]
        loaded = [load_uncontrolled(source, overrides) for source in given]
        super().__init__(loaded if len(loaded) != 1 else loaded[0], count, seeds=seeds,
                         sense=sense, threads=threads)


def sweep(scenario: Source | Sequence[Source], /, *, seeds: object = None,
          grid: Mapping[str, object] | None = None, zip: Mapping[str, object] | None = None,
          sample: Mapping[str, Any] | None = None,
          metrics: Sequence[str | Callable[[Run], Any]] = (),
          output: str | Path | None = None, resume: bool = False, retry: bool = False,
          jobs: int = 0, scheduler: str | None = None, executor: Executor | None = None,
          batch: int = 1, timeout: float | None = None, memory: int | str | None = None,
          record: str = 'none', progress: bool = True, overlaps: bool = True,
          **overrides: object) -> pandas.DataFrame:
    """Run a scenario for every combination of values and seeds; return a row for each run.

    A row depends on scenario, values, seed and version alone: the same bits from any engine.

    Parameters
    ----------
    scenario : as ``load`` takes it, several of these, or the path of a sweep file
    seeds : e.g. ``range(50)``, '0:50' or [1, 2]; None: the scenario's own
    grid : values by key path, all combined with all, e.g. ``{'wind.wind_speed_mean': [0, 0.1]}``
    zip : values by key path that go side by side
    sample : as in a sweep file: count, method, seed, and values by key path
    metrics : ``'module:function'`` or functions; each gets the Run and returns a number, or
        several by name
    output : folder of the results; None: none is kept
    resume : go on with the sweep in ``output``, which must be the same; ``retry``: failed runs,
        too
    jobs : processes on this machine; 0: one a processor
    scheduler : address of a Dask scheduler whose workers to use instead
    executor : of ``concurrent.futures``, to use instead
    batch : runs handed out together
    timeout, memory : greatest time (s) and memory (bytes, or '2 GiB') of a run
    record : 'none', 'failed' or 'all': which runs to record, in ``output``/bags
    progress : show it
    overlaps : count them from the geometry in every tick; without it their column is empty
    overrides : values of all runs, as ``load`` takes them

    Raises
    ------
    InputError
        one line: what was found, what was expected. A run that fails is no error but a row with
        its ``error``.

    """
    from sbot.sweeps import frame
    request = frame.request_of(scenario, seeds, grid, zip, sample, metrics, overrides,
                               overlaps)
    return frame.sweep_frame(
        request, None if output is None else Path(output), resume,
        jobs=jobs, scheduler=scheduler, executor=executor, batch=batch, timeout=timeout,
        memory=memory, record=record, retry=retry, progress=progress)


def replay(bag: Bag | str | Path, /, *, record: str | Path | None = None,
           controllers: Mapping[str, Any] | None = None, **overrides: object) -> ReplayResult:
    """Feed a recording to fresh controllers and compare every command, to the bit.

    Parameters
    ----------
    bag : recorded in lockstep or in-process
    record : a new directory for the new commands
    controllers : classes or objects by the names that the recording has for them
    overrides : values of the recorded scenario to change, as ``load`` takes them

    Raises
    ------
    InputError
        if the bag cannot be replayed.

    """
    warm_up()
    return replay_bag(_bag(bag), overrides, record, controllers=controllers)


def plot(source: Run | Bag | Source, path: str | Path | None = None, /) -> Figure | Path:
    """Draw a run: its arena with all tracks, and what happened over time.

    Parameters
    ----------
    source : a run, a recording (``Bag`` or its path), or a scenario, which is then run
    path : .png, .svg or .pdf; .mp4 or .gif for a film. None: return a matplotlib figure.

    Returns
    -------
    The figure, or the path written.

    Raises
    ------
    InputError
        for another ending, a file that cannot be written, or an unusable source.

    """
    from sbot.figures import animation, picture
    if path is None:
        return picture.draw_run(_data(source))
    formats = (*picture.FORMATS, *animation.FORMATS)
    if Path(path).suffix.lower() not in formats:  # complain before the run
        raise bad_value('path', str(path), f'a file that ends in {", ".join(formats)}')
    write = (animation.animate_run if Path(path).suffix.lower() in animation.FORMATS
             else picture.plot_run)
    write(_data(source), path)
    return Path(path)


def view(source: Run | Bag | Source, path: str | Path, /) -> Path:
    """Write a run as one HTML page, an interactive replay for any browser, offline.

    Parameters
    ----------
    source : as ``plot`` takes it; scans are shown of recordings, and of runs that kept them
    path : .html

    Raises
    ------
    InputError
        for another ending, a file that cannot be written, or an unusable source.

    """
    from sbot.figures.data import is_bag
    from sbot.viewer.page import check_name, write_run, write_view
    check_name(path)  # complain before the run
    if isinstance(source, Bag) or (isinstance(source, str | Path) and is_bag(source)):
        write_view(source, path)
    else:
        write_run(source if isinstance(source, Run) else run(source, sense=['scans']), path)
    return Path(path)


def _bag(source: Bag | str | Path) -> Bag:
    return source if isinstance(source, Bag) else Bag(source)


def _data(source: Run | Bag | Source) -> RunData:
    """Return what pictures are made of."""
    from sbot.figures.data import from_bag, from_result, is_bag
    if isinstance(source, Run):
        return from_result(source)
    if isinstance(source, Bag) or (isinstance(source, str | Path) and is_bag(source)):
        return from_bag(source)
    return from_result(run(source))
