"""Run public ROS 2 nodes unmodified: twice, in a replay, and in one with a changed constant.

    python benchmark/public_nodes.py FOLDER [NAME ...] [--page]

clones the repositories of benchmark/public_nodes/nodes.yaml into FOLDER/owner/name, each at its
commit, where they are not there yet; a checkout at another commit is refused. It then runs each
node in its scenario: `sbot up` twice, `sbot bag diff`, `sbot replay`, and a replay to a copy in
which one constant is another. All of a node is in FOLDER/runs/NAME: `src` (the checkout, or the
copy), scenario, recordings, picture. The rows go into benchmark/public_nodes.csv. With names, only
these run, and the other rows stay. `--page` writes the table of docs/your_node.md and its picture.

The nodes are other people's programs: look at them before you run them.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import yaml

ROOT = Path(__file__).resolve().parents[1]
FOLDER = Path(__file__).with_name('public_nodes')  # the list, and stubs of absent packages
TABLE = Path(__file__).with_name('public_nodes.csv')


class Row(NamedTuple):
    """A line of the table."""

    name: str
    repository: str
    same: str  # bits twice: yes or no
    compared: str  # commands and recorded messages in a replay to the same node
    differing: str  # of them
    first: str  # tick of the first difference in a replay with the other constant
    found: str  # differences in it
    collisions: str


class Failed(Exception):
    """A command ended with an error; the text is its last line."""


def run(words: list[str], environment: Mapping[str, str], folder: Path) -> str:
    """Return what a command prints.

    Raises
    ------
    Failed
        if its exit code is not 0 or 1.

    """
    done = subprocess.run(words, env=environment, cwd=folder, check=False,
                          text=True, stdin=subprocess.DEVNULL, capture_output=True)
    if done.returncode not in (0, 1) or (done.returncode and not done.stdout):
        raise Failed((done.stderr or done.stdout).strip().rpartition('\n')[2])
    return done.stdout


def checkout(node: Mapping[str, Any], folder: Path, host: str) -> Path:
    """Return the folder of a repository at its commit; clone it, if it is not there."""
    source = folder / str(node['repository'])
    if not source.exists():
        subprocess.run(['git', 'clone', '--quiet', host + node['repository'], source], check=True)
        subprocess.run(['git', '-C', source, 'checkout', '--quiet', node['commit']], check=True)
    head = subprocess.run(['git', '-C', source, 'rev-parse', 'HEAD'], check=True, text=True,
                          capture_output=True).stdout.strip()
    changed = subprocess.run(['git', '-C', source, 'diff', '--name-only', '--diff-filter=M',
                              'HEAD'], check=True, text=True, capture_output=True).stdout
    if head != node['commit'] or changed:
        sys.exit(f'{source}: expected {node["commit"]} without changes')
    return source


def use_source(folder: Path, source: Path) -> None:
    """Let ``src`` of a folder be a repository."""
    link = folder / 'src'
    link.unlink(missing_ok=True)
    link.symlink_to(source, target_is_directory=True)


def changed_copy(node: Mapping[str, Any], source: Path, folder: Path) -> Path:
    """Return a copy of a repository in which one constant is another."""
    copy, (name, was, now) = folder / 'changed', constant_of(node)
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(source, copy, symlinks=True, ignore=shutil.ignore_patterns('.git'))
    file = copy / name
    text = file.read_text('utf-8')
    if was not in text:
        sys.exit(f'{file}: expected {was}')
    file.write_text(text.replace(was, now, 1), 'utf-8')
    return copy


def constant_of(node: Mapping[str, Any]) -> tuple[str, str, str]:
    """Return a file, what stands there, and what is to stand there instead."""
    return node['constant']['file'], node['constant']['was'], node['constant']['now']


def environment_of(node: Mapping[str, Any]) -> dict[str, str]:
    """Return variables for a node: its package, the stubs, and this Python."""
    paths = [f'src/{node["path"]}'] if 'path' in node else []
    here = Path(sys.executable).parent
    return {**os.environ, 'PATH': f'{here}{os.pathsep}{os.environ["PATH"]}',
            'PYTHONDONTWRITEBYTECODE': '1',
            'PYTHONPATH': os.pathsep.join(map(str, [*paths, FOLDER, ROOT]))}


def measured(node: Mapping[str, Any], source: Path, folder: Path) -> Row:
    """Return the row of a node; its recordings and picture are in a folder of its own."""
    for name in ('first', 'second'):
        shutil.rmtree(folder / name, ignore_errors=True)
    (folder / 'scenario.yaml').write_text(yaml.safe_dump(node['scenario'], sort_keys=False),
                                          'utf-8')
    environment = environment_of(node)
    start = [word for command in node['node'] for word in ('--node', command)]

    def sbot(*words: str) -> dict[str, Any]:
        told: dict[str, Any] = json.loads(run(
            [sys.executable, '-m', 'sbot.cli', *words, '--json'], environment, folder))
        return told
    use_source(folder, source)
    up = ('up', 'scenario.yaml', '--domain', 'free', *start)
    summary = sbot(*up, '--record', 'first', '--plot', 'track.png')
    sbot(*up, '--record', 'second')
    same = sbot('bag', 'diff', 'first', 'second')
    replay = sbot('replay', 'first', *start)
    use_source(folder, changed_copy(node, source, folder))
    other = sbot('replay', 'first', *start)
    return Row(node['name'], node['repository'], 'yes' if same['equal'] else 'no',
               *map(str, (replay['commands'], replay['differences'],
                          other['first']['tick'] if other['first'] else '',
                          other['differences'], summary['robots'][0]['collisions'])))


def slug(node: Mapping[str, Any]) -> str:
    """Return the name of a node's folder: owner and name."""
    return re.sub(r'\W+', '_', f'{node["repository"].partition("/")[0]} {node["name"]}')


