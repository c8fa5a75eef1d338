"""The compile cache, and arrays that are lent."""

import os
import time

import numpy as np
import pytest

from sbot_common import jit
from sbot_common.jit import borrowed, njit
from sbot_sim.world.scene import Discs, sort_discs


@njit
def _doubled(discs: Discs, out):
    discs, out = borrowed(discs), borrowed(out)
    for k in range(out.shape[0]):
        out[k] = 2.0 * discs.x[k] + discs.grid.items[k]


def test_borrowed_tuples_of_arrays_are_the_same_arrays():
    discs = sort_discs(np.random.default_rng(0).uniform(0, 9, (50, 3)), np.ones(50), 1.0)
    out = np.empty(50)
    _doubled(discs, out)
    np.testing.assert_array_equal(out, 2.0 * discs.x + discs.grid.items)


@njit
def _lent(discs: Discs):
    return borrowed(discs).grid.items


def test_what_is_borrowed_does_not_keep_its_memory():
    """Else references would be counted: loops would be slow, and threads wait for each other."""
    discs = sort_discs(np.zeros((2, 3)), np.ones(2), 1.0)
    lent = _lent(discs)
    assert np.shares_memory(lent, discs.grid.items)
    assert lent is not discs.grid.items
    assert lent.base is None
    assert not lent.flags.owndata


@pytest.mark.parametrize(('text', 'covered'), [
    ('@njit\ndef f(x):\n', True), ('class P(NamedTuple):\n', True), ('def f(x):\n', False)])
def test_an_edit_of_what_is_compiled_makes_a_new_cache(tmp_path, monkeypatch, text, covered):
    monkeypatch.setattr(jit, '__file__', str(tmp_path / 'sbot_common' / 'jit.py'))
    source = tmp_path / 'wind_model' / 'deep' / 'source.py'
    source.parent.mkdir(parents=True)
    source.write_text(text)
    before = jit._source_hash()
    source.write_text(text + '    pass\n')
    assert (jit._source_hash() != before) == covered


def test_old_machine_code_goes(tmp_path, monkeypatch):
    monkeypatch.setattr(jit, 'CACHE_DIRECTORY', tmp_path / 'c0ffee0000000001')
    old, new, other = (tmp_path / name for name in
                       ('0123456789abcdef', 'fedcba9876543210', 'holiday-pictures'))
    for folder in (old, new, other, jit.CACHE_DIRECTORY):
        folder.mkdir()
        (folder / 'complete').touch()
    for folder in (old, other):
        os.utime(folder / 'complete', (time.time() - 40 * 86400,) * 2)
    jit.mark_compiled()
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        'c0ffee0000000001', 'fedcba9876543210', 'holiday-pictures']
