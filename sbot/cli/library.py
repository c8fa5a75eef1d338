# SPDX-License-Identifier: Apache-2.0
"""`sbot list`, `sbot new` and `sbot docs`: shipped files; a first scenario, controller or node."""

from __future__ import annotations

import argparse
import ast
import json
import keyword
import os
import re
import shlex
import sys
from collections.abc import Callable
from contextlib import ExitStack
from difflib import get_close_matches
from pathlib import Path
from textwrap import fill
from typing import Any

from sbot.cli.command import JSON, Command, flag, value
from sbot.scenario.shipped import config_directory, gallery_scenarios, shipped_scenarios
from sbot_common.errors import InputError, bad_value, refuse, unknown_name, writing

_WIDTH = 79  # columns of the list
# How `sbot up` starts the node of `sbot new --node`; its test has the same words.
_NODE = ('node.py --ros-args -r __ns:={namespace} -p use_sim_time:=true '
         '-p goal_x:={goal_x} -p goal_y:={goal_y}')


def _described(files: dict[str, Path]) -> dict[str, str]:
    """Return each scenario's description."""
    from sbot.files.yaml_text import load_mapping
    found = {}
    for name, path in files.items():
        text = path.read_text('utf-8')
        found[name] = (_comment(text, r'<!--(.*?)-->') if path.suffix == '.argos'
                       else str(load_mapping(text, str(path)).get('description', '')))
    return found


def _comment(text: str, pattern: str) -> str:
    """Return the first comment of a file in one line."""
    match = re.search(pattern, text, re.DOTALL)
    return ' '.join(match[1].split()) if match else ''


def _maps() -> dict[str, str]:
    paths = sorted((config_directory() / 'maps').glob('*.yaml'))
    return {f'maps/{path.name}': _comment(path.read_text('utf-8'), r'\A# *([^\n]*)')
            for path in paths}


def _winds() -> dict[str, str]:
    from wind_model.rotors_text import read_grid
    found = {}
    for path in sorted((config_directory() / 'wind').glob('*.txt')):
        field = read_grid(path).lattice(str(path))
        found[f'wind/{path.name}'] = (
            f'x {field.x[0]:g} to {field.x[-1]:g}, y {field.y[0]:g} to {field.y[-1]:g}, '
            f'z {field.z[0].min():g} to {field.z[-1].max():g} m')
    return found


def _controllers() -> dict[str, str]:
    from sbot.controllers.registry import NONE, entry_of, installed, shipped
    texts = {entry.name + 'NAME' * entry.name.endswith(':'): entry.text for entry in shipped()}
    for name in installed():
        try:
            texts[name] = entry_of(name).text
        except InputError as error:  # of another package; the others are listed all the same
            texts[name] = str(error)
    return {**texts, NONE: 'Driven from outside: over cmd_vel, or by keys (sbot view --live).'}


def _robots() -> dict[str, str]:
    from sbot.scenario.shipped import sold_names, sold_robot
    from sbot_sim.world.bodies import BODIES
    plain = {name: f'A disc of radius {body.radius:g} m.' for name, body in BODIES.items()}
    return {**plain, **{name: sold_robot(name).text for name in sold_names()}}


def _tasks() -> dict[str, str]:
    # From their first lines, since importing them brings the compiler.
    folder = Path(__file__).resolve().parents[1] / 'learn' / 'tasks'
    texts = (ast.get_docstring(ast.parse(path.read_text('utf-8')))
             for path in sorted(folder.glob('*.py')))
    found = (each for text in texts
             for each in re.findall(r'^Task ``(\w+)``: (.*)', text or '', re.MULTILINE))
    return {**dict(sorted(found)), 'module:ENTRY': 'Your own task (docs/tasks.md).'}


