"""The public API of ``import sbot``: load, run, replay, plot, view (docs/python.md)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sbot.bag.reader import Bag
from sbot.regression.replay import ReplayResult
from sbot.regression.replay import replay as replay_bag
from sbot.runner.history import Run
from sbot.runner.loop import run_scenario
from sbot.runner.warm_up import warm_up
from sbot.scenario.load import load_scenario, parse_scenario, scenario_from_mapping
from sbot.scenario.model import Scenario
from sbot_common.errors import InputError, bad_value

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from sbot.figures.data import RunData

__all__ = ['Bag', 'InputError', 'Run', 'Scenario', 'load', 'plot', 'replay', 'run', 'view']

Source = Scenario | Mapping[str, Any] | str | Path


def load(source: Source, /, *, controllers: Mapping[str, Any] | None = None,
         **overrides: object) -> Scenario:
    """Return a complete, checked scenario.

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
        return parse_scenario(source.to_yaml(), source.name, Path.cwd(), overrides=overrides,
                              controllers=given)
    if isinstance(source, Mapping):
        return scenario_from_mapping(source, overrides, controllers)
    if isinstance(source, str) and '\n' in source:
        return parse_scenario(source, 'scenario', Path.cwd(), overrides=overrides,
                              controllers=controllers)
    if not isinstance(source, str | Path):
        raise bad_value('scenario', source, 'a name, a path, YAML text, a dict or a Scenario')
    return load_scenario(str(source), overrides, controllers)


def run(scenario: Source, /, *, seed: int | None = None, record: str | Path | None = None,
        sense: Collection[str] = (), threads: int = 1,
        progress: Callable[[int, int], None] | None = None,
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
    controllers, overrides : as ``load`` takes them

    Raises
    ------
    InputError
        one line: what was found, what was expected.

    """
    if seed is not None:
        overrides['seed'] = seed
    complete = load(scenario, controllers=controllers, **overrides)
    warm_up()
    return run_scenario(complete, record=record, threads=threads, progress=progress, sense=sense)


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
    data = _data(source)
    if path is None:
        return picture.draw_run(data)
    write = (animation.animate_run if Path(path).suffix.lower() in animation.FORMATS
             else picture.plot_run)
    write(data, path)
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
    from sbot.viewer.page import write_run, write_view
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
