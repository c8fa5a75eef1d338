"""Places beside a passage that has a bend: from (0, 0) to (4, 0), and up to (4, 3)."""

import numpy as np
import pytest

from navigate.parameters import Parameters, resolved
from navigate.ways.grid import make_grid, mark
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


def posts(*places):
    grid = make_grid(-51.84, -51.84, P.cell_m)
    for x, y in places:
        mark(grid, x, y)
    return grid


def test_a_line_has_bends_only_where_a_straight_one_would_meet_a_wall():
    # In a straight corridor robots leave their lanes for others.
    points = np.array([[0.0, 0.0], [1.0, 0.9], [2.0, -0.9], [4.0, 0.0]])
    assert passage_along(P, posts(), points, 0, 3) == Passage(0.0, 0.0, 4.0, 0.0)
    passage = passage_along(P, posts((2.0, 0.0)), points, 0, 3)
    assert passage.corners == 1
    assert passage.bends[:2] in ((1.0, 0.9), (2.0, -0.9))


def test_bends_are_in_the_order_of_the_way_and_no_more_than_there_is_room_for():
    zigzag = np.array([[k, (-1.0) ** k * (1 + 0.1 * k)] for k in range(9)])
    everywhere = posts(*((x, y) for x in np.arange(0, 8, 0.2) for y in np.arange(-2, 2, 0.2)))
    passage = passage_along(P, everywhere, zigzag, 0, len(zigzag) - 1)
    assert passage.corners == MOST_BENDS
    bends = np.array(passage.bends).reshape(-1, 2)
    at = [int(np.flatnonzero((zigzag == bend).all(axis=1))[0]) for bend in bends]
    assert at == sorted(at)
    assert len(set(at)) == MOST_BENDS
