"""Columns of a sweep and their types."""

import csv
import math
import random
import sys

import pytest

from sbot.files.yaml_text import LARGEST
from sbot.sweeps.journal import Journal, Settings, Stored, write_plan
from sbot.sweeps.plan import Plan, Source, grid_axes
from sbot.sweeps.table import (
    CSV,
    OWN,
    PARQUET,
    SUMMARY,
    TIMES,
    columns_of,
    is_own,
    kind_of,
    kind_of_value,
    read_columns,
    write_tables,
)
from sbot_common.errors import InputError


def test_kinds():
    kinds = map(kind_of_value, (True, 1, 1.5, 'x', None, LARGEST + 1))
    assert list(kinds) == ['bool', 'int', 'float', 'text', 'text', 'text']
    for values, kind in (((1, None), 'int'), ((1, 2.5), 'float'), ((1, True), 'text'),
                         (range(3), 'int'), ((), 'text')):
        assert kind_of(values) == kind


def test_columns_of_one_robot():
    assert is_own('robot_12_x_m')
    for name in ('robot_x_m', 'robot_1_z', 'robot_count', 'rob_1_x_m'):
        assert not is_own(name)


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
    monkeypatch.setattr('sbot.sweeps.table._GROUP', 5)
    write(tmp_path / 'b', all_rows())
    assert read_columns(tmp_path / 'a') == read_columns(tmp_path / 'b')
    assert (tmp_path / 'a' / CSV).read_bytes() == (tmp_path / 'b' / CSV).read_bytes()


@pytest.mark.parametrize(('values', 'kind'), [
    ([1, 2], 'int'), ([1, None], 'int'), ([1, 0.5], 'float'), ([None, None], 'float'),
    ([True, False], 'bool'), ([1, True], 'text')])
def test_a_metric_of_whole_numbers_is_a_column_of_them(values, kind):
    plan = Plan(PLAN.sources, {}, (), range(2), ('m:mine',))
    rows = [{'run': i, 'mine': value} for i, value in enumerate(values)]
    [column] = [each for each in columns_of(plan, rows) if each.name == 'mine']
    assert column.kind == kind


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


def test_every_damaged_table_is_one_line_that_says_how_to_get_it_back(tmp_path):
    write(tmp_path / 'a', all_rows())
    path = tmp_path / 'a' / PARQUET
    good = path.read_bytes()
    assert read_columns(tmp_path / 'a', most=len(PLAN))
    for size in range(0, len(good), 97):  # a full disk cuts it
        path.write_bytes(good[:size])
        with pytest.raises(InputError, match=r'runs\.parquet: damaged.*--resume'):
            read_columns(tmp_path / 'a')
    rng = random.Random(3)
    refused = 0
    for _ in range(200):
        place = rng.randrange(len(good))
        path.write_bytes(good[:place] + bytes([good[place] ^ 1 << rng.randrange(8)])
                         + good[place + 1:])
        try:
            assert len(read_columns(tmp_path / 'a', most=len(PLAN))['run']) == len(PLAN)
        except InputError as error:
            refused += str(error).startswith(f'{path}: ')
    assert refused > 100
    write_tables(tmp_path / 'a', PLAN)
    assert path.read_bytes() == good


def test_a_table_of_others_is_refused(tmp_path):
    import pyarrow
    from pyarrow import parquet
    with pytest.raises(InputError, match='has no table; sbot sweep --resume'):
        read_columns(tmp_path)
    parquet.write_table(pyarrow.table({'run': [b'x']}), tmp_path / PARQUET)
    with pytest.raises(InputError, match=r'column run: got .binary., expected int64'):
        read_columns(tmp_path)
    parquet.write_table(pyarrow.table({'run': [1, 2]}), tmp_path / PARQUET)
    with pytest.raises(InputError, match='got 2 rows, expected at most 1'):
        read_columns(tmp_path, most=1)


def test_values_that_no_column_holds_are_text(tmp_path):
    plan = Plan((SOURCE,), {}, tuple(grid_axes({'big': [10**30, 1], 'word': ['\ud800', 'a']})),
                (5,), ())
    (tmp_path / 'a').mkdir()
    with Journal(tmp_path / 'a') as journal:
        for number in range(len(plan)):
            journal.write([{'run': number, 'scenario': 'one', **plan[number].values, 'seed': 5,
                            'version': '1', 'error': 'x', 'wall_time_s': None}])
    assert write_tables(tmp_path / 'a', plan) == 4
    found = read_columns(tmp_path / 'a')
    assert found['big'] == [str(10**30)] * 2 + ['1'] * 2
    assert found['word'] == ['\\ud800', 'a'] * 2


def hide_pyarrow(monkeypatch):
    monkeypatch.setitem(sys.modules, 'pyarrow', None)


def test_without_pyarrow_there_is_csv_and_columns_are_the_same(tmp_path, monkeypatch):
    rows = [*all_rows()[:-1], row_of(len(PLAN) - 1, better=math.inf)]
    for name in ('with', 'without'):
        (tmp_path / name).mkdir()
        write_plan(tmp_path / name, Stored(PLAN, '1', Settings()))
        with Journal(tmp_path / name) as journal:
            journal.write(rows)
    write_tables(tmp_path / 'with', PLAN)
    expected = read_columns(tmp_path / 'with')
    hide_pyarrow(monkeypatch)
    assert write_tables(tmp_path / 'without', PLAN) == len(PLAN)
    assert sorted(path.suffix for path in (tmp_path / 'without').glob('runs.*')) == ['.csv']
    for name in (CSV, TIMES):
        assert (tmp_path / 'without' / name).read_bytes() == (
            tmp_path / 'with' / name).read_bytes()
    for name in ('with', 'without'):
        found = read_columns(tmp_path / name)
        assert found == expected
        assert list(found) == list(expected)
    assert list(read_columns(tmp_path / 'without', ['better'])) == ['better']
    monkeypatch.undo()
    assert read_columns(tmp_path / 'without') == expected


def test_without_pyarrow_an_older_parquet_file_does_not_stay(tmp_path, monkeypatch):
    write(tmp_path / 'a', all_rows()[:3])
    hide_pyarrow(monkeypatch)
    write_tables(tmp_path / 'a', PLAN)
    assert not (tmp_path / 'a' / PARQUET).exists()
