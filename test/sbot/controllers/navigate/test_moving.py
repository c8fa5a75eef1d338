"""Obstacles that move: found, told from what stands, remembered out of view."""

import math

import numpy as np
import pytest

from sbot.controllers.navigate.damping import Place
from sbot.controllers.navigate.map import make_grid, mark
from sbot.controllers.navigate.moving import (
    _disc_seen,
    expected,
    is_mover,
    look_for_movers,
    make_movers,
    meet_movers,
)
from sbot.controllers.navigate.parameters import FORGET, MISSING, Parameters, resolved

P = resolved(Parameters())
BEAMS = 181
ANGLES = np.linspace(-math.pi / 2, math.pi / 2, BEAMS)
FAN = np.array([np.cos(ANGLES), np.sin(ANGLES)])
NOBODY = np.array([[0.0, 0.0]])
DT = 0.1


def scan(discs, at=(0.0, 0.0), yaw=0.0, noise=0.0, rng=None):
    """Ranges to discs (x, y, radius), by geometry; inf beside them."""
    ranges = np.full(BEAMS, np.inf)
    for x, y, radius in discs:
        dx, dy = x - at[0], y - at[1]
        ahead = dx * np.cos(ANGLES + yaw) + dy * np.sin(ANGLES + yaw)
        aside2 = dx * dx + dy * dy - ahead * ahead
        hit = (ahead > 0) & (aside2 < radius * radius)
        ranges[hit] = np.minimum(ranges[hit], ahead[hit] - np.sqrt(radius * radius - aside2[hit]))
    if rng is not None:
        ranges += rng.normal(0.0, noise, BEAMS)
    return ranges.astype(np.float32)


def look(movers, discs, time, at=(0.0, 0.0), yaw=0.0, grid=None, **more):
    look_for_movers(P, grid or GRID, movers, scan(discs, at, yaw, **more), FAN,
                    Place(*at, math.cos(yaw), math.sin(yaw)), NOBODY, 0, time)


GRID = make_grid(-51.84, -51.84, P.cell_m)


@pytest.mark.parametrize(('x', 'y', 'radius'), [(3.0, 1.0, 0.4), (1.2, -0.6, 0.25), (5, 0, 0.5)])
def test_a_disc_is_found_by_the_angle_that_it_fills(x, y, radius):
    ranges = scan([(x, y, radius)])
    hit = np.flatnonzero(np.isfinite(ranges))
    ahead, aside, distance, size = _disc_seen(ranges, FAN, hit[0], hit[-1])
    assert (ahead * (distance + size), aside * (distance + size)) == pytest.approx((x, y), abs=0.1)
    assert size == pytest.approx(radius, abs=0.1)


def drive_by(velocity, seconds, noise=0.01, grid=None, start=(4.0, -2.0)):
    movers, rng = make_movers(), np.random.default_rng(3)
    for k in range(round(seconds / DT)):
        look(movers, [(start[0] + velocity[0] * k * DT, start[1] + velocity[1] * k * DT, 0.4)],
             k * DT, noise=noise, rng=rng, grid=grid)
    return movers


@pytest.mark.parametrize('velocity', [(0.0, 0.8), (-0.5, 0.5), (0.3, 0.0)])
def test_the_velocity_of_what_moves_is_found(velocity):
    movers = drive_by(velocity, 2.0)
    found = np.flatnonzero(movers.moves & (movers.looks > 0))
    assert len(found) == 1
    assert movers.velocity[found[0]] == pytest.approx(velocity, abs=0.15)
    near = np.zeros((16, 8))
    assert meet_movers(P, movers, 0.0, 0.0, 2.0, near, 0) == 1
    assert near[0, :4] == pytest.approx([*expected(movers, found[0], 2.0), *movers.velocity[
        found[0]]])
    assert near[0, 7] == 1.0


def test_what_stands_is_no_mover():
    assert not drive_by((0.0, 0.0), 4.0, noise=0.03).moves.any()


def test_what_is_where_obstacles_are_known_is_no_mover():
    grid = make_grid(-51.84, -51.84, P.cell_m)
    for x in np.arange(3.0, 5.0, P.cell_m / 2):
        for y in np.arange(-3.0, 0.5, P.cell_m / 2):
            mark(grid, x, y)
    assert drive_by((0.0, 0.8), 2.0).moves.any()
    assert not drive_by((0.0, 0.8), 2.0, grid=grid).moves.any()


def test_one_that_leaves_the_view_is_remembered_for_a_while():
    movers = drive_by((-1.6, 0.8), 2.0, start=(3.4, -2.4))
    assert movers.moves.any()
    k = int(np.flatnonzero(movers.moves)[0])
    for since, there in ((1.0, True), (FORGET + 0.2, False)):  # it is behind by then
        look(movers, [], 1.9 + since)
        x, y = 0.2 - 1.6 * (since - 0.1), -0.8 + 0.8 * (since - 0.1)
        assert is_mover(P, movers, x, y, 1.9 + since) == there
    assert movers.looks[k] == 0


def test_one_that_should_be_in_front_and_is_not_is_forgotten_soon():
    movers = drive_by((0.0, 0.5), 2.0, start=(4.0, -0.5))
    assert movers.moves.any()
    look(movers, [], 2.0 + MISSING)
    assert not (movers.looks > 0).any()


