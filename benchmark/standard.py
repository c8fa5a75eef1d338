"""The standard workload, the same as `sbot bench`: results go to standard.csv beside this file.

    python benchmark/standard.py [options of sbot bench]

The workload is in `sbot/bench/scenes.py`; docs/performance.md explains the columns.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from sbot.cli.main import main

if __name__ == '__main__':
    options = sys.argv[1:]
    if '--csv' in options:
        sys.exit(main(['bench', *options]))
    with TemporaryDirectory() as folder:  # a run cut short leaves the old tables whole
        failed = main(['bench', *options, '--csv', str(Path(folder) / 'standard.csv')])
        for new in Path(folder).iterdir():
            shutil.move(new, Path(__file__).with_name(new.name))
    sys.exit(failed)
