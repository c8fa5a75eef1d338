"""The benchmarks run: smoke tests on small scenes, whose numbers mean nothing."""

import csv
import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[1] / 'benchmark'


@pytest.mark.parametrize(('script', 'options', 'rows'), [
    ('scan_kernel.py', ['--seconds', '0.1'], 1),  # compares two casters, too
    ('step_budget.py', [], 8),
    ('fast2d.py', ['--sensors', '2', '--seconds', '0.1'], None),
])
def test_it_runs(tmp_path, script, options, rows):
    table = tmp_path / 'table.csv'
    options = ['--robots', '10', *options, *([] if rows is None else ['--csv', str(table)])]
    done = subprocess.run([sys.executable, str(BENCHMARKS / script), *options],
                          capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) > 1
    if rows is not None:
        with table.open(newline='') as file:
            assert len(list(csv.reader(file))) == rows + 1
