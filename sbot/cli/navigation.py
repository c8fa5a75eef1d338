# SPDX-License-Identifier: Apache-2.0
"""`sbot bench navigation`: controllers compared on a library of scenes."""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import logging
import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from sbot.cli.command import QUIET, Command, flag, repeated, value
from sbot.files.limits import read_within
from sbot.files.yaml_text import dump_yaml
from sbot.navigation.benchmark import (
    PREFIX,
    PublishedRows,
    command_words,
    is_node,
    node_scenario,
    run_controllers,
    run_nodes,
    scene_sources,
)
from sbot.navigation.library import chosen_scenes, families
from sbot.navigation.scenes import Scene
from sbot.navigation.table import as_csv, as_json_lines, as_markdown, read_rows_file, table
from sbot.scenario.load import parse_override
from sbot.sweeps.experiment import MAX_JOBS, Options
from sbot.sweeps.plan import seeds_of, whole_number
from sbot.sweeps.request import TIMEOUT
from sbot_common.errors import one_line, refuse, writing

_DESCRIPTION = """Compare controllers on a library of scenes. Every scene runs with every seed and
controller, on this machine's processors or a Dask cluster. The result is a table with a line for
each family of scenes. With --format jsonl or csv, each row describes one run and holds the hash of
its result. --check runs such rows again. More: docs/navigation_benchmark.md. Exit code 0: all runs
ended, and all checked rows agree; 3: a run failed, or a row differs; 2: bad input."""
LOG = logging.getLogger(__name__)
FAILED = 3  # exit code where runs have failed, or rows are not as they say
_SEEDS = '0:20'


def _navigation(arguments: argparse.Namespace) -> int:
    known = families(arguments.barn, arguments.dynabarn, arguments.movingai)
    scenes = chosen_scenes(known, arguments.scenes)
    if arguments.list:
        width = max(map(len, scenes))
        print('\n'.join(f'{name:<{width}}  {scene.text}' for name, scene in scenes.items()))
        return 0
    if arguments.yaml:
        return _print_scenario(arguments, scenes)
    if arguments.show:
        _print([row for file in arguments.show for row in read_rows_file(Path(file))], arguments)
        return 0
    options = _options(arguments)
    if arguments.check is not None:
        return _check(arguments, known, options)
    return _run(arguments, scenes, options)


def _print_scenario(arguments: argparse.Namespace, scenes: Mapping[str, Scene]) -> int:
    found = list(scene_sources(scenes, seeds_of(arguments.seeds, '--seeds')))
    refuse((len(found) != 1, f'--yaml: got {len(found)} scenarios, expected one scene and one '
                             'seed, e.g. doorway/1.2 --seeds 3'))
    print(dump_yaml(found[0][1]), end='')
    return 0


def _run(arguments: argparse.Namespace, scenes: Mapping[str, Scene], options: Options) -> int:
    refuse((arguments.resume and arguments.output is None,
            '--resume needs the folder; do -o DIR'))
    secret = _secret(arguments.secret)
    scenarios = list(scene_sources(scenes, seeds_of(arguments.seeds, '--seeds'), secret))
    fixed = dict(parse_override(text) for text in arguments.assignments)
    nodes = [PREFIX + text for text in arguments.node]
    output = None if arguments.output is None else Path(arguments.output)
    if nodes:
        _check_nodes(arguments, nodes, scenarios, fixed, output)
    rows = []
    if names := arguments.controller or ([] if nodes else ['navigate']):
        rows = run_controllers(scenarios, names, fixed, options, output, arguments.resume)
    with contextlib.ExitStack() as stack:
        file = None
        if output is not None:
            with writing(output):
                output.mkdir(parents=True, exist_ok=True)
                file = stack.enter_context((output / 'rows.jsonl').open('w', encoding='utf-8'))

        def keep(row: Mapping[str, Any]) -> None:  # at once, so that an interrupt loses none
            if file is not None:
                print(as_json_lines([row]), file=file, flush=True)
        for row in rows:
            keep(row)
        show = partial(print, file=sys.stderr, flush=True)
        for number, name in enumerate(nodes):
            rows += run_nodes(scenarios, name, fixed, None if output is None else
                              output / 'recordings' / str(number),
                              (lambda _: None) if arguments.quiet else show, keep)
    _print(rows, arguments)
    if not arguments.quiet:
        for line in _next_steps(rows, arguments):
            print(one_line(line), file=sys.stderr)
    errors = [row for row in rows if row['error'] is not None]
    for row in errors[:5]:
        print(one_line(f"sbot: {row['scene']}#{row['seed']} {row['controller']}: {row['error']}"),
              file=sys.stderr)
    return FAILED if errors else 0


def _next_steps(rows: Sequence[Mapping[str, Any]],
                arguments: argparse.Namespace) -> Iterator[str]:
    """Yield how to look at a run of each controller with which no robot arrived anywhere."""
    for name in dict.fromkeys(row['controller'] for row in rows):
        own = [row for row in rows if row['controller'] == name and row['error'] is None]
        if not own or any(row.get('arrived') for row in own) or is_node(name):
            continue  # a node's recordings are in the folder of -o
        changes = [f'robots.*.controller={name}', *arguments.assignments]
        yield (f"{name}: no robot arrived in {len(own)} run{'s' * (len(own) > 1)}. To see one: "
               f"sbot bench navigation {own[0]['scene']} --seeds {own[0]['seed']} --yaml > "
               'scene.yaml && sbot run scene.yaml --plot tracks.png '
               + ' '.join(f'--set {shlex.quote(change)}' for change in changes))


