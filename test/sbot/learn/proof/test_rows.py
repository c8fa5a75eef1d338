"""Rows of a proof come back with every bit; what is none is named by line."""

import numpy as np
import pytest

from sbot.learn.proof.rows import Row, read_rows, results, write_rows
from sbot_common.errors import InputError

ROWS = [Row('reach', 'evolved', training, seed, 0.1 * training + seed / 3)
        for training in (2, 1) for seed in (9, 7)]


def test_they_come_back_and_are_sorted_into_a_table(tmp_path):
    write_rows(tmp_path / 'rows.csv', ROWS)
    assert read_rows(tmp_path / 'rows.csv') == ROWS
    table = results([*ROWS[:3], Row('reach', 'rule', 0, 7, 1.0)], 'reach', 'evolved')
    assert table[1].tolist() == [ROWS[1].value, ROWS[0].value]
    assert np.isnan(table).sum() == 1


@pytest.mark.parametrize(('text', 'message'), [
    ('a,b\n', ':1: expected the columns task,policy'), ('', ':1: expected the columns'),
    ('task,policy,training,seed,value\nreach,rule,0,7,x\n', ":2: got 'reach,rule,0,7,x'")])
def test_other_files_are_refused_by_line(tmp_path, text, message):
    path = tmp_path / 'rows.csv'
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        read_rows(path)
