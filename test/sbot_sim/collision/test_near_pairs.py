"""Search for pairs that might overlap: all that do are found, and no pair twice."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sbot_sim.collision.near_pairs import near_objects, near_pairs, within

PLACES = st.lists(st.tuples(st.sampled_from([1.0, 1e-3, 1e4]), st.integers(-9, 9),
                            st.integers(-2, 2)), min_size=1, max_size=40)


def scene(seed, count, sizes):
    rng = np.random.default_rng(seed)
    return rng.uniform(-5.0, 5.0, (count, 2)), rng.choice(sizes, count)


@pytest.mark.parametrize('seed', range(5))
@pytest.mark.parametrize('sizes', [[0.3], [0.05, 2.0], [0.2, 0.21, 1.0]])
def test_every_pair_of_circles_that_overlap_is_found_once(seed, sizes):
    xy, radius = scene(seed, 60, sizes)
    first, second = near_pairs(xy, radius)
    assert (first < second).all()
    found = list(zip(first.tolist(), second.tolist(), strict=True))
    assert len(set(found)) == len(found)
    apart = np.hypot(*(xy[:, np.newaxis] - xy).transpose(2, 0, 1))
    over = np.argwhere(np.triu(apart < radius[:, np.newaxis] + radius, 1))
    assert len(over) > 5
    assert {tuple(pair) for pair in over.tolist()} <= set(found)
    if len(sizes) == 1:  # no more than those of the squares around them
        gaps = np.abs(xy[first] - xy[second]).max(axis=1)
        assert (gaps <= 2 * sizes[0]).all()


def test_touching_circles_in_neighbouring_cells_are_found():
    """0.1 + 0.2 is not 0.3: rounding must not hide whom a cell further away."""
    xy = np.column_stack([np.arange(40) * 0.3, np.zeros(40)])
    found = set(zip(*(rows.tolist() for rows in near_pairs(xy, np.full(40, 0.15 + 1e-9))),
                    strict=True))
    assert {(i, i + 1) for i in range(39)} <= found


@pytest.mark.parametrize('seed', range(5))
def test_every_robot_within_reach_of_an_object_is_found(seed):
    xy, reach = scene(seed, 80, [0.1, 1.5])
    centres = np.random.default_rng(seed + 100).uniform(-8.0, 8.0, (80, 2))
    found = set(zip(*(rows.tolist() for rows in near_objects(xy, centres, reach)), strict=True))
    apart = np.hypot(*(centres[:, np.newaxis] - xy).transpose(2, 0, 1))
    near = np.argwhere(apart < reach[:, np.newaxis])
    assert len(near) > 5
    assert {tuple(pair) for pair in near.tolist()} <= found


def test_one_point_and_points_on_a_spot():
    assert [rows.size for rows in near_pairs(np.zeros((1, 2)), np.ones(1))] == [0, 0]
    first, second = near_pairs(np.zeros((3, 2)), np.ones(3))
    assert sorted(zip(first.tolist(), second.tolist(), strict=True)) == [(0, 1), (0, 2), (1, 2)]


@given(PLACES, PLACES, st.sampled_from([1e-3, 0.5, 1.0, 3.0, 1e5]))
@settings(deadline=None)
def test_the_search_finds_what_is_within_reach_once(points, centres, reach):
    xy, c = (np.array([(scale * x, scale * y) for scale, x, y in places])
             for places in (points, centres))
    near = (np.abs(c[:, None] - xy) <= reach).all(axis=2)
    found = list(zip(*(rows.tolist() for rows in within(xy, c, reach)), strict=True))
    assert len(found) == len(set(found))
    assert set(found) == set(zip(*(rows.tolist() for rows in np.nonzero(near)), strict=True))
