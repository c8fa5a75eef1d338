"""Margin in narrow gaps, of discs and of bodies with corners."""

import math

import pytest

from navigate.parameters import Parameters, resolved
from navigate.ways.grid import make_grid, mark
from navigate.ways.margin import margin_beside, margin_for_corners

P = resolved(Parameters())
R = P.robot_radius_m


def gap(width):
    """Return a grid with posts at both sides of (0, 0), a gap along x between them."""
    grid = make_grid(-51.84, -51.84, P.cell_m)
    for x in (-0.1, 0.0, 0.1):
        mark(grid, x, width / 2)
        mark(grid, x, -width / 2)
    return grid


def test_a_robot_in_a_gap_keeps_the_margin_that_the_gap_leaves():
    grid, least = gap(0.7), 0.03 * R
    assert margin_beside(P, grid, 0.0, 0.0, 5.0, 0.0) == pytest.approx(least)
    assert margin_beside(P, grid, 0.2, 0.0, 5.0, 0.0) == pytest.approx(least)  # not through yet
    assert margin_beside(P, grid, 0.4, 0.0, 5.0, 0.0) == P.margin_m
    assert margin_beside(P, grid, 0.0, 0.0, 0.0, 0.0) == P.margin_m  # it heads for nothing


def test_a_wall_on_one_side_is_no_gap():
    grid = make_grid(-51.84, -51.84, P.cell_m)
    for x in (-0.1, 0.0, 0.1):
        mark(grid, x, 0.35)
    assert margin_beside(P, grid, 0.0, 0.0, 5.0, 0.0) == P.margin_m


def test_corners_need_what_the_radius_does_not_hold():
    assert margin_for_corners(P, gap(0.84), 0.38, 0.0, 0.0, 5.0, 0.0) == pytest.approx(0.38 - R)
    assert margin_for_corners(P, gap(0.84), 0.9, 0.0, 0.0, 5.0, 0.0) == pytest.approx(
        0.42 - 1.03 * R)  # a long body: no more than the gap leaves
    empty = make_grid(-51.84, -51.84, P.cell_m)
    assert margin_for_corners(P, empty, 0.9, 0.0, 0.0, 5.0, 0.0) == P.margin_m


def test_a_gap_narrower_than_the_corners_asks_for_nothing_that_it_does_not_have():
    assert margin_for_corners(P, gap(0.7), 0.38, 0.0, 0.0, 5.0, 0.0) == pytest.approx(
        0.35 - 1.03 * R)
    assert margin_for_corners(P, gap(0.6), 0.38, 0.0, 0.0, 5.0, 0.0) < 0.0


def test_a_disc_needs_no_margin_for_corners():
    for corner in (0.0, R):
        assert margin_for_corners(P, gap(0.84), corner, 0.0, 0.0, 5.0, 0.0) == -math.inf
    assert margin_for_corners(P, gap(0.84), 0.38, 0.0, 0.0, 0.0, 0.0) == -math.inf  # heads nowhere
