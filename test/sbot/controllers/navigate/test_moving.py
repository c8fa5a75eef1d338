"""Obstacles that move: found, told from what stands, remembered out of view."""

import math

import numpy as np

from sbot.controllers.navigate.damping import Place
from sbot.controllers.navigate.map import make_grid, mark
from sbot.controllers.navigate.moving import (
    look_for_movers,
    make_movers,
)
from sbot.controllers.navigate.parameters import Parameters, resolved

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


def drive_by(velocity, seconds, noise=0.01, grid=None, start=(4.0, -2.0)):
    movers, rng = make_movers(), np.random.default_rng(3)
    for k in range(round(seconds / DT)):
        look(movers, [(start[0] + velocity[0] * k * DT, start[1] + velocity[1] * k * DT, 0.4)],
             k * DT, noise=noise, rng=rng, grid=grid)
    return movers


def test_one_that_moves_slowly_over_its_own_marks_is_a_mover_when_it_left_its_place():
    grid = make_grid(-51.84, -51.84, P.cell_m)
    for i, x in enumerate(np.arange(3.0, 5.0, P.cell_m)):
        for j, y in enumerate(np.arange(-3.0, 0.5, P.cell_m)):
            if (i + j) % 4:
                mark(grid, x, y)
    assert not drive_by((0.0, 0.35), 1.0, grid=grid).moves.any()
    assert drive_by((0.0, 0.35), 2.5, grid=grid).moves.any()
    assert not drive_by((0.0, 0.0), 4.0, grid=grid).moves.any()
