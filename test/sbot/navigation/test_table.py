"""docs/navigation_benchmark.md: its table is that of the rows in the repository."""

import os
from pathlib import Path

from sbot.navigation.rows import read_rows_file
from sbot.navigation.table import as_markdown, table

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / 'docs' / 'navigation_benchmark.md'
BEGIN, END = '<!-- baselines: begin -->\n', '\n<!-- baselines: end -->'


def test_the_table_of_baselines_is_made_of_their_rows():
    rows = read_rows_file(ROOT / 'benchmark' / 'navigation' / 'rows.jsonl')
    text = PAGE.read_text('utf-8')
    made = (text.partition(BEGIN)[0] + BEGIN + as_markdown(table(rows)) + END
            + text.partition(END)[2])
    if os.environ.get('SBOT_REFRESH'):
        PAGE.write_text(made, 'utf-8')
    assert PAGE.read_text('utf-8') == made
    cells = {(row['scene'], row['controller']): 0 for row in rows}
    for row in rows:
        cells[row['scene'], row['controller']] += 1
    assert min(cells.values()) >= 20
