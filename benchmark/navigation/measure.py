"""Rows of docs/results.md and docs/navigation_benchmark.md, by `sbot bench navigation`.

    python benchmark/navigation/measure.py [COMPETITOR ...] [--table NAME] [-o DIR] [--jobs N]

Writes a file of rows for each table beside this file: `rows`, the controllers as they are shipped;
`planners`, competitors with the parameters that tune.py found (tuned.json); `arenas`, the families
in which something is unusual. Runs are kept in DIR/TABLE/COMPETITOR; what was interrupted is
continued. Rows of other competitors stay as they are: `measure.py navigate` makes only those of
`navigate` anew, in all three. ``python docs/make_results_table.py`` then makes the page.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
PLANNERS = HERE / 'planners'  # where 'mppi:Mppi' is found
SHIPPED = ('potential_field', 'dwa', 'navground:ORCA', 'navground:HL', 'navigate')
SCENES = ('arena/open-wind', 'arena/around-wind', 'arena/wall-wind', 'arena/trap-wind', 'slit/10',
          'clutter/10', 'moving/six', 'circle/8', 'intersection/four', 'corner/blind',
          'hallway/pair', 'doorway/pair')


class Table(NamedTuple):
    """A file of rows."""

    competitors: tuple[str, ...]  # in the order of the rows
    scenes: tuple[str, ...]  # or families
    seeds: str
    tuned: bool  # with the parameters of tuned.json


TABLES = {
    'rows': Table(SHIPPED, SCENES, '0:20', tuned=False),
    'planners': Table(('dwa', 'navground:ORCA', 'navground:HL', 'navground:HRVO',
                       'astar:AstarDwa', 'astar:AstarOrca', 'mppi:Mppi', 'pibt:Pibt', 'navigate'),
                      ('slit/10', 'clutter/10', 'moving/six', 'circle/8', 'intersection/four',
                       'corner/blind', 'hallway/pair', 'doorway/pair'), '0:4', tuned=True),
    'arenas': Table(('navigate',), ('parked', 'mounts', 'delay', 'rectangles', 'cars', 'long',
                                    'closed'), '0:4', tuned=False)}


def command(table: Table, competitor: str, folder: Path, jobs: str) -> list[str]:
    """Return the command that makes the rows of a competitor."""
    tuned = json.loads((HERE / 'tuned.json').read_text('utf-8')) if table.tuned else {}
    settings = [f'--set={key}={value}'
                for key, value in tuned.get(competitor, {'set': {}})['set'].items()]
    return [sys.executable, '-m', 'sbot.cli', 'bench', 'navigation', *table.scenes, *settings,
            '--seeds', table.seeds, '--controller', competitor, '--jobs', jobs,
            '-o', str(folder), *(['--resume'] if folder.exists() else [])]


def joined(file: Path, competitors: tuple[str, ...], new: dict[str, str]) -> str:
    """Return the rows of all competitors, in order: new ones, or those of the repository."""
    old: dict[str, list[str]] = {}
    for line in file.read_text('utf-8').splitlines() if file.exists() else []:
        old.setdefault(json.loads(line)['controller'], []).append(line + '\n')
    return ''.join(new.get(each) or ''.join(old.get(each, [])) for each in competitors)


def main() -> int:
    """Run and write."""
    parser = argparse.ArgumentParser(allow_abbrev=False,
                                     description="Measure the navigation benchmark's rows.")
    parser.add_argument('competitors', nargs='*', metavar='COMPETITOR', help='default: all')
    parser.add_argument('--table', choices=TABLES, help='default: all')
    parser.add_argument('-o', '--output', type=Path, default=Path('build/navigation'))
    parser.add_argument('--jobs', default='0', help='processes (default: one a processor)')
    arguments = parser.parse_args()
    os.environ['PYTHONPATH'] = os.pathsep.join(
        [str(HERE.parents[1]), *filter(None, [os.environ.get('PYTHONPATH')])])
    for name in [arguments.table] if arguments.table else TABLES:
        table, new = TABLES[name], {}
        for competitor in table.competitors:
            if arguments.competitors and competitor not in arguments.competitors:
                continue
            folder = arguments.output.resolve() / name / competitor.replace(':', '_')
            folder.parent.mkdir(parents=True, exist_ok=True)
            if code := subprocess.run(command(table, competitor, folder, arguments.jobs),
                                      check=False, cwd=PLANNERS).returncode:
                return code
            new[competitor] = (folder / 'rows.jsonl').read_text('utf-8')
        (HERE / f'{name}.jsonl').write_text(joined(HERE / f'{name}.jsonl', table.competitors,
                                                   new), 'utf-8')
    return 0


if __name__ == '__main__':
    sys.exit(main())
