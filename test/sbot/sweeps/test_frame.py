"""Sweeps from Python: arguments become the request that a file would give."""

import numpy as np
import pytest

from sbot.sweeps.frame import request_of, sweep_frame
from sbot_common.errors import InputError

DATA = {'name': 'small', 'seed': 3, 'duration': 1, 'world': {'bounds': [0, 0, 4, 4]},
        'robots': [{'pose': [1, 1, 0], 'controller': 'none'}]}


def request(seeds=None, grid=None, side_by_side=None, sample=None, metrics=(), **overrides):
    return request_of(DATA, seeds, grid, side_by_side, sample, metrics, overrides)


def test_a_run_is_planned_for_each_seed_and_each_value_of_a_grid():
    plan = request(seeds=[1, 2], grid={'duration': [1, 2, 3]}).plan()
    assert len(plan) == 6
    assert request(grid={'duration': np.array([1.0, 2.0])}).plan().axes[0].columns == ([1.0, 2.0],)


def test_values_side_by_side_change_together():
    plan = request(side_by_side={'duration': [1, 2], 'rate': [10, 20]}).plan()
    axis, = plan.axes
    assert [axis.at(k) for k in range(2)] == [{'duration': 1, 'rate': 10},
                                              {'duration': 2, 'rate': 20}]


def test_a_sample_is_drawn_with_its_seed():
    sample = {'count': 5, 'seed': 2, 'values': {'duration': [1.0, 4.0]}}
    one, same = (request(sample=sample).plan().axes for _ in range(2))
    assert one == same
    assert len(one[0]) == 5
    assert request(sample={**sample, 'seed': 3}).plan().axes != one


def test_what_all_runs_change_is_fixed():
    assert request(duration=2.0).plan().fixed == {'duration': 2.0}


@pytest.mark.parametrize(('given', 'words'), [
    ({'sample': 3}, 'sample: got 3, expected a mapping'),
    ({'sample': {'values': 3}}, 'a mapping: count, method, seed, values'),
    ({'sample': {'cuont': 3}}, "sample.*cuont.*did you mean 'count'"),
    ({'grid': {'duration': []}}, 'grid duration'), ({'seeds': 'many'}, 'seeds')])
def test_a_wrong_argument_is_named(given, words):
    with pytest.raises(InputError, match=words):
        request(**given)


@pytest.mark.parametrize(('given', 'words'), [
    ({'record': 'all'}, "record='all' needs a folder"), ({'resume': True}, 'resume needs a')])
def test_what_stays_on_the_disk_needs_a_folder(given, words):
    pytest.importorskip('pandas')
    options = {'output': None, 'resume': False, 'timeout': None, 'memory': None, 'record': 'none',
               **given}
    with pytest.raises(InputError, match=words):
        sweep_frame(request(), **options)
