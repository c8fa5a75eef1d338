import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sbot.controllers.navigate.following import _place_in_formation, follow, place_on_trail
from sbot.controllers.navigate.parameters import LONGEST_TRAIL


def trail_of(points):
    trail, count = np.zeros((LONGEST_TRAIL, 2)), 0
    for x, y in points:
        count = follow(trail, count, x, y, 0.3)
    return trail, count


def test_places_are_behind_along_the_way():
    corner = [(x, 0.0) for x in np.arange(0, 5.01, 0.1)] + [
        (5.0, y) for y in np.arange(0.1, 3.01, 0.1)]
    trail, count = trail_of(corner)
    for behind in np.arange(0.5, 7.5, 0.5):
        x, y, along_x, along_y, older = place_on_trail(trail, count, 5.0, 3.0, behind, -4.0, 0.0)
        expected = (5.0, 3.0 - behind) if behind < 3.0 else (8.0 - behind, 0.0)
        assert (x, y) == pytest.approx(expected, abs=0.3)
        assert math.hypot(along_x, along_y) == pytest.approx(1.0)
        assert 0 <= older < count


def test_followers_wait_until_the_leader_is_far_enough():
    trail, count = trail_of([(0.0, 0.0)])
    assert place_on_trail(trail, count, 0.0, 0.0, 3.0, -2.0, 0.0)[:2] == (-2.0, 0.0)
    assert place_on_trail(trail, count, 2.0, 0.0, 3.0, -2.0, 0.0)[:2] == pytest.approx((-1.0, 0.0))


def test_the_ring_forgets_the_oldest():
    trail, count = trail_of([(0.5 * k, 0.0) for k in range(600)])
    assert count == 600
    x, y, *_, older = place_on_trail(trail, count, 299.5, 0.0, 500.0, 0.0, 0.0)
    assert (x, y) == (0.0, 0.0)
    assert older == 600 - LONGEST_TRAIL


def test_a_leader_at_rest_leaves_one_point():
    assert trail_of([(1.0, 1.0)] * 50)[1] == 1


@given(st.integers(1, 60))
def test_formation_places_are_apart_and_balanced(followers):
    places = [_place_in_formation(rank, followers, 1.3) for rank in range(followers)]
    assert all(behind >= 1.3 for behind, _ in places)
    assert all(math.dist(a, b) > 0.6 for i, a in enumerate(places) for b in places[:i])
    assert sum(left for _, left in places) == pytest.approx(0.0, abs=1e-9)
