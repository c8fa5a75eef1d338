"""What a laser sees by its beams, and places that none has told of."""

import math

import numpy as np
import pytest

from sbot.controllers.navigate.damping import Place
from sbot.controllers.navigate.map import make_grid
from sbot.controllers.navigate.parameters import Parameters, resolved
from sbot.controllers.navigate.view import seen_behind, sees_all_ahead

P = resolved(Parameters())


def fan(half):
    angles = np.linspace(-half, half, 91)
    return np.array([np.cos(angles), np.sin(angles)])


def test_half_a_circle_sees_all_ahead_and_a_quarter_does_not():
    assert sees_all_ahead(fan(math.pi / 2))
    assert not sees_all_ahead(fan(math.pi / 4))


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