def _secret(file: str | None) -> bytes | None:
    """Return the content of a secret file, and print its hash; None without a file."""
    if file is None:
        return None
    secret = read_within(file, typed=True)
    print(f'seeds from a secret with SHA-256 {hashlib.sha256(secret).hexdigest()}',
          file=sys.stderr)
    return secret


def _check_nodes(arguments: argparse.Namespace, nodes: Sequence[str],
                 scenarios: Sequence[tuple[str, Mapping[str, Any]]], fixed: Mapping[str, Any],
                 output: Path | None) -> None:
    """Refuse what runs over ROS 2 cannot do, or would overwrite, before the first of them."""
    refuse(*((getattr(arguments, option), f'--{option} cannot be combined with --node')
             for option in ('resume', 'retry', 'timeout', 'scheduler')),
           (arguments.jobs is not None and not arguments.controller,
            '--jobs needs --controller; nodes run one after another'))
    for name in nodes:
        command_words(name)
    for values in dict(scenarios).values():  # one seed of each scene
        node_scenario(values, fixed)
    with writing(output):
        refuse((output is not None and output.exists() and any(output.iterdir()),
                f'{output}: is not empty; give a new folder'))


def _print(rows: Sequence[Mapping[str, Any]], arguments: argparse.Namespace) -> None:
    print(as_json_lines(rows) if arguments.format == 'jsonl'
          else as_csv(rows) if arguments.format == 'csv'
          else as_markdown(table(rows, arguments.by)))


def _check(arguments: argparse.Namespace, known: Mapping[str, Mapping[str, Any]],
           options: Options) -> int:
    path = Path(arguments.check)
    rows = PublishedRows(read_rows_file(path))
    named = rows.executed()
    refuse((named and not arguments.trust, f'{path} names {", ".join(named[:5])}, which a check '
            'executes or reads; if you trust it, add --trust'))
    if any(is_node(row['controller']) for row in rows.rows):
        for name in ('timeout', 'scheduler'):
            if getattr(options, name) is not None:
                LOG.warning('--%s: has no effect on rows of nodes', name)
    secret = _secret(arguments.secret)
    wrong = [] if secret is None else rows.foreign_seeds(secret)
    wrong += rows.check(known, options)
    print('\n'.join([*wrong, f'{len(rows.rows)} rows run again, {len(wrong)} differences']))
    return FAILED if wrong else 0


def _options(arguments: argparse.Namespace) -> Options:
    return Options(
        jobs=0 if arguments.jobs is None else whole_number(arguments.jobs, '--jobs', 0, MAX_JOBS),
        scheduler=arguments.scheduler, retry=arguments.retry, progress=not arguments.quiet,
        timeout=None if arguments.timeout is None else TIMEOUT.check(
            arguments.timeout, lambda: '--timeout'))


COMMANDS = {'bench navigation': Command(_navigation, {
    'scenes': value('SCENE', 'families or scenes, e.g. doorway or doorway/1.2 (default: all)',
                    nargs='*'),
    '--list': flag('list the scenes'),
    '--yaml': flag('print the scenario file of one scene with one seed'),
    '--controller': repeated(
        'NAME', "a name that `sbot list controllers` shows, or your class as 'module:Class'; may "
        'be repeated (default: navigate)'),
    '--node': repeated(
        'COMMAND', "your own ROS 2 node, in lockstep: 'mine.py --ros-args -r __ns:={namespace} "
        "-p use_sim_time:=true -p goal_x:={goal_x}', once for each robot with a goal; also "
        '{goal_y} and {robot}; may be repeated'),
    '--set': repeated(
        'KEY=VALUE', 'change a value of all scenarios, e.g. bodies.robot.max_acceleration=2; may '
        'be repeated', dest='assignments'),
    '--seeds': value(
        'SEEDS', f'a range 0:50 or a list 1,2,3 (default: {_SEEDS}); BARN runs with the first '
        'seed only', default=_SEEDS),
    '--secret': value(
        'FILE', 'derive as many seeds as --seeds has from the content of this file; with '
        '--check: compare the seeds of the rows with those'),
    '--barn': value('DIR', "folder with your copy of BARN's worlds"),
    '--dynabarn': value('DIR', "folder with your copy of DynaBARN's worlds"),
    '--movingai': value('DIR', "folder with your copy of MovingAI's maps, NAME.map"),
    '--check': value('FILE', 'run the rows of a JSON Lines file again, and compare the hashes'),
    '--trust': flag('with --check: execute the classes and read the files that the rows name'),
    '--show': repeated(
        'FILE', 'print the table of the rows in a file; may be repeated to join files'),
    '--by': value(None, 'a line of the table is a family or a scene (default: family)',
                  choices=('family', 'scene'), default='family'),
    '--format': value(None, 'what to print (default: table)', choices=('table', 'jsonl', 'csv'),
                      default='table'),
    '-o --output': value('DIR', 'write the runs to this folder'),
    '--resume': flag('run what is missing in DIR'),
    '--retry': flag('with --resume: also repeat failed runs'),
    '--jobs': value('N', 'processes on this machine (default: one per processor)'),
    '--scheduler': value('ADDRESS', 'run on the workers of this Dask scheduler'),
    '--timeout': value('S', 'longest wall time of a run', type=float),
    '--quiet': QUIET,
}, description=_DESCRIPTION)}
