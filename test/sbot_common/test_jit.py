"""The compile cache, and arrays that are lent."""

import os
import time

import numpy as np

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
