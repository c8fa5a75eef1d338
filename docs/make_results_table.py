"""Write the table of docs/results.md from the runs of benchmark/leader_follower_results.

    python docs/make_results_table.py [RUNS.CSV]

With a file, its columns that the table needs are first kept as the runs of the repository.
"""

from __future__ import annotations

import csv
import re
import statistics
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / 'docs' / 'results.md'
RUNS = ROOT / 'benchmark' / 'leader_follower_results' / 'runs.csv'
WIND, FILTER = 'wind.wind_speed_mean', 'controllers.potential_field.leader_filter'
KEPT = ('run', 'scenario', WIND, FILTER, 'seed', 'followers.farthest_m', 'followers.mean_m',
        'goal_reached_s', 'overlaps', 'collisions', 'trajectory_sha256', 'version', 'error')
MARKS = re.compile(r'(<!-- table: begin -->\n).*?(<!-- table: end -->)', re.S)
HEAD = ('| arena | wind (m/s) | `leader_filter` | leader arrived | median time (s) | '
        'slowest (s) | runs with collisions | followers: farthest (m) | mean (m) |\n'
        '| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n')
Row = dict[str, str]


def read(path: Path) -> list[Row]:
    """Return the columns that are kept of a CSV file's runs."""
    with path.open(newline='', encoding='utf-8') as file:
        return [{name: row[name] for name in KEPT} for row in csv.DictReader(file)]


def line(setting: tuple[str, ...], rows: list[Row]) -> str:
    """Return the line of one arena, wind and filter."""
    arena, wind, leader_filter = setting
    times = [float(row['goal_reached_s']) for row in rows if row['goal_reached_s']]
    arrived, n = len(times), len(rows)
    shown = (f'{statistics.median(times):.1f} ({arrived}) | {max(times):.1f} ({arrived})' if times
             else '– | –')
    return (f'| {arena} | {float(wind):g} | {leader_filter} | {arrived} of {n} | '
            f"{shown} | {sum(int(row['collisions']) > 0 for row in rows)} of {n} | "
            f"{max(float(row['followers.farthest_m']) for row in rows):.1f} ({n}) | "
            f"{statistics.fmean(float(row['followers.mean_m']) for row in rows):.1f} ({n}) |\n")


def with_table(page: str) -> str:
    """Return the page with its table made anew from the repository's runs."""
    groups: dict[tuple[str, ...], list[Row]] = {}
    for row in read(RUNS):
        groups.setdefault((row['scenario'], row[WIND], row[FILTER]), []).append(row)
    table = HEAD + ''.join(line(setting, rows) for setting, rows in groups.items())
    return MARKS.sub(rf'\g<1>{table}\g<2>', page)


def main() -> int:
    """Keep new runs, if there are any, and write the table."""
    if len(sys.argv) > 1:
        rows = read(Path(sys.argv[1]))
        with RUNS.open('w', newline='', encoding='utf-8') as file:
            writer = csv.DictWriter(file, KEPT, lineterminator='\n')
            writer.writeheader()
            writer.writerows(rows)
    PAGE.write_text(with_table(PAGE.read_text('utf-8')), 'utf-8')
    return 0


if __name__ == '__main__':
    sys.exit(main())
