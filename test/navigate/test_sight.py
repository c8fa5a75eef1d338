"""What is hidden from a narrow laser limits where a robot drives."""

import math

import numpy as np
import pytest

from navigate.frame import Place
from navigate.memory import make_memory
from navigate.parameters import Parameters, resolved
from navigate.sight import limit_hidden
from navigate.ways.grid import make_grid, mark

P = resolved(Parameters())
HERE = Place(0.0, 0.0, 1.0, 0.0)  # faces east


def fan(half):
    angles = np.linspace(-half, half, 91)
    return np.array([np.cos(angles), np.sin(angles)])


def limits(grid, half, known):
    memory = make_memory(1, 91)
    count = limit_hidden(P, grid, memory, HERE, fan(half), P.margin_m, known, 0)
    return memory.limits[:count]


def a_grid(evidence):
    grid = make_grid(-51.84, -51.84, P.cell_m)
    grid.evidence[:] = evidence
    return grid


def test_an_obstacle_beside_a_narrow_view_is_kept_clear_of():
    grid = a_grid(-1)
    mark(grid, 0.1, 0.38)  # ahead, 75 degrees to the left
    (x, y, most), = limits(grid, math.pi / 4, True)
    assert math.atan2(y, x) == pytest.approx(math.atan2(0.38, 0.1), abs=1e-3)
    assert most == 0.0  # nearer than radius and margin: no approach, and no flight
    assert len(limits(grid, math.pi / 2, True)) == 0  # a wide laser sees it


def test_what_is_behind_or_in_view_is_left_to_others():
    grid = a_grid(-1)
    mark(grid, -0.1, 0.5)
    mark(grid, 0.6, 0.1)
    assert len(limits(grid, math.pi / 4, True)) == 0


def test_cells_that_no_beam_passed_limit_the_speed_and_seen_ones_do_not():
    unseen = limits(a_grid(0), math.pi / 4, False)
    assert len(unseen) > 5
    assert (unseen[:, 2] >= 0.0).all()
    assert (np.abs(np.arctan2(unseen[:, 1], unseen[:, 0])) > math.pi / 4).all()
    assert len(limits(a_grid(-1), math.pi / 4, False)) == 0
