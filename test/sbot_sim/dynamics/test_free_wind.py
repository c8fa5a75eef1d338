import numpy as np
import pytest

from sbot_sim.dynamics.free_wind import free_wind, wind_around
from wind_model.grid import make_grid, make_lattice
from wind_model.parameters import Height

OUTSIDE = np.array([0.3, -0.2, 0.1])
POSES = np.array([[0.5, 0.5, 0.0], [0.25, 1.0, 3.0], [9.0, 9.0, 0.0]])


def field_of(terrain):
    """1 m by 1 m, 2 m high over ground at ``terrain`` m: u is the height over ground, v is 2."""
    ground, shape = np.full((2, 2), terrain), (2, 2, 2)
    u = np.zeros(shape)
    u[1] = 2.0
    wind = u, np.full(shape, 2.0), np.full(shape, 0.5)
    return make_lattice(make_grid(0.0, 0.0, 2, 2, 1.0, 1.0, [0.0, 1.0], ground, ground + 2.0,
                                  wind))


def test_without_a_grid_everybody_has_the_wind_outside():
    assert wind_around(None, OUTSIDE, POSES, 1.0).tolist() == [OUTSIDE.tolist()] * 3
    found = free_wind(None, OUTSIDE, POSES, 1.0)
    assert found.tolist() == [[0.3, -0.2]] * 3
    assert found.flags.c_contiguous


@pytest.mark.parametrize(('height', 'u'), [(1.5, 0.5), (Height(1.5), 0.5),
                                           (Height(1.5, above_terrain=True), 1.5)])
def test_a_height_is_over_the_origin_or_over_the_ground(height, u):
    found = wind_around(field_of(1.0), OUTSIDE, POSES, height)
    assert found[:2] == pytest.approx(np.array([[u, 2.0, 0.5]] * 2))
    assert found[2].tolist() == OUTSIDE.tolist()  # beyond the grid
