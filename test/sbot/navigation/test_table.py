"""The rows of docs/results.md (test_docs compares its tables with them)."""

from collections import Counter
from pathlib import Path

from sbot.navigation.rows import read_rows_file
from sbot.navigation.table import as_markdown, table

ROOT = Path(__file__).resolve().parents[3]


def test_every_cell_of_the_shipped_rows_has_twenty_runs_without_errors():
    rows = read_rows_file(ROOT / 'benchmark' / 'navigation' / 'rows.jsonl')
    assert min(Counter((row['scene'], row['controller']) for row in rows).values()) >= 20
    assert [row for row in rows if row['error'] is not None] == []
    made = as_markdown(table(rows))
    for controller in {row['controller'] for row in rows}:
        assert f'| {controller} ' in made


def test_what_is_rounded_to_zero_has_no_sign():
    row = {'scene': 'a/b', 'controller': 'c', 'set': {}, 'min_clearance_m': -1e-9, 'spl': -0.001,
           'time_s': -0.01}
    heading, line = table([row])
    cells = dict(zip(heading, line, strict=True))
    assert (cells['clearance (m)'], cells['SPL'], cells['time (s)']) == ('0.00', '0.00', '0.0')
