"""Tables from rows: columns, types, order; the same bytes however the rows came."""

import csv
import math
import random

import pytest

from sbot.sweeps.plan import Plan, Source, grid_axes
from sbot.sweeps.results.journal import Journal
from sbot.sweeps.results.table import CSV, OWN, PARQUET, SUMMARY, TIMES, read_columns, write_tables

SOURCE = Source('one', '', 'one.yaml', '/', 1)
PLAN = Plan((SOURCE,), {}, tuple(grid_axes({'goal': [[1, 2], [3, 4]], 'n': [1, 2, 30],
                                            'speed': [0, 0.5], 'kind': ['a', 'b']})),
            (5, 6), ('m:better', 'm:more'))


def row_of(number, robots=2, **changes):
    run = PLAN[number]
    numbers = {name: None if kind == 'text' else number for name, kind in SUMMARY.items()}
    own = {f'robot_{i}_{name}': number + 0.5 if kind == 'float' else number
           for i in range(robots if robots <= 8 else 0) for name, kind in OWN.items()}
    return {'run': number, 'scenario': 'one', **run.values, 'seed': run.seed, **numbers, **own,
            'robot_count': robots, 'goal_reached_s': None if number % 3 else number / 7,
            'better': number / 3, 'more.b': bool(number % 2), 'more.a': 'x',
            'trajectory_sha256': f'{number:064x}', 'version': '1', 'error': None,
            'wall_time_s': random.random(), **changes}


def failed(number):
    run = PLAN[number]
    return {'run': number, 'scenario': 'one', **run.values, 'seed': run.seed, 'version': '1',
            'error': 'ValueError: no, "quite"', 'wall_time_s': None}


def write(folder, rows):
    folder.mkdir()
    with Journal(folder) as journal:
        for row in rows:
            journal.write([row])
    return write_tables(folder, PLAN)


def all_rows():
    rows = [row_of(number) for number in range(len(PLAN))]
    rows[3] = failed(3)
    rows[7] = row_of(7, robots=9)
    return rows


def test_bytes_do_not_depend_on_the_order_rows_come_in(tmp_path):
    rows = all_rows()
    assert write(tmp_path / 'a', rows) == len(PLAN)
    random.Random(1).shuffle(rows)
    write(tmp_path / 'b', rows)
    for name in (PARQUET, CSV):
        assert (tmp_path / 'a' / name).read_bytes() == (tmp_path / 'b' / name).read_bytes()


def test_groups_of_rows_change_nothing(tmp_path, monkeypatch):
    write(tmp_path / 'a', all_rows())
    monkeypatch.setattr('sbot.sweeps.results.table._GROUP', 5)
    write(tmp_path / 'b', all_rows())
    assert read_columns(tmp_path / 'a') == read_columns(tmp_path / 'b')
    assert (tmp_path / 'a' / CSV).read_bytes() == (tmp_path / 'b' / CSV).read_bytes()


def test_the_tables_hold_what_the_rows_do(tmp_path):
    rows = all_rows()
    write(tmp_path / 'a', rows)
    found = read_columns(tmp_path / 'a')
    assert list(found)[:9] == ['run', 'scenario', 'goal', 'n', 'speed', 'kind', 'seed', 'better',
                               'more.a']
    assert list(found)[-3:] == ['trajectory_sha256', 'version', 'error']
    assert found['run'] == list(range(len(PLAN)))
    assert found['goal'][0] == '[1, 2]'
    assert {type(value) for value in found['speed']} == {float}
    for name, column in found.items():
        for row, value in zip(rows, column, strict=True):
            if name != 'goal':
                assert row.get(name) == value, name
    assert found['error'][3] == 'ValueError: no, "quite"'
    assert found['robot_1_x_m'][7] is None
    assert found['robot_count'][7] == 9
    with (tmp_path / 'a' / CSV).open(newline='') as file:
        read = list(csv.DictReader(file))
    assert list(read[0]) == list(found)
    for name, column in found.items():
        for line, value in zip(read, column, strict=True):
            shown = line[name]
            if value is None:
                assert shown == ''
            elif isinstance(value, float):
                assert float(shown) == value
            else:
                assert shown == (str(value).lower() if isinstance(value, bool) else str(value))
    assert (tmp_path / 'a' / TIMES).read_text().startswith('run,wall_time_s\n0,')


def test_infinite_metrics_survive(tmp_path):
    write(tmp_path / 'a', [row_of(0, better=math.inf)])
    assert read_columns(tmp_path / 'a', ['better']) == {'better': [math.inf]}


def test_a_sweep_that_has_only_begun_has_a_table(tmp_path):
    assert write(tmp_path / 'a', []) == 0
    assert read_columns(tmp_path / 'a')['run'] == []
    assert write(tmp_path / 'b', [row_of(9), failed(2)]) == 2
    assert read_columns(tmp_path / 'b')['run'] == [2, 9]


@pytest.mark.parametrize('values', [[1, True], ['a', 2]])
def test_metrics_of_mixed_types_are_text(tmp_path, values):
    write(tmp_path / 'a', [row_of(i, better=value) for i, value in enumerate(values)])
    assert all(isinstance(value, str)
               for value in read_columns(tmp_path / 'a', ['better'])['better'])
