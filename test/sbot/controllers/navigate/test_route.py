"""Margin in narrow gaps, of discs and of bodies with corners."""

import math

import numpy as np
import pytest

from sbot.controllers.navigate.map import is_marked, make_grid, mark
from sbot.controllers.navigate.parameters import STUCK, Parameters, resolved
from sbot.controllers.navigate.route import (
    Route,
    Watch,
    _centre_of_gap,
    _searched,
    margin_beside,
    margin_for_corners,
    watched,
)
from sbot.controllers.navigate.search import LONGEST, make_search

MARGIN_P = resolved(Parameters())
R = MARGIN_P.robot_radius_m


def gap(width):
    """Return a grid with posts at both sides of (0, 0), a gap along x between them."""
    grid = make_grid(-51.84, -51.84, MARGIN_P.cell_m)
    for x in (-0.1, 0.0, 0.1):
        mark(grid, x, width / 2)
        mark(grid, x, -width / 2)
    return grid


def test_a_robot_in_a_gap_keeps_the_margin_that_the_gap_leaves():
    grid, least = gap(0.7), 0.03 * R
    assert margin_beside(MARGIN_P, grid, 0.0, 0.0, 5.0, 0.0) == pytest.approx(least)
    assert margin_beside(MARGIN_P, grid, 0.2, 0.0, 5.0, 0.0) == pytest.approx(
        least
    )  # not through yet
    assert margin_beside(MARGIN_P, grid, 0.4, 0.0, 5.0, 0.0) == MARGIN_P.margin_m
    assert (
        margin_beside(MARGIN_P, grid, 0.0, 0.0, 0.0, 0.0) == MARGIN_P.margin_m
    )  # it heads for nothing


def test_a_wall_on_one_side_is_no_gap():
    grid = make_grid(-51.84, -51.84, MARGIN_P.cell_m)
    for x in (-0.1, 0.0, 0.1):
        mark(grid, x, 0.35)
    assert margin_beside(MARGIN_P, grid, 0.0, 0.0, 5.0, 0.0) == MARGIN_P.margin_m


def test_corners_need_what_the_radius_does_not_hold():
    assert margin_for_corners(MARGIN_P, gap(0.84), 0.38, 0.0, 0.0, 5.0,
                              0.0) == pytest.approx(0.38 - R)
    assert margin_for_corners(MARGIN_P, gap(0.84), 0.9, 0.0, 0.0, 5.0, 0.0) == pytest.approx(
        0.42 - 1.03 * R)  # a long body: no more than the gap leaves
    empty = make_grid(-51.84, -51.84, MARGIN_P.cell_m)
    assert margin_for_corners(MARGIN_P, empty, 0.9, 0.0, 0.0, 5.0, 0.0) == MARGIN_P.margin_m


def test_a_gap_narrower_than_the_corners_asks_for_nothing_that_it_does_not_have():
    assert margin_for_corners(MARGIN_P, gap(0.7), 0.38, 0.0, 0.0, 5.0, 0.0) == pytest.approx(
        0.35 - 1.03 * R)
    assert margin_for_corners(MARGIN_P, gap(0.6), 0.38, 0.0, 0.0, 5.0, 0.0) < 0.0


def test_a_disc_needs_no_margin_for_corners():
    for corner in (0.0, R):
        assert margin_for_corners(MARGIN_P, gap(0.84), corner, 0.0, 0.0, 5.0, 0.0) == -math.inf
    assert (
        margin_for_corners(MARGIN_P, gap(0.84), 0.38, 0.0, 0.0, 0.0, 0.0) == -math.inf
    )  # heads nowhere


P = resolved(Parameters())
NEAR = np.array([[1.0, 0.0, 0.0, 0.0]])


def slit():
    """Return a grid with posts at both sides of (1, 0), a path through it, and the route."""
    grid = make_grid(-51.84, -51.84, P.cell_m)
    for y in (-0.3, 0.3):
        mark(grid, 1.0, y)
    path = np.column_stack([np.arange(20) * P.cell_m, np.zeros(20)])
    return grid, path, Route(20, 2, 0.0, 1, 0, 2.3, 0.0, False, False)


def watch_for(seconds, near=0, rests=False, speed=0.0):
    grid, path, route = slit()
    watch, closed = Watch(0.0, 0.0, 0.0), False
    for tick in range(1, round(30 * seconds)):
        watch, now = watched(P, grid, watch, path, route, NEAR, near, rests, speed * tick / 30,
                             0.0, tick / 30)
        closed |= now
    return closed, any(is_marked(grid, x, 0.0) for x in path[:, 0])


def test_a_slit_in_which_it_is_stuck_is_closed():
    assert watch_for(STUCK - 0.5) == (False, False)
    assert watch_for(STUCK + 0.5) == (True, True)


def test_who_has_a_reason_or_gets_on_is_not_stuck():
    assert watch_for(STUCK + 0.5, near=1) == (False, False)
    assert watch_for(STUCK + 0.5, rests=True) == (False, False)
    assert watch_for(STUCK + 0.5, speed=0.2) == (False, False)


def test_points_in_a_gap_are_moved_to_its_middle():
    grid = make_grid(-51.84, -51.84, P.cell_m)
    for y in (0.41, -0.29):  # a gap of 0.70 m along x, its middle at 0.06
        for x in np.arange(-0.3, 0.31, 0.05):
            mark(grid, x, y)
    assert _centre_of_gap(P, grid, 0.0, 0.0, 1.0, 0.0) == pytest.approx((0.0, 0.06), abs=1e-6)
    assert _centre_of_gap(P, grid, 0.0, 0.1, -1.0, 0.0) == pytest.approx((0.0, 0.06), abs=1e-6)
    assert _centre_of_gap(P, grid, 3.0, 0.0, 1.0, 0.0) == (3.0, 0.0)  # nothing beside it


def test_the_way_out_of_a_narrow_tube_is_found_from_the_robot():
    # From the target, the whole open window is cheaper than the tube.
    grid, path = make_grid(-51.84, -51.84, MARGIN_P.cell_m), np.zeros((LONGEST, 2))
    for x in np.arange(-0.5, 6.0, 0.1):
        mark(grid, x, 0.4)
        mark(grid, x, -0.4)
    for y in np.arange(-0.4, 0.4, 0.1):
        mark(grid, -0.5, y)
    length, number = _searched.py_func(MARGIN_P, grid, make_search(), 0, 0.2, 0.0, -4.0, 0.0, path)
    assert length > 0
    assert number == 2  # the first one ended without a path
    found = path[:length]
    assert math.dist(found[0], (0.2, 0.0)) < 0.2
    assert math.dist(found[-1], (-4.0, 0.0)) < 0.2
    assert (np.linalg.norm(np.diff(found, axis=0), axis=1) < 0.2).all()
    assert found[:, 0].max() > 5.9
