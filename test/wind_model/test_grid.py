"""Wind grids: what a grid must be, and where its points are."""

import numpy as np
import pytest
from scipy.interpolate import interp1d

from sbot_common.errors import InputError
from wind_model.grid import WindGrid, sample, velocity_at

GOOD = {'min_x': 1.0, 'min_y': -1.0, 'n_x': 2, 'n_y': 3, 'res_x': 0.5, 'res_y': 2.0,
        'vertical_spacing_factors': [0.0, 0.25, 1.0], 'bottom_z': np.arange(6.0),
        'top_z': np.arange(6.0) + 4.0, 'wind': [np.arange(18.0)] * 3}


def test_layers_follow_the_terrain():
    lattice = WindGrid.make(**GOOD).lattice()
    assert lattice.x.tolist() == [1.0, 1.5]
    assert lattice.y.tolist() == [-1.0, 1.0, 3.0]
    assert lattice.z[:, 2, 1].tolist() == [5.0, 6.0, 9.0]
    assert lattice.u[1, 2, 0] == 10.0  # x counts first, then y, then z


def test_layers_that_rounding_makes_equal_are_refused():
    grid = WindGrid.make(**{**GOOD, 'bottom_z': np.full(6, 1e9), 'top_z': np.full(6, 1e9 + 1.0),
                            'vertical_spacing_factors': [0.0, 1e-9, 1.0]})
    with pytest.raises(InputError, match='two layers of a column'):
        grid.lattice()


OUTSIDE = np.array([1.25, -2.5, 0.5])


def oracle(grid, point):
    """SciPy in each column, then along x, then along y; the factors' own formula for inside."""
    x, y, z = point
    xs = grid.min_x + np.arange(grid.n_x) * grid.res_x
    ys = grid.min_y + np.arange(grid.n_y) * grid.res_y
    if not (xs[0] <= x <= xs[-1] and ys[0] <= y <= ys[-1]):
        return OUTSIDE
    i = min(int(np.searchsorted(xs, x, side='right')) - 1, grid.n_x - 2)
    j = min(int(np.searchsorted(ys, y, side='right')) - 1, grid.n_y - 2)
    bottom, top = grid.bottom_z[j:j + 2, i:i + 2], grid.top_z[j:j + 2, i:i + 2]
    factor = (z - bottom) / (top - bottom)
    if factor.max() < 0 or factor.min() > 1:
        return OUTSIDE
    result = []
    for values in (grid.u, grid.v, grid.w):
        corners = np.empty((2, 2))
        for b in range(2):
            for a in range(2):
                heights = bottom[b, a] + grid.vertical_spacing_factors * (top[b, a] - bottom[b, a])
                line = interp1d(heights, values[:, j + b, i + a], fill_value='extrapolate')
                corners[b, a] = line(z)
        result.append(float(interp1d(ys[j:j + 2], interp1d(xs[i:i + 2], corners, axis=1)(x))(y)))
    return np.array(result)


def check(grid, points):
    field = grid.lattice()
    scale = max(np.abs(a).max() for a in (grid.u, grid.v, grid.w))
    got = velocity_at(field, points, OUTSIDE)
    for point, value in zip(points, got, strict=True):
        expected = oracle(grid, point)
        # An extrapolating column may exceed the field's own values.
        size = max(scale, np.abs(expected).max())
        assert np.abs(value - expected).max() <= 1e-12 * size, (point, value, expected)
    return got


def spread(grid, rng, count, margin):
    x = grid.min_x + rng.uniform(-margin, grid.n_x - 1 + margin, count) * grid.res_x
    y = grid.min_y + rng.uniform(-margin, grid.n_y - 1 + margin, count) * grid.res_y
    return np.column_stack([x, y, rng.uniform(-4, 11, count)])


@pytest.mark.parametrize('seed', range(8))
def test_equals_scipy_anywhere(seed, random_grid):
    grid = random_grid(seed)
    got = check(grid, spread(grid, np.random.default_rng(seed + 100), 150, 0.3))
    assert 20 < (got != OUTSIDE).any(axis=1).sum() < 150


def test_equals_scipy_on_faces_edges_and_corners(random_grid):
    grid = random_grid(11)
    field = grid.lattice()
    rng = np.random.default_rng(3)
    points = []
    for x in (*field.x, field.x[0] + 0.4 * grid.res_x):
        for y in (*field.y, field.y[0] + 0.7 * grid.res_y):
            points.extend([x, y, z] for z in rng.uniform(-1, 6, 5))
    assert (check(grid, np.array(points)) != OUTSIDE).any(axis=1).mean() > 0.5


def test_the_edge_is_inside_and_one_ulp_beyond_is_outside():
    ones = np.ones(4 * 3 * 3)
    grid = WindGrid.make(-0.3, 0.7, 4, 3, 0.1, 0.7, [0, 0.3, 1], np.full(12, 0.1),
                         np.full(12, 2.3), (ones, ones, ones))
    field = grid.lattice()
    edges = np.array([[field.x[0], 1, 1], [field.x[-1], 1, 1], [0, field.y[0], 1],
                      [0, field.y[-1], 1], [0, 1, 0.1], [0, 1, 2.3]])
    beyond = edges.copy()
    for row, axis, way in ((0, 0, -1), (1, 0, 1), (2, 1, -1), (3, 1, 1), (4, 2, -1), (5, 2, 1)):
        beyond[row, axis] = np.nextafter(beyond[row, axis], way * np.inf)
    assert np.abs(velocity_at(field, edges, OUTSIDE) - 1).max() < 1e-15
    assert (velocity_at(field, beyond, OUTSIDE) == OUTSIDE).all()


def test_a_column_that_does_not_reach_the_height_extrapolates():
    # Bottoms 0 and 10: at z = 5 the right columns lie above the point.
    grid = WindGrid.make(0, 0, 2, 2, 1, 1, [0, 0.5, 1], [0, 10, 0, 10], [10, 20, 10, 20],
                         (np.repeat([0.0, 1.0, 2.0], 4), np.zeros(12), np.zeros(12)))
    field = grid.lattice()
    got = velocity_at(field, np.array([[0.25, 0.5, 5.0]]), OUTSIDE)
    assert got[0].tolist() == [0.75 * 1 + 0.25 * -1, 0, 0]
    high = velocity_at(field, np.array([[0.25, 0.5, 20.0], [0.25, 0.5, 20.1]]), OUTSIDE)
    assert high[0, 0] == 0.75 * 4 + 0.25 * 2
    assert (high[1] == OUTSIDE).all()


def test_what_is_not_a_number_is_outside(random_grid):
    field = random_grid(0).lattice()
    points = np.full((3, 3), 0.5)
    points[[0, 1, 2], [0, 1, 2]] = np.nan
    assert (velocity_at(field, points, OUTSIDE) == OUTSIDE).all()


def test_without_a_field_the_wind_is_the_same_everywhere(random_grid):
    points = np.arange(12.0).reshape(4, 3)
    assert (sample(None, points, OUTSIDE) == OUTSIDE).all()
    field = random_grid(1).lattice()
    assert np.array_equal(sample(field, points, OUTSIDE), velocity_at(field, points, OUTSIDE))
