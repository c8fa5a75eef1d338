# SPDX-License-Identifier: Apache-2.0
"""The benchmark as a sweep: rows from scenes, seeds and controllers, and checks of rows."""

from __future__ import annotations

import hashlib
import inspect
import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot.bag.reader import Bag
from sbot.controllers.registry import NONE, is_named, load_class
from sbot.controllers.shipped import EXTERNAL as EXTERNAL
from sbot.files.limits import TemporaryFolder
from sbot.files.yaml_text import dump_yaml
from sbot.navigation import library
from sbot.navigation.metrics import navigation
from sbot.navigation.scenes import Scene
from sbot.regression.commands import held_commands
from sbot.ros.domain import FREE, parse_domain
from sbot.ros.processes import need_ros, parse_command, robot_commands
from sbot.ros.up import NodeFailed, run_up
from sbot.runner.controllers import Decisions
from sbot.runner.history import Run
from sbot.runner.session import Session
from sbot.scenario.controllers import external_robots
from sbot.scenario.load import parse_scenario
from sbot.scenario.model import Scenario
from sbot.sweeps.experiment import Options, run_sweep
from sbot.sweeps.journal import read_index, read_rows
from sbot.sweeps.plan import Axis, Plan, Source
from sbot.sweeps.request import Request
from sbot.sweeps.sources import check_values
from sbot.version import VERSION
from sbot_common.errors import InputError, bad_value, one_line, shown
from sbot_sim.engine.simulation import Snapshot
from wind_model.gust import Wind

PREFIX = 'node: '  # of a command. No module:Class has a space.


def is_node(competitor: str) -> bool:
    """Tell whether a competitor is a command that starts nodes."""
    return competitor.startswith(PREFIX)


def _command_of(competitor: str) -> str:
    """Return the command of a competitor that ``is_node``."""
    return competitor.removeprefix(PREFIX)


def short_names(competitors: Iterable[str]) -> dict[str, str]:
    """Return names for a table: of a node's command the file alone, if no other has its name."""
    names = {competitor: competitor for competitor in sorted(competitors)}
    for competitor in filter(is_node, names):
        words = _command_of(competitor).split()
        file = next((word for word in words if word.endswith('.py')), [*words, ''][0])
        names[competitor] = PREFIX + Path(file).name
    return {competitor: name if list(names.values()).count(name) == 1 else competitor
            for competitor, name in names.items()}


# Running nodes as competitors: a scene over ROS 2 in lockstep, judged by its recording.
#
# The recorded commands are driven again in this process. The trajectory must have the hash of the
# one over ROS, so the metrics are those of the run that the nodes drove.

def command_words(controller: str) -> list[str]:
    """Return the words of a competitor's command, places not filled in.

    Raises
    ------
    InputError
        without ROS 2, or if it is no command.

    """
    need_ros('--node')
    return parse_command(_command_of(controller))


def node_scenario(values: Mapping[str, Any], fixed: Mapping[str, Any]) -> Scenario:
    """Return a scenario in which nodes drive the robots with goals, in lockstep; others stand.

    Parameters
    ----------
    values : of the scenario
    fixed : values by key path, over those of the scenario

    Raises
    ------
    InputError
        if a value is wrong, or changes who drives the robots or lockstep.

    """
    robots = [{**robot, 'controller': EXTERNAL.name if 'goal' in robot else NONE}
              for robot in values['robots']]
    made = parse_scenario(dump_yaml({**values, 'robots': robots}), str(values['name']),
                          Path.cwd(), overrides=fixed)
    if not made.lockstep:
        raise InputError('--set lockstep=false cannot be combined with --node')
    if [robot.controller for robot in made.robots] != [robot['controller'] for robot in robots]:
        raise InputError('--set robots.*.controller cannot be combined with --node')
    return made


def _driven_run(whole: Scenario, controller: str, bag: Path,
                output: Callable[[str], None] = lambda _: None) -> Run:
    """Return the run of a scene in which nodes drive the robots with goals; the others stand.

    Parameters
    ----------
    whole : from ``node_scenario``
    controller : 'node: COMMAND'; a command with ``{namespace}`` or another place is started once
        for each robot, one without is started once
    bag : new directory of the recording
    output : called with each line that a node prints

    Raises
    ------
    InputError
        if a node is silent.
    NodeFailed
        if a node ends before the run.

    """
    scenario = replace(whole, until=None)
    goals = [i for i, robot in enumerate(scenario.robots) if robot.goal is not None]
    own = robot_commands(_command_of(controller), scenario, goals)
    summary = run_up(scenario, record=bag, domain=parse_domain(FREE), output=output, own=own)
    commands = _recorded_commands(Bag(bag), scenario)
    again = _driven(scenario, commands)
    if again.summary['trajectory_sha256'] != summary['trajectory_sha256']:
        raise NodeFailed('the recorded commands give the trajectory '
                         f'{again.summary["trajectory_sha256"]}, expected '
                         f'{summary["trajectory_sha256"]}, that of the nodes')
    return again if whole.until is None else _driven(whole, commands)


def _recorded_commands(bag: Bag, scenario: Scenario) -> NDArray[np.float64]:
    """Return the commands (T + 1, N, 3) that held in each tick of a recording of nodes.

    Those of other robots, and those before a robot's first, are 0.
    """
    stamps_ns = np.array([scenario.rate.stamp_ns(tick) for tick in range(
        scenario.rate.ticks(scenario.duration) + 1)], np.int64)
    commands = np.zeros((len(stamps_ns), len(scenario.robots), 3))
    held = held_commands(bag, stamps_ns, len(scenario.robots), external_robots(scenario))
    for robot, each in held.items():
        commands[:, robot] = np.nan_to_num(each)
    return commands


