"""Write the tables of docs/results.md and docs/navigation_benchmark.md from the repository's runs.

    python docs/make_results_table.py [RUNS.CSV]

The first table is that of benchmark/leader_follower_results. With a file, its columns that the
table needs are first kept as the runs of the repository. The other is that of the rows that
benchmark/navigation/measure.py wrote.
"""

from __future__ import annotations

import csv
import re
import statistics
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sbot.navigation.table import as_markdown, read_rows_file, table
from sbot.sweeps.show import wilson_interval

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / 'docs' / 'results.md'
BENCHMARK = ROOT / 'docs' / 'navigation_benchmark.md'
RUNS = ROOT / 'benchmark' / 'leader_follower_results' / 'runs.csv'
WIND, FILTER = 'wind.wind_speed_mean', 'controllers.potential_field.leader_filter'
KEPT = ('run', 'scenario', WIND, FILTER, 'seed', 'followers.farthest_m', 'followers.mean_m',
        'goal_reached_s', 'overlaps', 'collisions', 'trajectory_sha256', 'version', 'error')
MARKS = re.compile(r'(<!-- table: begin -->\n).*?(<!-- table: end -->)', re.S)
HEAD = ('| arena | wind (m/s) | leader arrived | median time (s) | '
        'slowest (s) | runs with collisions | followers: farthest (m) | mean (m) |\n'
        '| --- | --- | --- | --- | --- | --- | --- | --- |\n')
ROWS = ROOT / 'benchmark' / 'navigation' / 'rows.jsonl'
CONTROLLERS = ('navigate', 'navground:HL', 'navground:ORCA', 'dwa', 'potential_field')
Row = dict[str, str]


def read(path: Path) -> list[Row]:
    """Return the columns that are kept of a CSV file's runs."""
    with path.open(newline='', encoding='utf-8') as file:
        return [{name: row[name] for name in KEPT} for row in csv.DictReader(file)]


def line(setting: tuple[str, ...], rows: list[Row]) -> str:
    """Return the line of one arena and wind."""
    arena, wind = setting
    times = [float(row['goal_reached_s']) for row in rows if row['goal_reached_s']]
    arrived, n = len(times), len(rows)
    shown = f'{statistics.median(times):.1f} | {max(times):.1f}' if times else '– | –'
    return (f'| {arena} | {float(wind):g} | {arrived}/{n} | '
            f"{shown} | {sum(int(row['collisions']) > 0 for row in rows)} | "
            f"{max(float(row['followers.farthest_m']) for row in rows):.1f} | "
            f"{statistics.fmean(float(row['followers.mean_m']) for row in rows):.1f} |\n")


def with_table(page: str) -> str:
    """Return the page with its tables made anew from the repository's runs."""
    groups: dict[tuple[str, ...], list[Row]] = {}
    for row in read(RUNS):
        if row[FILTER] == 'as_written':  # the page says how little the other one changes
            groups.setdefault((row['scenario'], row[WIND]), []).append(row)
    first = HEAD + ''.join(line(setting, rows) for setting, rows in groups.items())
    page = MARKS.sub(rf'\g<1>{first}\g<2>', page)
    marks = re.compile(r'(<!-- success: begin -->\n).*?(<!-- success: end -->)', re.S)
    return marks.sub(rf'\g<1>{as_markdown(successes(read_rows_file(ROWS)))}\n\g<2>', page)


def successes(rows: list[dict[str, Any]]) -> list[list[str]]:
    """Return a line for each scene: in how many runs each controller succeeds."""
    lines = _by_scene(rows, lambda own: (
        str(sum(row['success'] == 1 for row in own)) if own else '–'))
    whole = [[row for row in rows if row['controller'] == each] for each in CONTROLLERS]
    return [*lines, ['all', *(_share(sum(row['success'] == 1 for row in own), len(own))
                              for own in whole)]]


def _by_scene(rows: list[dict[str, Any]],
              cell: Callable[[list[dict[str, Any]]], str]) -> list[list[str]]:
    """Return a heading, and a line for each scene: a cell of the rows of each controller."""
    return [['scene', *CONTROLLERS], *([scene, *(
        cell([row for row in rows if (row['scene'], row['controller']) == (scene, controller)])
        for controller in CONTROLLERS)] for scene in dict.fromkeys(row['scene'] for row in rows))]


def _share(count: int, runs: int) -> str:
    if not runs:
        return '–'
    low, high = (100.0 * each for each in wilson_interval(count, runs))
    return f'{count} of {runs} ({low:.0f}–{high:.0f} %)'


# Columns of the tables of docs/navigation_benchmark.md.
SHOWN = ('success', 'contacts', 'contact (s)', 'time (s)', 'SPL', 'SCT', 'waiting (s)',
         'deadlock (s)', 'jerk (m/s³)', 'energy (J/m)', 'turn (µs)')


def with_benchmark(page: str) -> str:
    """Return the page of the benchmark with its tables made anew from the repository's rows."""
    for name, first in (('planners', 'controller'), ('arenas', 'scene')):
        rows = [{**row, 'set': {}, **({'scene': 'all'} if name == 'planners' else {})}
                for row in read_rows_file(ROWS.with_name(f'{name}.jsonl'))]
        heading, *lines = table(rows, 'scene')
        kept = [heading.index(column) for column in (first, *SHOWN) if column in heading]
        text = as_markdown([[line[i] for i in kept] for line in (heading, *lines)])
        marks = re.compile(rf'(<!-- {name}: begin -->\n).*?(<!-- {name}: end -->)', re.S)
        page = marks.sub(rf'\g<1>{text}\n\g<2>', page)
    return page


def main() -> int:
    """Keep new runs, if there are any, and write the table."""
    if len(sys.argv) > 1:
        rows = read(Path(sys.argv[1]))
        with RUNS.open('w', newline='', encoding='utf-8') as file:
            writer = csv.DictWriter(file, KEPT, lineterminator='\n')
            writer.writeheader()
            writer.writerows(rows)
    PAGE.write_text(with_table(PAGE.read_text('utf-8')), 'utf-8')
    BENCHMARK.write_text(with_benchmark(BENCHMARK.read_text('utf-8')), 'utf-8')
    return 0


if __name__ == '__main__':
    sys.exit(main())
