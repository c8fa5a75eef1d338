"""Wind grids: what a grid must be, and where its points are."""

import numpy as np
import pytest

from sbot_common.errors import InputError
from wind_model.grid import make_grid, make_lattice

GOOD = {'min_x': 1.0, 'min_y': -1.0, 'n_x': 2, 'n_y': 3, 'res_x': 0.5, 'res_y': 2.0,
        'vertical_spacing_factors': [0.0, 0.25, 1.0], 'bottom_z': np.arange(6.0),
        'top_z': np.arange(6.0) + 4.0, 'wind': [np.arange(18.0)] * 3}


def test_layers_follow_the_terrain():
    lattice = make_lattice(make_grid(**GOOD))
    assert lattice.x.tolist() == [1.0, 1.5]
    assert lattice.y.tolist() == [-1.0, 1.0, 3.0]
    assert lattice.z[:, 2, 1].tolist() == [5.0, 6.0, 9.0]
    assert lattice.u[1, 2, 0] == 10.0  # x counts first, then y, then z


@pytest.mark.parametrize(('given', 'message'), [
    ({'n_x': 1}, 'n_x: expected a whole number >= 2'),
    ({'res_y': 0.0}, 'res_y: expected a number'),
    ({'min_x': np.nan}, 'min_x: expected a finite'), ({'min_x': 1e300}, 'neighbouring points'),
    ({'vertical_spacing_factors': [0.0, 0.5]}, 'expected values from 0 to 1'),
    ({'vertical_spacing_factors': [0.0, 0.6, 0.5, 1.0]}, 'expected increasing values, found 0.6'),
    ({'top_z': np.arange(6.0)}, r'top_z: expected more than bottom_z 0 at i=0 j=0'),
    ({'wind': [np.arange(17.0)] * 3}, 'u: expected 18 values, found 17'),
    ({'wind': [np.full(18, np.inf)] * 3}, 'u: expected finite numbers, found inf as value 1')])
def test_a_bad_grid_is_refused_by_field(given, message):
    with pytest.raises(InputError, match=f'here: .*{message}'):
        make_grid(**{**GOOD, **given}, where='here')


def test_layers_that_rounding_makes_equal_are_refused():
    grid = make_grid(**{**GOOD, 'bottom_z': np.full(6, 1e9), 'top_z': np.full(6, 1e9 + 1.0),
                        'vertical_spacing_factors': [0.0, 1e-9, 1.0]})
    with pytest.raises(InputError, match='two layers of a column'):
        make_lattice(grid)