# Kind: what it is for, and its names with a text each.
_KINDS: dict[str, tuple[str, Callable[[], dict[str, str]]]] = {
    'scenarios': ('sbot run NAME', lambda: _described(shipped_scenarios())),
    'gallery': ('sbot run NAME, or sbot new MINE --from NAME',
                lambda: _described(gallery_scenarios())),
    'maps': ('world: {map: NAME}', _maps),
    'winds': ('wind: {use_custom_static_wind_field: true, custom_wind_field_path: NAME}', _winds),
    'robots': ('robots: [{body: NAME, ...}]', _robots),
    'controllers': ('robots: [{controller: NAME, ...}]', _controllers),
    'tasks': ("sbot.learn.env(SCENARIO, task='NAME')", _tasks),
}


def _list(args: argparse.Namespace) -> int:
    kinds = [args.kind] if args.kind else list(_KINDS)
    found = {kind: _KINDS[kind][1]() for kind in kinds}
    if args.json:
        print(json.dumps(found))
        return 0
    for kind, entries in found.items():
        print(f'{kind}: {_KINDS[kind][0]}')
        width = max(map(len, entries), default=0)
        for name, text in entries.items():
            print(fill(text, _WIDTH, initial_indent=f'  {name:{width}}  ',
                       subsequent_indent=(width + 4) * ' ') or f'  {name}')
    return 0


def _new(args: argparse.Namespace) -> int:
    """Write a scenario, and a controller or a node if asked; nothing is overwritten."""
    if args.node:
        return _new_node(args)
    path = Path(args.name)
    if path.suffix not in ('.yaml', '.yml'):
        path = path.with_name(path.name + '.yaml') if path.name else path
    if not re.fullmatch(r'\w[\w.-]*', path.name) or not os.path.isdir(path.parent):
        raise bad_value('NAME', args.name, 'a name of letters, digits, - and _, in a folder that '
                        'exists')
    if args.source is not None:
        return _finish(_translated(args, path), path)
    module = re.sub(r'\W', '_', path.stem)
    if args.controller and (not module.isidentifier() or keyword.iskeyword(module)
                            or not module.isascii()):
        raise bad_value('NAME', args.name, 'a name that begins with a letter and has only a to z, '
                        "digits, - and _, as it is also the controller's module")
    if args.controller and module in sys.stdlib_module_names:
        raise bad_value('NAME', args.name, "another name: Python's own module of this name would "
                        'be loaded instead of the controller')
    templates = config_directory() / 'templates'
    files = {path: templates / ('controller.yaml' if args.controller else 'scenario.yaml')}
    if args.controller:
        files[path.with_name(f'{module}.py')] = templates / 'controller.py'
    return _finish({target: template.read_text('utf-8').replace('NAME', path.stem)
                    .replace('MODULE', module) for target, template in files.items()}, path)


def _new_node(args: argparse.Namespace) -> int:
    """Write a folder with a node, a scenario that it drives, and a test; print how to run it."""
    refuse((args.controller, '--controller cannot be combined with --node'),
           (args.source is not None, '--from cannot be combined with --node'))
    folder = Path(args.name)
    if not re.fullmatch(r'\w[\w-]*', folder.name) or not os.path.isdir(folder.parent):
        raise bad_value('NAME', args.name, 'a name of letters, digits, - and _, in a folder that '
                        'exists')
    templates = sorted((config_directory() / 'templates' / 'node').glob('*.*'))
    _write({folder / template.name: template.read_text('utf-8').replace('NAME', folder.name)
            .replace('COMMAND_OF_NODE', _NODE) for template in templates}, folder)
    print(f"try:  cd {shlex.quote(str(folder))} && sbot up scenario.yaml --node '{_NODE}' "
          '--record recording --plot tracks.png\nthen: python -m pytest')
    return 0


