"""Unowned views of arrays in compiled code."""

import numpy as np

from sbot_common.compiled.jit import borrowed, njit
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
def _views(discs: Discs):
    return borrowed(discs).grid.items


def test_borrowed_arrays_have_no_owner():
    """Else references would be counted: loops would be slow, and threads wait for each other."""
    discs = sort_discs(np.zeros((2, 3)), np.ones(2), 1.0)
    view = _views(discs)
    assert np.shares_memory(view, discs.grid.items)
    assert view is not discs.grid.items
    assert view.base is None
    assert not view.flags.owndata
