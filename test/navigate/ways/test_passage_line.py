"""Places beside a passage that has a bend: from (0, 0) to (4, 0), and up to (4, 3)."""

import math

import numpy as np
import pytest

from navigate.parameters import Parameters, resolved
from navigate.ways.passage_line import (
    MOST_BENDS,
    Passage,
    line_at,
    passage_along,
    station,
)

P = resolved(Parameters())
BENT = Passage(0.0, 0.0, 4.0, 3.0, (4.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0), 1)


@pytest.mark.parametrize(('x', 'y', 'along', 'aside', 'u'), [
    (1.0, 0.2, 1.0, 0.2, (1, 0)),
    (-1.0, 0.3, -1.0, 0.3, (1, 0)),  # before it
    (3.9, 2.0, 6.0, 0.1, (0, 1)),
    (4.0, 5.0, 9.0, 0.0, (0, 1)),  # beyond it
    (4.3, -0.4, 4.0, 0.5, (1, 0)),  # outside the corner
])
def test_a_place_is_told_along_and_beside_the_line(x, y, along, aside, u):
    at = station(P, BENT, x, y)
    assert (at.along, at.aside) == pytest.approx((along, aside))
    assert (at.u_x, at.u_y) == pytest.approx(u)
    assert at.length == 7.0


@pytest.mark.parametrize(('along', 'place', 'u'), [
    (-1.0, (-1.0, 0.0), (1, 0)), (3.0, (3.0, 0.0), (1, 0)), (5.0, (4.0, 1.0), (0, 1)),
    (8.0, (4.0, 4.0), (0, 1))])
def test_a_place_along_the_line(along, place, u):
    assert line_at(P, BENT, along) == pytest.approx((*place, *u))


def test_points_near_a_line_are_no_bends():
    points = np.array([[0.0, 0.0], [1.0, 0.2], [2.0, -0.5], [4.0, 0.0]])
    assert passage_along(P, points, 0, 3) == Passage(0.0, 0.0, 4.0, 0.0)
    points[2] = 3.5, -0.7
    passage = passage_along(P, points, 0, 3)
    assert passage.corners == 1
    assert passage.bends[:2] == (3.5, -0.7)


def test_bends_are_in_the_order_of_the_way_and_the_farthest_ones_where_there_are_too_many():
    stairs = np.array([[k // 2, -(-k // 2)] for k in range(20)], float) * 3.0
    spiral = np.array([[k * math.cos(k), k * math.sin(k)] for k in range(30)])
    for points in (stairs, spiral):
        passage = passage_along(P, points, 0, len(points) - 1)
        assert passage.corners <= MOST_BENDS
        bends = np.array(passage.bends).reshape(-1, 2)[:passage.corners]
        at = [int(np.flatnonzero((points == bend).all(axis=1))[0]) for bend in bends]
        assert at == sorted(at)
    assert passage.corners == MOST_BENDS
