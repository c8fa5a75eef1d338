"""The benchmark as a sweep: rows from scenes, seeds and controllers, and checks of rows."""

from __future__ import annotations

import hashlib
import inspect
import json
import logging
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from sbot.controllers.registry import is_named, load_class
from sbot.files.limits import TemporaryFolder
from sbot.files.yaml_text import dump_yaml
from sbot.navigation import library
from sbot.navigation.competitors import command_words, driven_run, is_node, node_scenario
from sbot.navigation.metrics import navigation
from sbot.navigation.scenes import Scene
from sbot.ros.up import NodeFailed
from sbot.sweeps.experiment import Options, run_sweep
from sbot.sweeps.journal import check_values, read_index, read_rows
from sbot.sweeps.plan import Axis, Plan, Source
from sbot.sweeps.request import Request
from sbot.version import VERSION
from sbot_common.errors import InputError, bad_value, one_line, shown

LOG = logging.getLogger(__name__)
Row = dict[str, Any]
CONTROLLER = 'robots.*.controller'
_METRICS = 'sbot.navigation.metrics:navigation'
_PREFIX = 'navigation.'  # of the metrics' columns in a sweep
_MAY_DIFFER = ('version', 'wall_time_s', 'error')  # in a row that is run again


def scene_sources(scenes: Mapping[str, Scene], seeds: Sequence[int],
                  secret: bytes | None = None) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the name and the values of a scenario for each scene and seed.

    Parameters
    ----------
    scenes : by name
    seeds : of each; scenes in which the seed changes little have the first one only
    secret : seeds follow from this instead, as many

    """
    for name, scene in scenes.items():
        count = len(seeds) if scene.seed_matters else 1
        own = seeds[:count] if secret is None else library.hidden_seeds(secret, name, count)
        for seed in own:
            yield name, library.scenario_values(name, scene, seed)


def make_plan(scenarios: Iterable[tuple[str, Mapping[str, Any]]], controllers: Sequence[str],
              fixed: Mapping[str, Any]) -> Plan:
    """Return the sweep of scenarios with each controller.

    Parameters
    ----------
    scenarios : name and values of each, as ``scene_sources`` yields them
    controllers : names, or 'module:Class' in the current folder or installed
    fixed : values of all runs by key path

    Raises
    ------
    InputError
        if a controller is none, or a value is wrong.

    """
    here = str(Path.cwd())
    sources = tuple(Source(f"{name}#{values['seed']}", dump_yaml(values), name, here,
                           values['seed']) for name, values in scenarios)
    plan = Plan(sources, dict(fixed), (Axis((CONTROLLER,), (list(controllers),)),), (),
                (_METRICS,), overlaps=False)
    check_values(plan, sources[0], {})
    return plan


def run_plan(plan: Plan, options: Options, folder: Path | None, resume: bool = False) -> list[Row]:
    """Run a plan by the machinery of ``sbot sweep``; return its rows in the plan's order.

    Parameters
    ----------
    plan : from ``make_plan``
    options : how to run it
    folder : of the sweep's results, kept; None: none are
    resume : go on with the one in ``folder``

    """
    request = Request([], metrics=plan.metrics, fixed=dict(plan.fixed))
    with TemporaryFolder('navigation') as temporary:
        place = folder or Path(temporary, 'sweep')
        # A controller that fails has rows, too.
        run_sweep(plan, request, place, options._replace(check_start=False), resume)
        rows = sorted(read_rows(place, read_index(place).places.values()),
                      key=lambda row: int(row['run']))
    hashes = {name: _controller_hash(name) for name in plan.column(CONTROLLER)}
    digests = [library.digest(_values(source)) for source in plan.sources]
    found = []
    for row in rows:
        run, name = plan[row['run']], row[CONTROLLER]
        found.append(_row(plan.sources[run.source].file, row, name, plan.fixed, hashes[name],
                          digests[run.source]))
    return found


def run_nodes(scenarios: Iterable[tuple[str, Mapping[str, Any]]], controller: str,
              fixed: Mapping[str, Any], folder: Path | None = None,
              show: Callable[[str], None] = lambda _: None,
              keep: Callable[[Row], None] = lambda _: None) -> list[Row]:
    """Run scenarios over ROS 2 with nodes that somebody's command starts, one after another.

    Parameters
    ----------
    scenarios : name and values of each, as ``scene_sources`` yields them
    controller : 'node: COMMAND'
    fixed : values of all runs by key path
    folder : of the recordings, which are kept; None: they are not
    show : called with a line before each run, and with those that the nodes print
    keep : called with each row when its run has ended

    Raises
    ------
    InputError
        without ROS 2, or if the command or a value is wrong. What happens in a run is in its row.

    """
    command_words(controller)
    sha256, rows = _controller_hash(controller), []
    for name, values in scenarios:
        scenario = node_scenario(values, fixed)
        show(f"{name}#{values['seed']} {controller}")
        begun, row = time.perf_counter(), dict[str, Any]()
        with TemporaryFolder('navigation') as temporary:
            bag = Path(temporary, 'bag') if folder is None else folder / (
                f"{name.replace('/', '_')}#{values['seed']}")
            bag.parent.mkdir(parents=True, exist_ok=True)
            try:
                run = driven_run(scenario, controller, bag, show)
                row = {'trajectory_sha256': run.summary['trajectory_sha256'], 'error': None,
                       **{_PREFIX + key: value for key, value in navigation(run).items()}}
            except (InputError, NodeFailed) as error:
                # Where a recording was differs from run to run; a row does not.
                row = {'error': one_line(str(error).replace(str(bag), 'the recording'))}
        row |= {'seed': values['seed'], 'version': VERSION,
                'wall_time_s': round(time.perf_counter() - begun, 6)}
        rows.append(_row(name, row, controller, fixed, sha256, library.digest(values)))
        keep(rows[-1])
    return rows


def _values(source: Source) -> dict[str, Any]:
    from sbot.files.yaml_text import parse_yaml
    values, _ = parse_yaml(source.text, source.file)
    assert isinstance(values, dict)
    return values


def _row(scene: str, row: Row, controller: str, fixed: Mapping[str, Any], sha256: str | None,
         digest: str) -> Row:
    """Return a row of the benchmark: what was run, by which version, what came out."""
    return {
        'library': library.VERSION, 'scene': scene, 'seed': row['seed'],
        'controller': controller, 'set': dict(fixed), 'version': row['version'],
        'controller_sha256': sha256, 'scenario_sha256': digest,
        'trajectory_sha256': row.get('trajectory_sha256'), 'error': row['error'],
        'wall_time_s': row['wall_time_s'],
        **{key.removeprefix(_PREFIX): value for key, value in row.items()
           if key.startswith(_PREFIX)}}


def _controller_hash(name: str) -> str | None:
    """Return the SHA-256 of the file that a 'module:Class', or a node, is in.

    None for shipped controllers, and for nodes whose command is no file.
    """
    if is_named(name):
        return None
    if is_node(name):
        found = next((word for word in command_words(name) if word.endswith('.py')), None)
        file = found if found is not None and Path(found).is_file() else None
    else:
        file = inspect.getsourcefile(load_class(name, (str(Path.cwd()),)))
    return None if file is None else hashlib.sha256(Path(file).read_bytes()).hexdigest()


def executed(rows: Iterable[Row]) -> list[str]:
    """Return what a run of these rows would import or read: classes and texts in `set`."""
    found = [row['controller'] for row in rows if not is_named(row['controller'])]
    found += [f'{key}={value}' for row in rows for key, value in row['set'].items()
              if not isinstance(value, bool | int | float)]
    return list(dict.fromkeys(found))


def _scene(known: Mapping[str, Mapping[str, Scene]], name: str) -> Scene:
    found = library.chosen_scenes(known, [name])
    if name not in found:
        raise bad_value('scene of a row', name, f'one scene, e.g. {next(iter(found))}')
    return found[name]


def check_rows(rows: Sequence[Row], known: Mapping[str, Mapping[str, Scene]],
               options: Options) -> list[str]:
    """Run rows again; return a line for each row that gives another result.

    Parameters
    ----------
    rows : from ``table.read_rows_file``
    known : the scenes, as ``library.families`` returns them
    options : how to run them; of rows of nodes, none of it counts

    """
    if any(is_node(row['controller']) for row in rows):
        for name in ('timeout', 'scheduler'):
            if getattr(options, name) is not None:
                LOG.warning('--%s: has no effect on rows of nodes', name)
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(json.dumps([row['controller'], row['set']], sort_keys=True),
                          []).append(row)
    wrong = []
    for group in groups.values():
        scenarios = [(row['scene'], library.scenario_values(
            row['scene'], _scene(known, row['scene']), row['seed'])) for row in group]
        controller, fixed = group[0]['controller'], group[0]['set']
        if is_node(controller):
            found = run_nodes(scenarios, controller, fixed)
        else:
            found = run_plan(make_plan(scenarios, [controller], fixed), options, None)
        for row, again in zip(group, found, strict=True):
            name = f"{row['scene']}#{row['seed']} {row['controller']}"
            wrong += [one_line(f'{name}: {key}: the row has {shown(row.get(key))}, again '
                               f'{shown(again.get(key))}')
                      for key in dict.fromkeys((*row, *again))
                      if key not in _MAY_DIFFER and row.get(key) != again.get(key)]
            if (row.get('error') is None) != (again.get('error') is None):
                wrong.append(one_line(f"{name}: error: the row has {shown(row.get('error'))}, "
                                      f"again {shown(again.get('error'))}"))
    return wrong
