"""The standard workload, the same as `sbot bench`: results go to standard.csv beside this file.

    python benchmark/standard.py [options of sbot bench]

The workload is in `sbot/bench/scenes.py`; docs/performance.md explains the columns.
"""

from __future__ import annotations

import sys
from pathlib import Path

from sbot.cli.main import main

if __name__ == '__main__':
    csv = Path(__file__).with_name('standard.csv')
    options = sys.argv[1:]
    if '--csv' not in options:
        csv.unlink(missing_ok=True)
        options += ['--csv', str(csv)]
    sys.exit(main(['bench', *options]))
