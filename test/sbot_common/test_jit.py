"""Unowned views of arrays in compiled code; a word where something is compiled."""

import threading
import time

import numba
import numpy as np

from sbot_common.jit import borrowed, compiling_announced, njit
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


def timers():
    return [thread for thread in threading.enumerate() if isinstance(thread, threading.Timer)]


def test_a_compilation_is_announced_and_what_is_compiled_already_is_not(capsys):
    def loaded(x):
        return x + 1

    compiled, before = numba.njit(loaded), timers()
    compiled(1)
    with compiling_announced('never', 1e9):
        compiled(1)
        assert timers() == before  # nothing waits to say it, however long this takes
    end = time.monotonic() + 60.0
    with compiling_announced('compiling', 0.0):
        compiled(1.5)
        while capsys.readouterr().err != 'compiling\n':
            assert time.monotonic() < end
    with compiling_announced('in time', 1e9):
        compiled(1j)
        assert timers() != before
    assert capsys.readouterr().err == ''
    compiled(True)  # nobody listens any more
    assert timers() == before


def test_a_callback_is_announced(capsys):
    def callback(x):
        pass

    end = time.monotonic() + 60.0
    with compiling_announced('compiling', 0.0):
        numba.cfunc(numba.void(numba.float64))(callback)
        while capsys.readouterr().err != 'compiling\n':
            assert time.monotonic() < end
