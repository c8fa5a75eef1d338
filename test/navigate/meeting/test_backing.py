"""A robot that stands before another one in a passage backs out at last."""

import numpy as np
import pytest

from navigate.meeting.backing import is_blocked, standing
from navigate.parameters import STUCK, Parameters, resolved
from navigate.ways.route import Watch

P = resolved(Parameters())


def blocked(me=0, other=(0.8, 0.0), moves=0.0, stands=STUCK, ahead=(1.0, 0.0)):
    """Of two robots, ``me`` at (0, 0) (m)."""
    places = np.zeros((2, 2))
    places[1 - me] = other
    headings = np.array([[1.0, 0.0, moves]] * 2)
    return is_blocked(P, me, places, headings, *ahead, stands)


def test_it_backs_out_after_a_while_the_lower_number_first():
    assert not blocked(stands=0.9 * STUCK)
    assert blocked()
    assert not blocked(me=1)
    assert blocked(me=1, stands=2.1 * STUCK)


@pytest.mark.parametrize('change', [{'moves': 1.0}, {'other': (-0.8, 0.0)}, {'other': (0.0, 0.8)},
                                    {'other': (2.0, 0.0)}, {'ahead': (-1.0, 0.0)}])
def test_one_that_moves_or_is_not_before_it_does_not_block_it(change):
    assert not blocked(**change)


def test_it_stands_since_it_last_got_on_and_one_that_rests_does_not():
    watch = Watch(0.0, 0.0, 1.0)
    assert standing.py_func(P, watch, False, 0.2, 0.0, 3.0) == watch
    assert standing.py_func(P, watch, False, 0.4, 0.0, 3.0) == Watch(0.4, 0.0, 3.0)
    assert standing.py_func(P, watch, True, 0.2, 0.0, 3.0) == Watch(0.2, 0.0, 3.0)
