# SPDX-License-Identifier: Apache-2.0
"""Rows of the benchmark, read from untrusted files, and their tables."""

from __future__ import annotations

import csv
import io
import json
import statistics
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from sbot.files.limits import read_within
from sbot.files.yaml_text import decode_text
from sbot.navigation import library
from sbot.navigation.benchmark import short_names
from sbot.scenario.fields import MAX_SEED
from sbot_common.errors import InputError, bad_value, one_line

# Reader of benchmark rows from JSON Lines files, also untrusted ones.

# What is text, or None where a run failed or a controller is shipped; all others are metrics.
_TEXTS = ('version', 'controller_sha256', 'scenario_sha256', 'trajectory_sha256', 'error')
_KINDS = (('scene', str), ('controller', str), ('set', dict))
_SHARES = ('success', 'arrived')  # from 0 to 1


def read_rows_file(path: Path) -> list[dict[str, Any]]:
    """Return the rows of a file of JSON lines.

    Raises
    ------
    InputError
        if the file cannot be read; naming the line that is no row of this benchmark, or of another
        version of the library, or has a value that no run has.

    """
    lines = decode_text(read_within(path, typed=True), str(path)).split('\n')
    rows = [_row(line, f'{path}:{number}') for number, line in enumerate(lines, 1)
            if line.strip() or number < len(lines)]
    if not rows:
        raise InputError(f'{path}: got an empty file, expected rows of sbot bench navigation')
    return rows


def _row(line: str, where: str) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        row = None
    if not isinstance(row, dict) or not all(isinstance(row.get(key), kind)
                                            for key, kind in _KINDS) or 'seed' not in row:
        raise bad_value(where, line, 'a row of sbot bench navigation')
    if row.get('library') != library.VERSION:
        raise bad_value(f'{where}: library', row.get('library'),
                        f'{library.VERSION}, the library of this version')
    for key, value in row.items():
        if expected := _expected_of(key, value):
            raise bad_value(f'{where}: {key}', value, expected)
    return row


def _expected_of(key: str, value: object) -> str:
    """Return what was expected of a value, or '' if it is right."""
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if key == 'seed':
        whole = number and isinstance(value, int) and 0 <= value <= MAX_SEED
        return '' if whole else 'a whole number from 0 to 2^63 - 1'
    if value is None or key == 'library' or key in dict(_KINDS):
        return ''
    if key in _TEXTS:
        return '' if isinstance(value, str) else 'a text or null'
    if not number or not abs(value) <= sys.float_info.max:  # type: ignore[arg-type]
        return 'a finite number or null'
    right = key not in _SHARES or 0 <= value <= 1  # type: ignore[operator]
    return '' if right else 'a number from 0 to 1, or null'


Row = Mapping[str, Any]
_Cell = Callable[[Sequence[Row]], str]


def _numbers(rows: Sequence[Row], key: str) -> list[float]:
    return [float(row[key]) for row in rows if row.get(key) is not None]


def _of(reduce: Callable[[list[float]], float], key: str, digits: int) -> _Cell:
    def cell(rows: Sequence[Row]) -> str:
        values = _numbers(rows, key)
        # What is rounded to zero has no sign.
        return f'{round(reduce(values), digits) + 0.0:.{digits}f}' if values else '–'
    return cell


def _turn_cost(rows: Sequence[Row]) -> str:
    """Return the median time of a robot's turn (µs), with its share of all else in a run."""
    costs = [1e6 * row['wall_time_s'] / row['turns'] for row in rows
             if row.get('wall_time_s') is not None and row.get('turns')]
    return f'{statistics.median(costs):.0f}' if costs else '–'


_mean, _median = partial(_of, statistics.fmean), partial(_of, statistics.median)
COLUMNS: dict[str, _Cell] = {
    'success': lambda rows: f"{sum(row.get('success') == 1 for row in rows)} of {len(rows)}",
    'arrived (%)': lambda rows: (
        f"{100 * statistics.fmean(_numbers(rows, 'arrived') or [0.0]):.0f}"),
    'with contact': lambda rows: (
        f"{sum(bool(row.get('collisions')) for row in rows)} of {len(rows)}"),
    'contacts': _mean('collisions', 1), 'contact (s)': _mean('contact_s', 1),
    'time (s)': _median('time_s', 1), 'SPL': _mean('spl', 3), 'SCT': _mean('sct', 2),
    'waiting (s)': _mean('waiting_s', 1), 'deadlock (s)': _mean('deadlock_s', 1),
    'flow (1/m/s)': _mean('flow_rate', 3), 'clearance (m)': _of(min, 'min_clearance_m', 2),
    'jerk (m/s³)': _median('smooth_jerk_mps3', 2),
    'turns over (1/s)': _mean('sign_changes_hz', 2), 'energy (J/m)': _median('energy_j_per_m', 1),
    'ΔV (m/s)': _mean('speed_change_mps', 3), 'deviation (m)': _mean('path_deviation_m', 0),
    'Hausdorff (m)': _mean('hausdorff_m', 2), 'turn (µs)': _turn_cost,
    'BARN': _mean('barn_score', 4), 'BARN 2022': _mean('barn_score_2022', 4),
    'DynaBARN file': _mean('dynabarn_file_score', 4)}


def table(rows: Sequence[Row], by: str = 'family') -> list[list[str]]:
    """Return a heading, and a line for each family (or ``scene``) and controller, sorted by both.

    Runs that failed count as such: they have not arrived. Columns in which nobody has a number are
    left out.
    """
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        name = row['scene'] if by == 'scene' else row['scene'].partition('/')[0]
        groups.setdefault((name, _controller(row)), []).append(row)
    shown = short_names({controller for _, controller in groups})
    lines = [[name, shown[controller], *(cell(groups[name, controller])
                                         for cell in COLUMNS.values())]
             for name, controller in sorted(groups)]
    heading = [by, 'controller', *COLUMNS]
    kept = [i for i in range(len(heading)) if i < 2 or any(line[i] != '–' for line in lines)]
    return [[line[i] for i in kept] for line in (heading, *lines)]


def _controller(row: Row) -> str:
    changes = ', '.join(f'{key}={value}' for key, value in row['set'].items())
    return f"{row['controller']} ({changes})" if changes else str(row['controller'])


def as_markdown(lines: Sequence[Sequence[str]]) -> str:
    """Return a table in Markdown, its columns aligned for reading as text.

    Control characters are escaped, and what would end a cell.
    """
    lines = [[one_line(cell).replace('|', '\\|') for cell in line] for line in lines]
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    rows = ['| ' + ' | '.join(cell.ljust(width) for cell, width in zip(line, widths, strict=True))
            + ' |' for line in lines]
    rule = '| ' + ' | '.join('-' * max(3, width) for width in widths) + ' |'
    return '\n'.join([rows[0], rule, *rows[1:]])


def as_json_lines(rows: Sequence[Row]) -> str:
    """Return a line of JSON for each row."""
    return '\n'.join(json.dumps(row) for row in rows)


def as_csv(rows: Sequence[Row]) -> str:
    """Return rows as CSV, control characters escaped; ``set`` is JSON."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    file = io.StringIO()
    writer = csv.writer(file, lineterminator='\n')
    writer.writerow(map(one_line, names))
    for row in rows:
        whole = {**row, 'set': json.dumps(row['set'])}
        writer.writerow(one_line(value, 10 * len(value)) if isinstance(value, str) else value
                        for value in map(whole.get, names))
    return file.getvalue().rstrip('\n')
