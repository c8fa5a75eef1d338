"""Obstacles that move: found, told from what stands, remembered out of view."""

import math

import numpy as np
import pytest

from sbot.controllers.navigate.damping import Place
from sbot.controllers.navigate.map import make_grid
from sbot.controllers.navigate.moving import look_for_movers, make_movers
from sbot.controllers.navigate.parameters import Parameters, resolved

P = resolved(Parameters())
BEAMS = 181
ANGLES = np.linspace(-math.pi / 2, math.pi / 2, BEAMS)
FAN = np.array([np.cos(ANGLES), np.sin(ANGLES)])
NOBODY = np.array([[0.0, 0.0]])
DT = 0.1


def scan(discs, noise=0.0, rng=None):
    """Ranges to discs (x, y, radius), by geometry; inf beside them."""
    ranges = np.full(BEAMS, np.inf)
    for x, y, radius in discs:
        ahead = x * np.cos(ANGLES) + y * np.sin(ANGLES)
        aside2 = x * x + y * y - ahead * ahead
        hit = (ahead > 0) & (aside2 < radius * radius)
        ranges[hit] = np.minimum(ranges[hit], ahead[hit] - np.sqrt(radius * radius - aside2[hit]))
    if rng is not None:
        ranges += rng.normal(0.0, noise, BEAMS)
    return ranges.astype(np.float32)


def look(movers, discs, time, **more):
    look_for_movers(P, GRID, movers, scan(discs, **more), FAN, Place(0.0, 0.0, 1.0, 0.0), NOBODY,
                    0, time)


GRID = make_grid(-51.84, -51.84, P.cell_m)


def drive_by(velocity, seconds):
    movers, rng = make_movers(), np.random.default_rng(3)
    for k in range(round(seconds / DT)):
        look(movers, [(4.0 + velocity[0] * k * DT, velocity[1] * k * DT - 2.0, 0.4)],
             k * DT, noise=0.01, rng=rng)
    return movers


@pytest.mark.parametrize(('behind', 'until'), [
    (4.0, 33),  # readings of one end well before those of the other
    (3.4, 21)])  # they go on from one to the other
def test_a_disc_that_another_one_hides_in_part_is_followed(behind, until):
    movers, rng = make_movers(), np.random.default_rng(3)
    for k in range(until):
        front, back = (3.0, 0.5 * k * DT - 1.0, 0.4), (behind, 0.3 * k * DT + 0.1, 0.4)
        look(movers, [front, back], k * DT, noise=0.01, rng=rng)
        if k > 15:
            known = np.flatnonzero(movers.looks > 0)
            apart = np.hypot(*(movers.place[known] - back[:2]).T)
            assert movers.moves[known[apart.argmin()]]
            assert apart.min() < 0.2
    both, *alone = (np.count_nonzero(np.isfinite(scan(discs)))
                    for discs in ([front, back], [front], [back]))
    assert both < sum(alone)


def test_one_that_moves_slowly_is_told_from_one_that_stands():
    assert drive_by((0.0, 0.35), 2.5).moves.any()
    assert not drive_by((0.0, 0.0), 4.0).moves.any()
