"""A robot with a narrow view looks at what it is about to sweep and never saw."""

import math

import numpy as np
import pytest

from sbot.controllers.navigate.damping import Place
from sbot.controllers.navigate.looking import (
    _first_unseen,
    looking,
    notice_leaving,
    notice_near,
    sees_all_ahead,
)
from sbot.controllers.navigate.map import is_marked, make_grid, mark
from sbot.controllers.navigate.memory import NO_LOOK, make_memory
from sbot.controllers.navigate.parameters import LONGEST_LOOK, NEUTRAL, Parameters, resolved

P = resolved(Parameters())
BEAMS = 91
DT = 1 / 30


def fan(half):
    angles = np.linspace(-half, half, BEAMS)
    return np.array([np.cos(angles), np.sin(angles)])


NARROW = fan(math.pi / 4)


def a_grid(evidence):
    grid = make_grid(-51.84, -51.84, P.cell_m)
    grid.evidence[:] = evidence
    return grid


def facing(yaw):
    return Place(0.0, 0.0, math.cos(yaw), math.sin(yaw))


def cell_at(grid, x, y):
    return (math.floor((y - grid.origin_y) / grid.cell),
            math.floor((x - grid.origin_x) / grid.cell))


def room(grid, yaw=0.0):
    return _first_unseen(P, grid, make_memory(1, BEAMS), 0, facing(yaw), math.cos(math.pi / 4),
                         0.0)


def test_a_wide_laser_needs_no_looks():
    assert sees_all_ahead(fan(math.pi / 2))
    assert not sees_all_ahead(NARROW)
    told = looking(P, a_grid(0), make_memory(1, BEAMS), 0, facing(0.0), fan(math.pi / 2), NO_LOOK,
                   1.0, 0.5, 0.0, DT)
    assert told == (NO_LOOK, 1.0, 0.5)


@pytest.mark.parametrize('beams', [5, 720])
@pytest.mark.parametrize('first', [0.0, -math.pi, 1.0])
@pytest.mark.parametrize('end', [0, 1])
def test_a_laser_all_around_needs_no_looks_wherever_its_first_beam_is(beams, first, end):
    around = first + np.linspace(0.0, 2 * math.pi, beams, endpoint=bool(end))
    assert sees_all_ahead(np.array([np.cos(around), np.sin(around)]))
    half = first + np.linspace(0.0, math.pi, beams, endpoint=bool(end))
    if first != -math.pi:  # which begins behind and ends ahead
        assert not sees_all_ahead(np.array([np.cos(half), np.sin(half)]))


def test_only_cells_count_that_it_sweeps_out_of_view_and_never_saw():
    grid = a_grid(-1)
    assert room(grid)[0] == math.inf
    for x, y in ((0.6, 0.0), (-0.3, 0.3), (0.1, 0.6)):  # in view, behind it, aside
        grid.evidence[cell_at(grid, x, y)] = 0
    assert room(grid)[0] == math.inf
    grid.evidence[cell_at(grid, 0.2, 0.33)] = 0
    far, x, y = room(grid)
    assert far < 0.1
    assert (x, y) == pytest.approx((0.2, 0.33), abs=P.cell_m)
    mark(grid, 0.1, 0.16)  # in between
    assert room(grid)[0] == math.inf


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


def drive(grid, ranges, seconds, rate=30, beams=NARROW):
    """Turn as told at one place; return whether it ever drove, the yaws, and how many looks."""
    memory, look, yaw, drove, yaws = make_memory(1, BEAMS), NO_LOOK, 0.0, False, []
    looks, dt = 0, 1 / rate
    for tick in range(round(seconds * rate)):
        place, before = facing(yaw), look.since
        notice_near(P, grid, memory, 0, place, ranges, beams, tick * dt)
        look, v, omega = looking(P, grid, memory, 0, place, beams, look, 1.0, -8.0 * yaw,
                                 tick * dt, dt)
        looks += before == math.inf != look.since
        drove |= v > 0.0
        yaw += omega * dt
        yaws.append(yaw)
    return drove, np.array(yaws), looks


def test_a_look_ends_where_nothing_can_be_seen():
    # All beams end at once: no cell is ever told of.
    grid = a_grid(NEUTRAL)
    grid.evidence[cell_at(grid, 0.2, 0.33)] = 0
    drove, _, _ = drive(grid, np.full(BEAMS, 0.05, np.float32), 2.0 * LONGEST_LOOK)
    assert drove


@pytest.mark.parametrize('told', [np.inf, np.nan])
@pytest.mark.parametrize('rate', [10, 30, 100])
def test_one_look_to_each_side_is_enough_at_every_rate_and_where_a_beam_is_not_a_number(
        rate, told):
    drove, yaws, looks = drive(a_grid(0), np.full(BEAMS, told, np.float32), 4.0, rate)
    assert drove
    assert looks == 2
    assert abs(yaws[-1]) < 0.1


def test_a_beam_that_is_not_a_number_tells_of_no_obstacle_and_of_none_gone():
    grid, memory = a_grid(0), make_memory(1, BEAMS)
    mark(grid, 0.5, 0.0)
    row, column = cell_at(grid, 0.5, 0.0)
    before = grid.evidence[row, column]
    assert not notice_near(P, grid, memory, 0, facing(0.0), np.full(BEAMS, np.nan, np.float32),
                           NARROW, 0.0)
    assert grid.evidence[row, column] == before
    assert grid.evidence[cell_at(grid, 0.4, 0.2)] == NEUTRAL
