"""Write the tables of measured numbers into the pages, from the CSV files in benchmark/.

The picture of other simulators is drawn, too (docs/page_figures/peers.py).
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
Row = dict[str, str]


def _rows(name: str) -> list[Row]:
    with (ROOT / 'benchmark' / name).open(newline='', encoding='utf-8') as file:
        return list(csv.DictReader(file))


def _table(heading: list[str], rows: list[list[str]]) -> str:
    lines = [heading, ['---'] * len(heading), *rows]
    return ''.join(f'| {" | ".join(line)} |\n' for line in lines)


def _number(text: str, digits: int = 3) -> str:
    """Return a number of a CSV file with so many digits, none that only look exact."""
    value = float(f'{float(text):.{digits}g}')
    return f'{value:,.0f}' if abs(value) >= 10 ** (digits - 1) else f'{value:g}'


def _count(row: Row) -> str:
    return f'{int(row["robots"]):,}'


def standard() -> str:
    """Return one thread and several, case by case."""
    rows = _rows('standard.csv')
    lines = []
    for row in rows:
        if row['threads'] != '1':
            continue
        many = [r for r in rows if r['threads'] != '1'
                and (r['case'], r['robots']) == (row['case'], row['robots'])]
        gain = ', '.join(f'{float(row["ms_per_step"]) / float(r["ms_per_step"]):.2f}'
                         for r in many)
        rays = float(row['million_rays_per_s'])
        lines.append([f'`{row["case"]}`', _count(row), _number(row['ms_per_step']),
                      f'{rays:.0f}' if rays else '', _number(row['real_time_factor'], 2), gain])
    return _table(['case', 'robots', 'ms per step', 'M rays/s', '× real time',
                   'gain of two threads'], lines)


def peers() -> str:
    """Return other simulators: a line for each case, a column for each number of robots."""
    rows = [row for row in _rows('standard_peers.csv') if row['case'] != 'lasers']
    counts = sorted({int(row['robots']) for row in rows})
    cells: dict[tuple[str, ...], dict[int, str]] = {}
    for row in rows:
        key = (f'{row["peer"]} {row["version"]}', f'`{row["case"]}`')
        cells.setdefault(key, {})[int(row['robots'])] = (
            f'{_number(row["cpu_ms_per_step"])} ({_number(row["ratio"], 2)})')
    return _table(['simulator', 'case', *(f'{count:,} robots' for count in counts)],
                  [[*key, *(found.get(count, '') for count in counts)]
                   for key, found in cells.items()])


def budget() -> str:
    """Return phases of a step beside the least they could take."""
    return _table(['phase', 'ms', 'at best'], [
        [row['phase'], _number(row['ms'], 2) if float(row['ms']) > 0 else '',
         _number(row['at_best_ms'], 2) if float(row['at_best_ms']) else '']
        for row in _rows('step_budget.csv') if row['robots'] == '10000'])


def nodes() -> str:
    """Return the ROS 2 nodes' speed."""
    def cell(row: Row, name: str) -> str:
        return _number(row[name]) if row[name] else ''
    return _table(
        ['case', '× real time', 'cpu % per robot', 'ms cpu per tick', 'latency median, p99 ms'],
        [[row['case'], *(cell(row, name) for name in ('x real', 'cpu %/robot', 'ms cpu/tick')),
          ', '.join(cell(row, f'latency ms {which}') for which in ('median', 'p99'))
          if row['latency ms p99'] else ''] for row in _rows('ros_speed.csv')])


