"""The folder of a sweep: its plan and its rows come back, and damage is told."""

import json

import pytest

from sbot.sweeps.journal import (
    NAME,
    PLAN_NAME,
    Journal,
    Settings,
    read_index,
    read_plan,
    read_rows,
    write_plan,
)
from sbot.sweeps.plan import Plan, Source, zip_axis
from sbot.sweeps.request import _grid_axes
from sbot.version import VERSION
from sbot_common.errors import InputError

PLAN = Plan((Source('one', 'text', 'one.yaml', '/', None),), {'rate': 10.5},
            (*_grid_axes({'a': [0.1, [1, 'x']], 'b': range(3)}),
             *zip_axis({'c': [1, 2], 'd': [3, None]})),
            range(5), ('m:f',), overlaps=False)
SETTINGS = Settings(('/x',), 2.5, 2**30, 'failed')


def test_it_comes_back_as_it_was(tmp_path):
    write_plan(tmp_path, PLAN, SETTINGS)
    again = read_plan(tmp_path)
    assert again.plan.differences(PLAN) == []
    assert [again.plan[i] for i in range(len(PLAN))] == [PLAN[i] for i in range(len(PLAN))]
    assert (again.version, again.settings) == (VERSION, SETTINGS)


def test_every_flipped_bit_is_told(tmp_path):
    write_plan(tmp_path, PLAN, SETTINGS)
    good = (tmp_path / PLAN_NAME).read_bytes()
    for place in range(len(good)):
        (tmp_path / PLAN_NAME).write_bytes(
            good[:place] + bytes([good[place] ^ 1 << place % 8]) + good[place + 1:])
        with pytest.raises(InputError, match=r'plan\.json: '):
            read_plan(tmp_path)


@pytest.mark.parametrize('text', ['', '[]', '{}', '[' * 100_000, '\udcff'])
def test_what_is_no_plan_is_told(tmp_path, text):
    (tmp_path / PLAN_NAME).write_bytes(text.encode('utf-8', 'surrogateescape'))
    with pytest.raises(InputError, match=r'plan\.json: '):
        read_plan(tmp_path)


def test_no_plan_and_one_that_would_wait_for_ever(tmp_path):
    import os
    with pytest.raises(InputError, match='holds no sweep'):
        read_plan(tmp_path)
    os.mkfifo(tmp_path / PLAN_NAME)
    with pytest.raises(InputError, match='holds no sweep'):
        read_plan(tmp_path)


def rows(*numbers):
    return [{'run': number, 'value': 0.1 * number, 'wall_time_s': 1.0} for number in numbers]


def test_rows_come_back_by_their_places(tmp_path):
    with Journal(tmp_path) as journal:
        journal.write(rows(4, 2))
        journal.write(rows(7))
    index, end, damaged = read_index(tmp_path)
    assert damaged == []
    assert sorted(index) == [2, 4, 7]
    assert end == (tmp_path / NAME).stat().st_size
    assert list(read_rows(tmp_path, [index[2], index[7]])) == rows(2, 7)


@pytest.mark.parametrize('tail', [b'{"run": 9, "va', b'{"run": 9}'])
def test_a_torn_line_is_cut_off_and_written_over(tmp_path, tail):
    with Journal(tmp_path) as journal:
        journal.write(rows(1, 2))
    with (tmp_path / NAME).open('ab') as file:
        file.write(tail)
    assert sorted(read_index(tmp_path).places) == [1, 2]
    assert read_index(tmp_path).damaged == []
    with Journal(tmp_path) as journal:
        journal.write(rows(9))
    lines = (tmp_path / NAME).read_text().splitlines()
    assert [json.loads(line)['run'] for line in lines] == [1, 2, 9]


@pytest.mark.parametrize('place', range(0, 60, 10))
def test_a_flipped_bit_costs_its_row_only_and_is_told(tmp_path, place):
    with Journal(tmp_path) as journal:
        journal.write(rows(*range(6)))
    lines = (tmp_path / NAME).read_bytes().splitlines(keepends=True)
    place %= len(lines[1]) - 1  # not its end: two lines would be one
    lines[1] = lines[1][:place] + bytes([lines[1][place] ^ 1]) + lines[1][place + 1:]
    (tmp_path / NAME).write_bytes(b''.join(lines))
    index = read_index(tmp_path)
    assert sorted(index.places) == [0, 2, 3, 4, 5]
    assert index.damaged == [2]
    assert index.damage() == ('1 damaged row (line 2); the 5 whole ones are kept, runs without '
                              'one are done again')
    with Journal(tmp_path) as journal:
        journal.write(rows(1))
    assert sorted(read_index(tmp_path).places) == [0, 1, 2, 3, 4, 5]
    assert list(read_rows(tmp_path, [read_index(tmp_path).places[1]])) == rows(1)


@pytest.mark.parametrize('line', [b'[]\n', b'\n', b'{"run": 9}\n', b'{"run": 9, "crc32": 7}\n',
    b'[' * 100_000 + b'\n'])
def test_lines_that_are_no_rows_are_counted(tmp_path, line):
    with Journal(tmp_path) as journal:
        journal.write(rows(1))
    with (tmp_path / NAME).open('ab') as file:
        file.write(line * 7)
    with Journal(tmp_path) as journal:
        journal.write(rows(2))
        assert journal.index.damage().startswith('7 damaged rows (lines 2, 3, 4, 5, 6, ...);')
    index = read_index(tmp_path)
    assert (sorted(index.places), len(index.damaged)) == ([1, 2], 7)


def test_the_last_row_of_a_run_counts(tmp_path):
    with Journal(tmp_path) as journal:
        journal.write([{'run': 1, 'value': 1}, {'run': 1, 'value': 2}])
    [row] = read_rows(tmp_path, read_index(tmp_path).places.values())
    assert row['value'] == 2


def test_one_sweep_at_a_time(tmp_path):
    with Journal(tmp_path), pytest.raises(InputError, match='another sweep is writing'):
        Journal(tmp_path)
    with Journal(tmp_path):
        pass


def test_a_folder_that_is_not_there_is_told(tmp_path):
    with pytest.raises(InputError, match='cannot be written'):
        Journal(tmp_path / 'none')