def _driven(scenario: Scenario, commands: NDArray[np.float64]) -> Run:
    """Return the run of a scenario with given commands (T + 1, N, 3)."""
    robots = [replace(robot, controller=NONE, parameters={}) for robot in scenario.robots]
    session = Session(replace(scenario, robots=robots), overlaps=False, batched=True)

    def drive(_stamp_ns: int, _wind: Wind, snapshot: Snapshot, decided: Decisions) -> None:
        decided.commands[:] = commands[snapshot.tick]
    while not session.ended:
        session.turn(drive)
    return session.result()


Row = dict[str, Any]
CONTROLLER = 'robots.*.controller'
_METRICS = 'sbot.navigation.metrics:navigation'
_PREFIX = 'navigation.'  # of the metrics' columns in a sweep
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


def run_controllers(scenarios: Iterable[tuple[str, Mapping[str, Any]]],
                    controllers: Sequence[str], fixed: Mapping[str, Any], options: Options,
                    folder: Path | None = None, resume: bool = False) -> list[Row]:
    """Run scenarios with each controller by the machinery of ``sbot sweep``; return their rows.

    Parameters
    ----------
    scenarios : name and values of each, as ``scene_sources`` yields them
    controllers : names, or 'module:Class' in the current folder or installed
    fixed : values of all runs by key path
    options : how to run them
    folder : of the sweep's results, kept; None: none are
    resume : go on with the one in ``folder``

    Raises
    ------
    InputError
        if a controller is none, or a value is wrong.

    """
    here, known = str(Path.cwd()), list(scenarios)
    sources = tuple(Source(f"{name}#{values['seed']}", dump_yaml(values), name, here,
                           values['seed']) for name, values in known)
    plan = Plan(sources, dict(fixed), (Axis((CONTROLLER,), (list(controllers),)),), (),
                (_METRICS,), overlaps=False)
    check_values(plan, sources[0], {})
    request = Request([], metrics=plan.metrics, fixed=dict(plan.fixed))
    with TemporaryFolder('navigation') as temporary:
        place = folder or Path(temporary, 'sweep')
        # A controller that fails has rows, too.
        run_sweep(plan, request, place, options._replace(check_start=False), resume)
        rows = sorted(read_rows(place, read_index(place).places.values()),
                      key=lambda row: int(row['run']))
    hashes = {name: _controller_hash(name) for name in controllers}
    digests = [library.digest(values) for _, values in known]
    sources_of = [plan[row['run']].source for row in rows]
    return [_row(known[source][0], row, row[CONTROLLER], fixed, hashes[row[CONTROLLER]],
                 digests[source]) for source, row in zip(sources_of, rows, strict=True)]


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
                run = _driven_run(scenario, controller, bag, show)
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


_MAY_DIFFER = ('version', 'wall_time_s', 'error')  # in a row that is run again


class PublishedRows(NamedTuple):
    """Rows from ``table.read_rows_file``, which somebody wants to check."""

    rows: Sequence[Row]

    def executed(self) -> list[str]:
        """Return what a run of these rows would import or read: classes and texts in `set`."""
        found = [row['controller'] for row in self.rows if not is_named(row['controller'])]
        found += [f'{key}={value}' for row in self.rows for key, value in row['set'].items()
                  if not isinstance(value, bool | int | float)]
        return list(dict.fromkeys(found))

    def foreign_seeds(self, secret: bytes) -> list[str]:
        """Return a line for each scene and controller whose rows have other seeds than a secret's.

        N rows must have the first N seeds: nobody has left out a run.
        """
        seeds: dict[tuple[str, str, str], list[int]] = {}
        for row in self.rows:
            changes = json.dumps(row['set'], sort_keys=True)
            seeds.setdefault((row['scene'], row['controller'], changes), []).append(row['seed'])
        return [one_line(f'{scene} {controller}: seeds: got {shown(found)}, expected the first '
                         f'{len(found)} that follow from the secret')
                for (scene, controller, _), found in seeds.items()
                if sorted(found) != sorted(library.hidden_seeds(secret, scene, len(found)))]

    def check(self, known: Mapping[str, Mapping[str, Scene]], options: Options) -> list[str]:
        """Run rows again; return a line for each row that gives another result.

        Parameters
        ----------
        known : the scenes, as ``library.families`` returns them
        options : how to run them; of rows of nodes, none of it counts

        """
        groups: dict[str, list[Row]] = {}
        for row in self.rows:
            groups.setdefault(json.dumps([row['controller'], row['set']], sort_keys=True),
                              []).append(row)
        wrong = []
        for group in groups.values():
            scenarios = []
            for row in group:
                name = row['scene']
                found = library.chosen_scenes(known, [name])
                if name not in found:
                    raise bad_value('scene of a row', name, f'one scene, e.g. {next(iter(found))}')
                scenarios.append((name, library.scenario_values(name, found[name], row['seed'])))
            controller, fixed = group[0]['controller'], group[0]['set']
            if is_node(controller):
                rerun = run_nodes(scenarios, controller, fixed)
            else:
                rerun = run_controllers(scenarios, [controller], fixed, options)
            for row, again in zip(group, rerun, strict=True):
                name = f"{row['scene']}#{row['seed']} {row['controller']}"
                wrong += [one_line(f'{name}: {key}: the row has {shown(row.get(key))}, again '
                                   f'{shown(again.get(key))}')
                          # A row of an older version need not have the metrics of this one.
                          for key in (row if row.get('version') != VERSION else {**row, **again})
                          if key not in _MAY_DIFFER and row.get(key) != again.get(key)]
                if (row.get('error') is None) != (again.get('error') is None):
                    wrong.append(one_line(f"{name}: error: the row has {shown(row.get('error'))}, "
                                          f"again {shown(again.get('error'))}"))
        return wrong