def test_a_robot_is_no_mover():
    movers = make_movers()
    for k in range(20):
        x, y = 3.0, -1.0 + 0.08 * k
        look_for_movers(P, GRID, movers, scan([(x, y, 0.3)]), FAN, Place(0.0, 0.0, 1.0, 0.0),
                        np.array([[0.0, 0.0], [x, y]]), 0, k * DT)
    assert not (movers.looks > 0).any()


def test_one_at_the_edge_of_the_view_is_followed():
    movers = drive_by((0.0, 0.8), 1.5, start=(0.6, 0.2))
    k = int(np.flatnonzero(movers.moves)[0])
    for step in range(15, 22):  # to where a third of it is behind, in (0, 1.9)
        x, y = 0.6 - 0.08 * (step - 14), 1.32 + 0.08 * (step - 14)
        look(movers, [(x, y, 0.4)], step * DT)
    assert movers.seen[k] == pytest.approx(21 * DT)
    assert movers.place[k] == pytest.approx((x, y), abs=0.1)


def leave(robot=None, wall=None, stops=math.inf, seconds=3.9):
    """Movers after a disc of 0.4 m drove out of the view at 0.8 m/s, to the left of the robot.

    A robot of 0.3 m at ``robot`` (m); a wall along x at y = ``wall`` [0] (m) that ends at x =
    ``wall`` [1]; ``stops`` is the time (s) at which the disc does.
    """
    movers = make_movers()
    for k in range(round(seconds / DT)):
        time = k * DT
        ranges = scan([(2.2 - 0.8 * min(time, stops), 1.0, 0.4)])
        robots = NOBODY
        if robot is not None and time > 3.0:
            robots = np.array([[0.0, 0.0], robot])
            ranges = np.minimum(ranges, scan([(*robot, 0.3)]))
        if wall is not None and time > 3.0:
            aside = np.maximum(FAN[1], 1e-9)
            hit = (FAN[1] > 1e-9) & (wall[0] * FAN[0] / aside <= wall[1])
            ranges[hit] = np.minimum(ranges, wall[0] / aside)[hit]
        look_for_movers(P, GRID, movers, ranges, FAN, Place(0.0, 0.0, 1.0, 0.0), robots, 0, time)
    return movers


def going_on(movers):
    """Whether the one mover is where it should be 3.8 s after it was at (2.2, 1)."""
    found = np.flatnonzero(movers.moves & (movers.looks > 0))
    return (len(found) == 1
            and expected(movers, found[0], 3.8) == pytest.approx((-0.84, 1.0), abs=0.1)
            and movers.velocity[found[0]] == pytest.approx((-0.8, 0.0), abs=0.1))


def test_one_that_leaves_over_the_edge_of_the_view_goes_on():
    assert going_on(leave())


def test_one_that_stops_at_the_edge_of_the_view_is_no_mover():
    moving, at_rest = leave(stops=2.9, seconds=3.3), leave(stops=2.9, seconds=8.0)
    assert (moving.moves & (moving.looks > 0)).any()
    assert not (at_rest.moves & (at_rest.looks > 0)).any()


def test_a_robot_at_the_edge_of_the_view_is_not_taken_for_one_that_left():
    assert going_on(leave(robot=(0.1, 1.0)))


@pytest.mark.parametrize('wall', [(1.5, 0.2), (1.6, 0.5), (1.3, 1.0), (1.7, 0.2)])
def test_a_wall_at_the_edge_of_the_view_is_not_taken_for_one_that_left(wall):
    assert going_on(leave(wall=wall))


def test_what_is_known_at_the_edge_of_the_view_is_not_taken_for_one_that_left():
    grid = make_grid(-51.84, -51.84, P.cell_m)
    movers = leave(seconds=2.7)
    k = int(np.flatnonzero(movers.moves)[0])
    for x in np.arange(-0.6, 0.6, P.cell_m / 2):
        for y in np.arange(0.5, 1.5, P.cell_m / 2):
            mark(grid, x, y)
    look(movers, [(0.1, 1.0, 0.4)], 2.7, grid=grid)
    assert movers.seen[k] == pytest.approx(2.6)


def test_one_that_turns_round_is_soon_known_to_come_back():
    movers = drive_by((0.0, 0.8), 2.0, start=(3.0, -1.0))
    k, top = int(np.flatnonzero(movers.moves)[0]), -1.0 + 0.8 * 1.9
    for step in range(1, 4):
        look(movers, [(3.0, top - 0.08 * step, 0.4)], 1.9 + step * DT)
    assert movers.velocity[k, 1] < -0.5


def test_one_that_moves_slowly_over_its_own_marks_is_a_mover_when_it_left_its_place():
    grid = make_grid(-51.84, -51.84, P.cell_m)
    for i, x in enumerate(np.arange(3.0, 5.0, P.cell_m)):
        for j, y in enumerate(np.arange(-3.0, 0.5, P.cell_m)):
            if (i + j) % 4:
                mark(grid, x, y)
    assert not drive_by((0.0, 0.35), 1.0, grid=grid).moves.any()
    assert drive_by((0.0, 0.35), 2.5, grid=grid).moves.any()
    assert not drive_by((0.0, 0.0), 4.0, grid=grid).moves.any()