def _translated(args: argparse.Namespace, path: Path) -> dict[Path, str]:
    """Return the scenario that a file of another simulator is read as, or one of the gallery."""
    from sbot.scenario.load import load_scenario
    from sbot.sweeps.request import source_of
    refuse((args.controller, '--from cannot be combined with --controller'))
    if args.source in gallery_scenarios():
        scenario = gallery_scenarios()[args.source]
        files = {path: scenario.read_text('utf-8')}
        controller = scenario.with_suffix('.py')  # keeps the name that the scenario has
        if controller.is_file():
            files[path.with_name(controller.name)] = controller.read_text('utf-8')
        return files
    if Path(args.source).suffix == '.json':
        return {path: _scenario_of_network(args.source, path)}
    if Path(args.source).suffix not in ('.world', '.argos'):
        raise bad_value('--from', args.source, 'a world of Stage (.world), an experiment of '
                        'ARGoS (.argos), a network (.json) or a swarm of the gallery (sbot list '
                        'gallery)')
    load_scenario(args.source)
    return {path: source_of(args.source)[0]}


def _write(files: dict[Path, str], folder: Path | None = None) -> None:
    """Write new files, all or none, and print their names; first make their folder, if given."""
    for target in files if folder is None else [folder]:
        refuse((os.path.lexists(target), f'{target}: exists already; give a new name'))
    with ExitStack() as undo:
        if folder is not None:
            with writing(folder):
                folder.mkdir()
            undo.callback(folder.rmdir)
        for target, text in files.items():
            with writing(target), target.open('x', encoding='utf-8') as file:
                undo.callback(target.unlink)
                file.write(text)
        undo.pop_all()
    for target in files:
        print(target)


def _finish(files: dict[Path, str], path: Path) -> int:
    """Write the files of a scenario, and print how to run it."""
    _write(files)
    words = map(shlex.quote, (str(path), '--plot', str(path.with_suffix('.png'))))
    print(f"try: sbot run {' '.join(words)}")
    return 0


# Scenario for a trained network: `sbot new NAME --from FILE.json`.

_START, _GOAL = [1.0, 2.0, 0.0], [3.0, 2.0]


def _scenario_of_network(source: str, path: Path) -> str:
    """Return the text of a scenario in which a network drives as it learned.

    It has the rate, body and sensors that the network's file names, in an empty arena. Nothing of
    a function policy's file is executed.

    Parameters
    ----------
    source : file of ``sbot.save_network`` or ``sbot.save_policy``
    path : of the scenario, to which the file's path is relative

    Raises
    ------
    InputError
        if the file cannot be read, does not say how its network learned, or says it in words
        that no scenario has, e.g. a body that its own scenario described.

    """
    from sbot.controllers.neural.function_policy import read_policy
    from sbot.controllers.neural.network import FUNCTION, load_network, read_content
    from sbot.files.yaml_text import dump_yaml
    from sbot.scenario.load import parse_scenario
    is_function = read_content(source).get('kind') == FUNCTION
    network = read_policy(source).network if is_function else load_network(source)[0]
    if not network.learned_with:
        raise InputError(f'--from: {source} needs learned_with, the rate, body and sensors with '
                         'which it learned; save it with scenario=')
    learned = dict(network.learned_with)
    key = 'policy' if is_function else 'network'
    robot: dict[str, Any] = {
        'body': learned.pop('body', 'robot'), 'pose': _START,
        'controller': 'function_policy' if is_function else 'network',
        'parameters': {key: os.path.relpath(source, path.parent)}}
    robots = [robot]
    if 'goal' in network.inputs:
        robot['goal'] = _GOAL
    if {'neighbours', 'leader'} & set(network.inputs):
        robots.append({**robot, 'pose': [1.0, 3.0, 0.0]})
    scenario = {
        'description': f'{Path(source).name} drives with the rate, body and sensors with which '
                       'it learned.',
        'rate': learned.pop('rate', 30.0), 'duration': 30.0,
        'world': {'bounds': [0.0, 0.0, 4.0, 4.0]}, 'robots': robots,
        'sensors': {name.partition('.')[2]: value for name, value in learned.items()
                    if name.startswith('sensors.')}}
    try:
        text = dump_yaml(scenario)
        parse_scenario(text, source, path.parent, import_controllers=False)
    except (InputError, UnicodeEncodeError) as error:
        raise InputError(
            f'--from: no scenario has the learned_with of {source}: {error}') from None
    return text


