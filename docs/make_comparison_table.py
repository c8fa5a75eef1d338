"""Write the second table of docs/results.md from the runs of benchmark/comparison.

    python docs/make_comparison_table.py [RUNS.CSV ...]

With files, the columns of theirs that the table needs are first kept as the runs of the
repository; of a run that several files have, the last one's.
"""

from __future__ import annotations

import csv
import re
import statistics
import sys
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / 'docs' / 'results.md'
RUNS = ROOT / 'benchmark' / 'comparison' / 'runs.csv'
ARENAS = ('open', 'around', 'gap', 'wall', 'trap', 'maze', 'crowd')
WIND, GUST, WHO = 'wind.wind_speed_mean', 'wind.wind_gust_force_mean', 'robots.*.controller'
CONTROLLERS = ('potential_field', 'navigate', 'navground:ORCA', 'navground:HL',
               'navground:SocialForce')
SETTING = ('scenario', WIND, GUST, WHO)
KEPT = (*SETTING, 'seed', 'robot_count', 'robots_arrived', 'goal_reached_s', 'driven.detour',
        'driven.follower_end_m', 'driven.follower_farthest_m', 'driven.wheel_power_w', 'overlaps',
        'collisions', 'trajectory_sha256', 'version', 'error')
MARKS = re.compile(r'(<!-- comparison: begin -->\n).*?(<!-- comparison: end -->)', re.S)
HEAD = ('| arena | wind (m/s) | gust | controller | leader arrived | median time (s) | way over '
        'shortest | runs with collisions | followers at the end (m) | wheels (W) |\n'
        + '| --- ' * 10 + '|\n')
Row = dict[str, str]


def read(path: Path) -> list[Row]:
    """Return the columns that are kept of a CSV file's runs."""
    with path.open(newline='', encoding='utf-8') as file:
        return [{name: row.get(name, '') for name in KEPT} for row in csv.DictReader(file)]


def order(row: Row) -> tuple[float, ...]:
    """Return the place of a run in the table."""
    return (ARENAS.index(row['scenario']), float(row[WIND]), float(row[GUST]),
            CONTROLLERS.index(row[WHO]), int(row['seed']))


def line(rows: list[Row]) -> str:
    """Return the line of runs that differ in their seeds."""
    first = rows[0]
    arrived = f"{sum(bool(row['goal_reached_s']) for row in rows)} of {len(rows)}"
    if first['scenario'] == 'crowd' and first[WHO] != 'potential_field':
        arrived = (f"{sum(int(row['robots_arrived']) for row in rows)} of "
                   f"{sum(int(row['robot_count']) for row in rows)} robots in {len(rows)}")

    def shown(name: str, pick: Callable[[list[float]], float], digits: int) -> str:
        values = [float(row[name]) for row in rows if row[name]]
        return f'{pick(values):.{digits}f} ({len(values)})' if values else '–'

    return (f"| {first['scenario']} | {float(first[WIND]):g} | "
            f"{'yes' if float(first[GUST]) else ''} | {first[WHO]} | {arrived} | "
            f"{shown('goal_reached_s', statistics.median, 1)} | "
            f"{shown('driven.detour', statistics.median, 2)} | "
            f"{sum(int(row['collisions']) > 0 for row in rows)} of {len(rows)} | "
            f"{shown('driven.follower_end_m', max, 1)} | "
            f"{shown('driven.wheel_power_w', statistics.fmean, 1)} |\n")


def with_table(page: str) -> str:
    """Return the page with its table made anew from the repository's runs."""
    groups: dict[tuple[str, ...], list[Row]] = {}
    for row in read(RUNS):
        groups.setdefault(tuple(row[name] for name in SETTING), []).append(row)
    table = HEAD + ''.join(map(line, groups.values()))
    return MARKS.sub(rf'\g<1>{table}\g<2>', page)


def main() -> int:
    """Keep new runs, if there are any, and write the table."""
    if len(sys.argv) > 1:
        runs = {(*(row[name] for name in SETTING), row['seed']): row
                for path in sys.argv[1:] for row in read(Path(path)) if not row['error']}
        with RUNS.open('w', newline='', encoding='utf-8') as file:
            writer = csv.DictWriter(file, KEPT, lineterminator='\n')
            writer.writeheader()
            writer.writerows(sorted(runs.values(), key=order))
    PAGE.write_text(with_table(PAGE.read_text('utf-8')), 'utf-8')
    return 0


if __name__ == '__main__':
    sys.exit(main())
