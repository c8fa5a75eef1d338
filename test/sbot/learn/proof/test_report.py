"""Rows of a proof come back with every bit; what is none is named by line."""

import numpy as np
import pytest

from sbot.learn.proof.report import (
    Row,
    band,
    better,
    interquartile_mean,
    read_rows,
    results,
    write_rows,
)
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


def test_the_middle_half_counts():
    assert interquartile_mean(np.array([100.0, 1, 2, 3, 4, 5, 6, -50])) == pytest.approx(3.5)
    assert interquartile_mean(np.array([[4.0, 1, 2, 3], [0, 0, 8, 10]])) == pytest.approx([2.5, 4])


def test_a_band_holds_the_number_and_shrinks_with_more_results():
    rng = np.random.default_rng(1)
    few, many = (band(rng.normal(2.0, 1.0, (5, n))) for n in (8, 200))
    for found in (few, many):
        assert found.low < found.value < found.high
    assert many.high - many.low < 0.5 * (few.high - few.low)


def test_a_band_covers_the_truth_as_often_as_it_says():
    hits = 0
    for seed in range(100):
        found = band(np.random.default_rng(seed).normal(0.0, 1.0, (5, 20)), seed)
        hits += found.low <= 0.0 <= found.high
    assert 85 <= hits <= 100


def test_a_band_is_repeatable_and_has_no_width_without_spread():
    same = np.full((3, 4), 7.0)
    assert band(same) == (7.0, 7.0, 7.0)
    results = np.random.default_rng(2).normal(size=(5, 20))
    assert band(results) == band(results)


def test_better_on_seeds_is_told_for_each_training():
    rule = np.array([[1.0, 2.0, 3.0, 4.0]])
    trained = np.array([[2.0, 3.0, 4.0, 5.0], [0.0, 2.0, 4.0, 5.0]])
    assert better(trained, rule, True).tolist() == [1.0, 0.5]
    assert better(trained, rule, False).tolist() == [0.0, 0.25]
