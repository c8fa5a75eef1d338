"""What a laser sees by its beams, and places that none has told of."""

import math

import numpy as np
import pytest

from sbot.controllers.navigate.damping import Place
from sbot.controllers.navigate.map import is_marked, make_grid, mark
from sbot.controllers.navigate.memory import make_memory
from sbot.controllers.navigate.parameters import NEUTRAL, Parameters, resolved
from sbot.controllers.navigate.view import notice_leaving, notice_near, seen_behind, sees_all_ahead

P = resolved(Parameters())
BEAMS = 91


def fan(half):
    angles = np.linspace(-half, half, BEAMS)
    return np.array([np.cos(angles), np.sin(angles)])


NARROW = fan(math.pi / 4)


def test_half_a_circle_sees_all_ahead_and_a_quarter_does_not():
    assert sees_all_ahead(fan(math.pi / 2))
    assert not sees_all_ahead(NARROW)


@pytest.mark.parametrize('beams', [5, 720])
@pytest.mark.parametrize('first', [0.0, -math.pi, 1.0])
@pytest.mark.parametrize('end', [0, 1])
def test_a_laser_all_around_sees_all_ahead_wherever_its_first_beam_is(beams, first, end):
    around = first + np.linspace(0.0, 2 * math.pi, beams, endpoint=bool(end))
    assert sees_all_ahead(np.array([np.cos(around), np.sin(around)]))
    half = first + np.linspace(0.0, math.pi, beams, endpoint=bool(end))
    if first != -math.pi:  # which begins behind and ends ahead
        assert not sees_all_ahead(np.array([np.cos(half), np.sin(half)]))


def test_a_robot_may_back_as_far_as_beams_have_told():
    grid, here = make_grid(-51.84, -51.84, P.cell_m), Place(0.0, 0.0, 1.0, 0.0)
    assert seen_behind(P, grid, here) == 0.0
    grid.evidence[:] = -1
    assert seen_behind(P, grid, here) > 2.0 * P.robot_radius_m
    grid.evidence[432, math.floor((51.84 - 0.6) / P.cell_m)] = 0
    assert 0.0 < seen_behind(P, grid, here) < 0.31


def a_grid(evidence):
    grid = make_grid(-51.84, -51.84, P.cell_m)
    grid.evidence[:] = evidence
    return grid


def facing(yaw):
    return Place(0.0, 0.0, math.cos(yaw), math.sin(yaw))


def cell_at(grid, x, y):
    return (math.floor((y - grid.origin_y) / grid.cell),
            math.floor((x - grid.origin_x) / grid.cell))


def test_what_comes_into_view_is_known_at_once():
    grid, memory = a_grid(0), make_memory(1, BEAMS)
    ranges = np.full(BEAMS, 0.5, np.float32)
    ranges[BEAMS // 2:] = np.inf
    assert notice_near(P, grid, memory, 0, facing(0.0), ranges, NARROW, 0.0)
    assert is_marked(grid, 0.5 * math.cos(0.5), -0.5 * math.sin(0.5))
    assert grid.evidence[cell_at(grid, 0.6, 0.2)] < 0  # a beam passes
    assert grid.evidence[cell_at(grid, 0.6, -0.3)] == 0  # hidden
    assert grid.evidence[cell_at(grid, 0.1, 0.5)] == 0  # out of view


@pytest.mark.parametrize(('dt', 'kept'), [(1 / 100, (0,)), (1 / 30, (0, 10)), (1.0, (0, 10, 45))])
def test_what_may_leave_the_view_is_remembered(dt, kept):
    grid, memory = a_grid(NEUTRAL), make_memory(1, BEAMS)
    ranges = np.full(BEAMS, np.inf, np.float32)
    ranges[[0, 10, 45]], ranges[90] = 0.6, 3.0  # one degree apart; the last one is not near
    assert notice_leaving(P, grid, memory, 0, facing(0.0), ranges, NARROW, 0.0, dt)
    x, y = 0.6 * NARROW
    assert tuple(i for i in (0, 10, 45) if is_marked(grid, x[i], y[i])) == kept
    assert not is_marked(grid, 5.0 * x[90], 5.0 * y[90])
    assert not notice_leaving(P, grid, memory, 0, facing(0.0), ranges, NARROW, 0.0, dt)


def test_a_beam_that_is_not_a_number_tells_of_no_obstacle_and_of_none_gone():
    grid, memory = a_grid(0), make_memory(1, BEAMS)
    mark(grid, 0.5, 0.0)
    row, column = cell_at(grid, 0.5, 0.0)
    before = grid.evidence[row, column]
    assert not notice_near(P, grid, memory, 0, facing(0.0), np.full(BEAMS, np.nan, np.float32),
                           NARROW, 0.0)
    assert grid.evidence[row, column] == before
    assert grid.evidence[cell_at(grid, 0.4, 0.2)] == NEUTRAL
