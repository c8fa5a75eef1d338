"""Columns of a sweep and their types."""

import csv
import math
import random
import sys

import pytest

from sbot.sweeps.journal import (
    CSV,
    OWN,
    PARQUET,
    SUMMARY,
    TIMES,
    Journal,
    _columns_of,
    is_own,
    read_columns,
    write_tables,
)
from sbot.sweeps.plan import Plan, Source
from sbot.sweeps.request import _grid_axes


def test_columns_of_one_robot():
    assert is_own('robot_12_x_m')
    for name in ('robot_x_m', 'robot_1_z', 'robot_count', 'rob_1_x_m'):
        assert not is_own(name)


SOURCE = Source('one', '', 'one.yaml', '/', 1)
PLAN = Plan((SOURCE,), {}, tuple(_grid_axes({'goal': [[1, 2], [3, 4]], 'n': [1, 2, 30],
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
    monkeypatch.setattr('sbot.sweeps.journal._GROUP', 5)
    write(tmp_path / 'b', all_rows())
    assert read_columns(tmp_path / 'a', PLAN) == read_columns(tmp_path / 'b', PLAN)
    assert (tmp_path / 'a' / CSV).read_bytes() == (tmp_path / 'b' / CSV).read_bytes()


@pytest.mark.parametrize(('values', 'kind'), [
    ([1, 2], 'int'), ([1, None], 'int'), ([1, 0.5], 'float'), ([None, None], 'float'),
    ([True, False], 'bool'), ([1, True], 'text')])
def test_a_metric_of_whole_numbers_is_a_column_of_them(values, kind):
    plan = Plan(PLAN.sources, {}, (), range(2), ('m:mine',))
    rows = [{'run': i, 'mine': value} for i, value in enumerate(values)]
    assert _columns_of(plan, rows)['mine'] == kind


def test_the_tables_hold_what_the_rows_do(tmp_path):
    rows = all_rows()
    write(tmp_path / 'a', rows)
    found = read_columns(tmp_path / 'a', PLAN)
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
    assert read_columns(tmp_path / 'a', PLAN)['better'] == [math.inf]


def test_a_sweep_that_has_only_begun_has_a_table(tmp_path):
    assert write(tmp_path / 'a', []) == 0
    assert read_columns(tmp_path / 'a', PLAN)['run'] == []
    assert write(tmp_path / 'b', [row_of(9), failed(2)]) == 2
    assert read_columns(tmp_path / 'b', PLAN)['run'] == [2, 9]


def test_values_that_no_column_holds_are_text(tmp_path):
    plan = Plan((SOURCE,), {}, tuple(_grid_axes({'big': [10**30, 1], 'word': ['\ud800', 'a']})),
                (5,), ())
    (tmp_path / 'a').mkdir()
    with Journal(tmp_path / 'a') as journal:
        for number in range(len(plan)):
            journal.write([{'run': number, 'scenario': 'one', **plan[number].values, 'seed': 5,
                            'version': '1', 'error': 'x', 'wall_time_s': None}])
    assert write_tables(tmp_path / 'a', plan) == 4
    found = read_columns(tmp_path / 'a', PLAN)
    assert found['big'] == [str(10**30)] * 2 + ['1'] * 2
    assert found['word'] == ['\\ud800', 'a'] * 2


def hide_pyarrow(monkeypatch):
    monkeypatch.setitem(sys.modules, 'pyarrow', None)


def test_parquet_has_the_columns_and_without_pyarrow_there_is_csv(tmp_path, monkeypatch):
    from pyarrow import parquet
    rows = [*all_rows()[:-1], row_of(len(PLAN) - 1, better=math.inf)]
    write(tmp_path / 'with', rows)
    assert parquet.read_table(tmp_path / 'with' / PARQUET).to_pydict() == read_columns(
        tmp_path / 'with', PLAN)
    hide_pyarrow(monkeypatch)
    assert write(tmp_path / 'without', rows) == len(PLAN)
    assert sorted(path.suffix for path in (tmp_path / 'without').glob('runs.*')) == ['.csv']
    for name in (CSV, TIMES):
        assert (tmp_path / 'without' / name).read_bytes() == (
            tmp_path / 'with' / name).read_bytes()


def test_without_pyarrow_an_older_parquet_file_does_not_stay(tmp_path, monkeypatch):
    write(tmp_path / 'a', all_rows()[:3])
    hide_pyarrow(monkeypatch)
    write_tables(tmp_path / 'a', PLAN)
    assert not (tmp_path / 'a' / PARQUET).exists()
