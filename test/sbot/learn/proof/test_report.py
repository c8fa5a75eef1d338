"""Rows of a proof have every bit, and are sorted into a table."""

import numpy as np
import pytest

from sbot.learn.proof.report import (
    Row,
    _band,
    _interquartile_mean,
    _results,
    read_rows,
    write_rows,
)

ROWS = [Row('reach', 'evolved', training, seed, 0.1 * training + seed / 3, 1 / 7, 0.5, 'a.json',
            'b') for training in (2, 1) for seed in (9, 7)]


def test_they_keep_every_bit_and_are_sorted_into_a_table(tmp_path):
    write_rows(tmp_path / 'rows.csv', ROWS)
    assert read_rows(tmp_path / 'rows.csv') == ROWS
    table = _results([*ROWS[:3], ROWS[0]._replace(policy='rule')], 'reach', 'evolved')
    assert table[1].tolist() == [ROWS[1].value, ROWS[0].value]
    assert np.isnan(table).sum() == 1


def test_the_middle_half_counts():
    assert _interquartile_mean(np.array([100.0, 1, 2, 3, 4, 5, 6, -50])) == pytest.approx(3.5)
    rows = np.array([[4.0, 1, 2, 3], [0, 0, 8, 10]])
    assert _interquartile_mean(rows) == pytest.approx([2.5, 4])


def test_a_band_covers_the_truth_as_often_as_it_says():
    hits = 0
    for seed in range(100):
        found = _band(np.random.default_rng(seed).normal(0.0, 1.0, (5, 20)), seed)
        hits += found.low <= 0.0 <= found.high
    assert 85 <= hits <= 100


def test_a_band_is_repeatable_and_has_no_width_without_spread():
    assert _band(np.full((3, 4), 7.0)) == (7.0, 7.0, 7.0)
    results = np.random.default_rng(2).normal(size=(5, 20))
    assert _band(results) == _band(results)
