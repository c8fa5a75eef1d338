"""The benchmark as a sweep: rows from scenes, seeds and controllers, and checks of rows."""

from __future__ import annotations

import hashlib
import inspect
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from sbot.controllers.registry import is_named
from sbot.controllers.user import load_class
from sbot.files.temporary import TemporaryFolder
from sbot.files.yaml_text import dump_yaml
from sbot.navigation import library
from sbot.navigation.scene import Scene
from sbot.sweeps.experiment import Options, run_sweep
from sbot.sweeps.plan import Axis, Plan, Source
from sbot.sweeps.request import Request
from sbot.sweeps.results.journal import read_index, read_rows
from sbot.sweeps.sources import check_values
from sbot_common.errors import one_line, shown

Row = dict[str, Any]
CONTROLLER = 'robots.*.controller'
_METRICS = 'sbot.navigation.metrics:navigation'
_PREFIX = 'navigation.'  # of the metrics' columns in a sweep
SAME = ('scenario_sha256', 'trajectory_sha256')  # in a row that is run again


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
        run_sweep(plan, request, place, options, resume)
        rows = sorted(read_rows(place, read_index(place).places.values()),
                      key=lambda row: int(row['run']))
    hashes = {name: controller_hash(name) for name in plan.column(CONTROLLER)}
    digests = [library.digest(_values(source)) for source in plan.sources]
    return [_row(plan, row, hashes, digests) for row in rows]


def _values(source: Source) -> dict[str, Any]:
    from sbot.files.yaml_text import parse_yaml
    values, _ = parse_yaml(source.text, source.file)
    assert isinstance(values, dict)
    return values


def _row(plan: Plan, row: Row, hashes: Mapping[str, str | None], digests: Sequence[str]) -> Row:
    """Return a row of the benchmark: what was run, by which version, what came out."""
    run = plan[row['run']]
    name = row[CONTROLLER]
    return {
        'library': library.VERSION, 'scene': plan.sources[run.source].file, 'seed': row['seed'],
        'controller': name, 'set': dict(plan.fixed), 'version': row['version'],
        'controller_sha256': hashes[name], 'scenario_sha256': digests[run.source],
        'trajectory_sha256': row.get('trajectory_sha256'), 'error': row['error'],
        'wall_time_s': row['wall_time_s'],
        **{key.removeprefix(_PREFIX): value for key, value in row.items()
           if key.startswith(_PREFIX)}}


def controller_hash(name: str) -> str | None:
    """Return the SHA-256 of the file that a 'module:Class' is in; None for shipped ones."""
    if is_named(name):
        return None
    file = inspect.getsourcefile(load_class(name, (str(Path.cwd()),)))
    return None if file is None else hashlib.sha256(Path(file).read_bytes()).hexdigest()


def executed(rows: Iterable[Row]) -> list[str]:
    """Return what a run of these rows would import or read: classes and texts in `set`."""
    found = [row['controller'] for row in rows if not is_named(row['controller'])]
    found += [f'{key}={value}' for row in rows for key, value in row['set'].items()
              if not isinstance(value, bool | int | float)]
    return list(dict.fromkeys(found))


def check_rows(rows: Sequence[Row], known: Mapping[str, Mapping[str, Scene]],
               options: Options) -> list[str]:
    """Run rows again; return a line for each row that gives another result.

    Parameters
    ----------
    rows : from ``rows.read_rows_file``
    known : the scenes, as ``library.families`` returns them
    options : how to run them

    """
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(json.dumps([row['controller'], row['set']], sort_keys=True),
                          []).append(row)
    wrong = []
    for group in groups.values():
        scenarios = [(row['scene'], library.scenario_values(
            row['scene'], library.chosen_scenes(known, [row['scene']])[row['scene']], row['seed']))
            for row in group]
        plan = make_plan(scenarios, [group[0]['controller']], group[0]['set'])
        for row, again in zip(group, run_plan(plan, options, None), strict=True):
            name = f"{row['scene']}#{row['seed']} {row['controller']}"
            wrong += [one_line(f'{name}: {key}: the row has {shown(row.get(key))}, again '
                               f'{shown(again[key])}')
                      for key in (*SAME, 'controller_sha256') if row.get(key) != again[key]]
    return wrong
