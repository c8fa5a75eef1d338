"""Speed of many small worlds, beside VMAS where it is installed: writes small_worlds.csv.

    python benchmark/small_worlds.py [--seconds 3] [--peer-python PYTHON] [--csv FILE]

The workload is in `sbot/bench/evaluations.py`; `sbot bench --cases evaluations` measures the same.
"""

from __future__ import annotations

import argparse
import csv
import sys
from pathlib import Path

from sbot.bench.evaluations import format_evaluations, measure_evaluations
from sbot.bench.result import machine

sys.path.append(str(Path(__file__).with_name('peers')))
from peers import vmas_beside


def main() -> int:
    """Measure, print, and write the table."""
    parser = argparse.ArgumentParser(description='Speed of many small worlds.')
    parser.add_argument('--seconds', type=float, default=3.0, help='for each number')
    parser.add_argument('--peer-python', default=sys.executable, help='one that has VMAS')
    parser.add_argument('--csv', type=Path, default=Path(__file__).with_name('small_worlds.csv'))
    arguments = parser.parse_args()
    found = measure_evaluations(arguments.seconds)
    print(format_evaluations(found))
    row: dict[str, object] = {name: f'{value:.4g}' for name, value in found._asdict().items()}
    vmas = vmas_beside(arguments.seconds, print, arguments.peer_python)
    row['vmas_laser_robot_steps_per_cpu_s'] = '' if vmas is None else f'{vmas:.4g}'
    row['machine'] = machine()
    with arguments.csv.open('w', newline='') as stream:
        writer = csv.DictWriter(stream, row)
        writer.writeheader()
        writer.writerow(row)
    return 0


if __name__ == '__main__':
    sys.exit(main())
