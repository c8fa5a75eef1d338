"""Rows of docs/results.md: every controller in the same scenes, twenty seeds each.

    python benchmark/navigation/measure.py [CONTROLLER ...] [-o DIR] [--jobs N]

Runs ``sbot bench navigation`` for each controller, keeps the runs in DIR/CONTROLLER, continues
what was interrupted, and writes rows.jsonl beside this file; ``python docs/make_results_table.py``
makes the page of it. Rows of other controllers stay as they are.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

SCENES = ('arena/open-wind', 'arena/around-wind', 'arena/wall-wind', 'arena/trap-wind', 'slit/10',
          'clutter/10', 'moving/six', 'circle/8', 'intersection/four', 'corner/blind',
          'hallway/pair', 'doorway/pair')
CONTROLLERS = ('potential_field', 'dwa', 'navground:ORCA', 'navground:HL', 'navigate')
SEEDS = '0:20'
ROWS = Path(__file__).with_name('rows.jsonl')


def command(controller: str, folder: Path, jobs: str) -> list[str]:
    """Return the command that makes the rows of a controller."""
    return [sys.executable, '-m', 'sbot.cli', 'bench', 'navigation', *SCENES, '--seeds', SEEDS,
            '--controller', controller, '--jobs', jobs, '-o', str(folder),
            *(['--resume'] if folder.exists() else [])]


def joined(new: dict[str, str]) -> str:
    """Return the rows of all controllers, in order: new ones, or those of the repository."""
    old: dict[str, list[str]] = {}
    for line in ROWS.read_text('utf-8').splitlines() if ROWS.exists() else []:
        for controller in CONTROLLERS:
            if f'"controller": "{controller}"' in line:
                old.setdefault(controller, []).append(line + '\n')
    return ''.join(new.get(each) or ''.join(old.get(each, [])) for each in CONTROLLERS)


def main() -> int:
    """Run and write."""
    parser = argparse.ArgumentParser(allow_abbrev=False,
                                     description='Measure the rows of docs/results.md.')
    parser.add_argument('controllers', nargs='*', default=CONTROLLERS, metavar='CONTROLLER')
    parser.add_argument('-o', '--output', type=Path, default=Path('build/navigation'))
    parser.add_argument('--jobs', default='0', help='processes (default: one a processor)')
    arguments = parser.parse_args()
    new = {}
    for controller in arguments.controllers:
        folder = arguments.output / controller.replace(':', '_')
        if code := subprocess.run(command(controller, folder, arguments.jobs),
                                  check=False).returncode:
            return code
        new[controller] = (folder / 'rows.jsonl').read_text('utf-8')
    ROWS.write_text(joined(new), 'utf-8')
    return 0


if __name__ == '__main__':
    sys.exit(main())