def read_rows(path: Path) -> list[Row]:
    """Return the rows of a table; [] without a file."""
    if not path.exists():
        return []
    with path.open(newline='', encoding='utf-8') as file:
        return [Row(**row) for row in csv.DictReader(file)]


def write_rows(path: Path, rows: list[Row]) -> None:
    """Write a table."""
    with path.open('w', newline='', encoding='utf-8') as file:
        writer = csv.writer(file, lineterminator='\n')
        writer.writerow(Row._fields)
        writer.writerows(rows)


def main() -> None:
    """Clone, run, and write the rows."""
    parser = argparse.ArgumentParser(allow_abbrev=False, description=__doc__.partition('\n')[0])
    parser.add_argument('folder', type=Path, metavar='FOLDER', help='for sources and recordings')
    parser.add_argument('names', nargs='*', metavar='NAME', help='owner_name of nodes; all')
    parser.add_argument('--nodes', type=Path, default=FOLDER / 'nodes.yaml',
                        help='the list (default: %(default)s)')
    parser.add_argument('--csv', type=Path, default=TABLE, help='default: %(default)s')
    parser.add_argument('--host', default='https://github.com/', help='default: %(default)s')
    parser.add_argument('--page', action='store_true', help="write docs/your_node.md's table")
    arguments = parser.parse_args()
    nodes = {slug(node): node for node in yaml.safe_load(arguments.nodes.read_text('utf-8'))
             ['nodes']}
    if unknown := set(arguments.names) - set(nodes):
        sys.exit(f'unknown: {sorted(unknown)}; known: {list(nodes)}')
    failed = False
    for name in arguments.names or nodes:
        node = nodes[name]
        place = arguments.folder.resolve() / 'runs' / name
        place.mkdir(parents=True, exist_ok=True)
        try:
            row = measured(node, checkout(node, arguments.folder.resolve(), arguments.host), place)
        except Failed as error:
            print(f'{name}: {error}', flush=True)
            failed = True
            continue
        print(name, *row[2:], sep='; ', flush=True)
        kept = {(each.repository, each.name): each for each in read_rows(arguments.csv)}
        kept[row.repository, row.name] = row
        write_rows(arguments.csv, [kept[key] for each in nodes.values()
                                   if (key := (each['repository'], each['name'])) in kept])
    if arguments.page:
        subprocess.run([sys.executable, ROOT / 'docs/make_public_nodes_table.py',
                        arguments.folder], check=True)
    sys.exit(failed)


if __name__ == '__main__':
    main()
