"""The standard workload of `sbot bench`; other simulators beside it: peers/table.py.

    python benchmark/standard.py [--seconds S] [--folder FOLDER]

The results go to standard.csv in the folder, by default that of this file. The workload is in
`sbot/bench.py`; docs/performance.md explains the columns.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from sbot.cli.main import main as sbot

SIZES = [10, 100, 1000]


def main() -> int:
    """Measure and write the tables."""
    parser = argparse.ArgumentParser(allow_abbrev=False, description='The standard workload.')
    parser.add_argument('--robots', type=int, nargs='+', default=SIZES)
    parser.add_argument('--cases', nargs='+', default=[])
    parser.add_argument('--seconds', type=float, default=3.0, help='for each number')
    parser.add_argument('--folder', type=Path, default=Path(__file__).parent)
    arguments = parser.parse_args()
    options = ['--seconds', str(arguments.seconds)]
    options += ['--cases', *arguments.cases] if arguments.cases else []
    if arguments.robots != SIZES:
        options += ['--robots', *map(str, arguments.robots)]
    with TemporaryDirectory() as folder:  # a run cut short leaves the old tables whole
        failed = sbot(['bench', *options, '--csv', str(Path(folder) / 'standard.csv')])
        for new in Path(folder).iterdir():
            shutil.move(new, arguments.folder / new.name)
    return failed


if __name__ == '__main__':
    sys.exit(main())