def small() -> str:
    """Return many small worlds in one call."""
    [row] = _rows('small_worlds.csv')

    def millions(name: str) -> str:
        return f'{float(row[name]) / 1e6:.2f} M'
    lines = [
        ['evaluations per processor second: 5 s-bots, infrared with noise, a perceptron, '
         '600 ticks',
         _number(row['evaluations_per_cpu_s'])],
        ['robot-steps per processor second of these',
         millions('evaluation_robot_steps_per_cpu_s')],
        ['robot-steps per processor second of 4 robots with 16 laser beams',
         millions('laser_robot_steps_per_cpu_s')],
        ['`World.step` of 10 s-bots with infrared, from Python', f"{row['world_step_us']} us"],
        ['10 robots of the standard scene in a batch of 100: motion and collisions',
         f"{row['batch_motion_ms']} ms"],
        ['the same, with 180 laser beams', f"{row['batch_step_ms']} ms"]]
    if row['vmas_laser_robot_steps_per_cpu_s']:
        lines.insert(3, ['VMAS in the same scene, on one thread',
                         millions('vmas_laser_robot_steps_per_cpu_s')])
    return _table(['what', 'measured'], lines)


def starts() -> str:
    """Return what starts cost."""
    def seconds(text: str) -> str:
        return _number(text, 2) if text else ''
    return _table(['start', 'processor time (s)', 'waiting (s)'], [
        [row['start'], seconds(row['cpu_s']), seconds(row['wall_s'])]
        for row in _rows('starts.csv')])


def accuracy() -> str:
    """Return the largest error of each elementary function."""
    worst: dict[str, Row] = {}
    for row in _rows('elementary.csv'):
        if row['worst_ulp'] and (row['function'] not in worst or float(row['worst_ulp'])
                                 > float(worst[row['function']]['worst_ulp'])):
            worst[row['function']] = row
    return _table(['function', 'largest error, ulp', 'correctly rounded, %'], [
        [f'`{row["function"]}`', f'{float(row["worst_ulp"]):.3f}',
         f'{100 * float(row["correctly_rounded"]):.2f}'] for row in worst.values()])


def speed() -> str:
    """Return nanoseconds of the elementary functions."""
    return _table(['function', 'arguments', 'ns', 'libm', 'NumPy'], [
        [f'`{row["function"]}`', row['range'],
         *(_number(row[name], 2) for name in ('ns', 'libm_ns', 'numpy_ns'))]
        for row in _rows('elementary.csv') if row['ns']])


def sweeps() -> str:
    """Return what a sweep costs beyond its simulations."""
    [row] = _rows('sweep_cost.csv')
    return _table(['what', 'measured'], [
        ['a run beyond its simulation (from the second on)', f"{row['cost_a_run_ms']} ms"],
        ['of that, journal and tables', f"{row['journal_and_tables_ms']} ms"],
        ['first run, start of the process included', f"{row['first_run_s']} s"],
        ['two processes instead of one', f"× {row['speedup_of_two_processes']}"],
        ['memory of `sbot sweep` at 1,000 runs', f"{row['peak_mib_1000_runs']} MiB"],
        ['memory of `sbot sweep` at 10,000 runs', f"{row['peak_mib_10000_runs']} MiB"],
        ['sent to a worker with each task', f"{row['job_bytes']} + {row['run_bytes']} B per run"],
        ['sent back for a run of four robots', f"{row['row_bytes']} B"],
        ['in the journal', f"{row['journal_bytes']} B per run"]])


TABLES: dict[str, dict[str, Callable[[], str]]] = {
    'performance.md': {'standard': standard, 'peers': peers, 'small': small, 'budget': budget,
                       'nodes': nodes, 'starts': starts},
    'elementary.md': {'accuracy': accuracy, 'speed': speed},
    'sweeps.md': {'cost': sweeps}}


def with_tables(page: str, text: str) -> str:
    """Return a page's text with its tables brought up to date."""
    for name, make in TABLES[page].items():
        begin, end = f'<!-- {name} -->\n', f'<!-- end of {name} -->\n'
        before, found, rest = text.partition(begin)
        _, closed, after = rest.partition(end)
        if not (found and closed):
            raise SystemExit(f'{page}: no {begin.strip()} ... {end.strip()}')
        text = f'{before}{begin}\n{make()}\n{end}{after}'
    return text


if __name__ == '__main__':
    for name in TABLES:
        path = ROOT / 'docs' / name
        path.write_text(with_tables(name, path.read_text('utf-8')), 'utf-8')
    from page_figures import peers
    peers.draw(ROOT / 'docs' / 'figures' / 'peers.svg')
    sys.exit(0)
