import json

import pytest

from sbot.sweeps.journal import NAME, Journal, read_index, read_rows
from sbot_common.errors import InputError


def rows(*numbers):
    return [{'run': number, 'value': 0.1 * number, 'wall_time_s': 1.0} for number in numbers]


def test_rows_come_back_by_their_places(tmp_path):
    with Journal(tmp_path) as journal:
        journal.write(rows(4, 2))
        journal.write(rows(7))
    index, end = read_index(tmp_path)
    assert sorted(index) == [2, 4, 7]
    assert end == (tmp_path / NAME).stat().st_size
    assert list(read_rows(tmp_path, [index[2], index[7]])) == rows(2, 7)


@pytest.mark.parametrize('tail', [b'{"run": 9, "va', b'{"run": 9}', b'\0\0\0\n', b'[]\n'])
def test_a_torn_line_is_cut_off_and_written_over(tmp_path, tail):
    with Journal(tmp_path) as journal:
        journal.write(rows(1, 2))
    with (tmp_path / NAME).open('ab') as file:
        file.write(tail)
    assert sorted(read_index(tmp_path)[0]) == [1, 2]
    with Journal(tmp_path) as journal:
        journal.write(rows(9))
    lines = (tmp_path / NAME).read_text().splitlines()
    assert [json.loads(line)['run'] for line in lines] == [1, 2, 9]


def test_rows_are_in_the_file_at_once(tmp_path):
    with Journal(tmp_path) as journal:
        journal.write(rows(1))
        assert list(read_index(tmp_path)[0]) == [1]


def test_the_last_row_of_a_run_counts(tmp_path):
    with Journal(tmp_path) as journal:
        journal.write([{'run': 1, 'value': 1}, {'run': 1, 'value': 2}])
    [row] = read_rows(tmp_path, read_index(tmp_path)[0].values())
    assert row['value'] == 2


def test_one_sweep_at_a_time(tmp_path):
    with Journal(tmp_path), pytest.raises(InputError, match='another sweep is writing'):
        Journal(tmp_path)
    with Journal(tmp_path):
        pass


def test_a_folder_that_is_not_there_is_told(tmp_path):
    with pytest.raises(InputError, match='cannot be written'):
        Journal(tmp_path / 'none')