# Pages of the documentation: `sbot docs`.

def _pages() -> dict[str, Path]:
    """Return the installed pages by name, as ``scenario`` or ``tutorials/sweep``, sorted.

    Raises
    ------
    InputError
        if the package's data files are not installed anywhere.

    """
    folder = config_directory().parent / 'docs'
    found = sorted(folder.glob('**/*.md'))
    return {path.relative_to(folder).with_suffix('').as_posix(): path for path in found}


def _title(path: Path) -> str:
    return next((line[2:].strip() for line in path.read_text('utf-8').splitlines()
                 if line.startswith('# ')), '')


def _mentions(known: dict[str, Path], word: str) -> list[tuple[str, str]]:
    """Return pages and anchors of sections with a word in the heading or a table's first cell.

    A page whose name is nearly the word is meant instead: then there are none.
    """
    if not re.fullmatch(r'\w[\w .-]*', word) or get_close_matches(word, known, 1, 0.8):
        return []
    wanted = re.compile(rf'(?<![a-z]){re.escape(word)}', re.IGNORECASE)
    found: dict[tuple[str, str], None] = {}  # in the order of the pages
    for page, path in known.items():
        anchor, fenced = _anchor(_title(path)), False
        if wanted.search(page):
            found[page, anchor] = None
        for line in path.read_text('utf-8').splitlines():
            fenced ^= line.startswith('```')
            if not fenced and (heading := re.match(r'#+ +(.*)', line)):
                anchor, text = _anchor(heading[1]), heading[1]
            else:  # the first cell of a table, or what the site's search finds, too
                text = line.split('|')[1] if line.startswith('| `') else (
                    line if line.startswith('<!-- search:') else '')
            if not fenced and wanted.search(text):
                found[page, anchor] = None
    return list(found)


def _anchor(heading: str) -> str:
    """Return the anchor of a heading as the site and GitHub make it."""
    return re.sub(r'[^\w -]', '', heading.lower()).strip().replace(' ', '-')


def _docs(args: argparse.Namespace) -> int:
    known = _pages()
    width = max(map(len, known), default=0)
    given = ' '.join(args.page)
    name = given.removeprefix('docs/').removesuffix('.md')
    lines = [f'{page:{width}}  {_title(path)}' for page, path in known.items()]
    if name in known:
        from pydoc import pager
        pager(known[name].read_text('utf-8'))  # plain where the output is no terminal
        return 0
    if given:
        lines = [f'no page has this name; pages with {name} in their name, a heading or a key:',
                 *(f'  {page}#{anchor}' for page, anchor in _mentions(known, name))]
        if len(lines) == 1:
            raise unknown_name('PAGE', given, list(known))
    print(*lines, '\nread one: sbot docs PAGE', sep='\n')
    return 0


COMMANDS = {
    'list': Command(_list, {
        'kind': value('KIND', f'what to list: {", ".join(_KINDS)} (default: all)', nargs='?',
                      choices=list(_KINDS)),
        '--json': JSON}),
    'new': Command(_new, {
        'name': value(
            'NAME', 'file to write, without .yaml, or folder with --node; may be a path'),
        '--controller': flag('also write NAME.py, a controller that the scenario uses'),
        '--node': flag(
            'write a folder NAME with a ROS 2 node (rclpy), a scenario that it drives in '
            'lockstep, a test that replays a recording to it, and a README.md'),
        '--from': value(
            'FILE', 'start from a Stage world (.world), an ARGoS experiment (.argos), a trained '
            'network (.json), whose sensors it gets, or a swarm of the gallery with its '
            'controller, e.g. gallery/flocking', dest='source')}),
    'docs': Command(_docs, {
        'page': value(
            'PAGE', 'name of a page, e.g. scenario or tutorials/sweep, or words to look for in '
            'names, headings and keys (default: list all pages)', nargs='*')}),
}
