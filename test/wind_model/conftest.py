import numpy as np
import pytest

from wind_model.grid import WindGrid


def make_random_grid(seed, n_x=5, n_y=4, n_z=6):
    rng = np.random.default_rng(seed)
    factors = np.concatenate([[0.0], np.sort(rng.uniform(0.02, 0.98, n_z - 2)), [1.0]])
    bottom = rng.uniform(-2, 3, n_x * n_y)
    top = bottom + rng.uniform(2, 6, n_x * n_y)
    wind = rng.normal(scale=5, size=(3, n_x * n_y * n_z))
    low, step = rng.uniform(-10, 10, 2), rng.uniform(0.3, 3, 2)
    return WindGrid.make(low[0], low[1], n_x, n_y, step[0], step[1], factors, bottom, top, wind)


@pytest.fixture(scope='session')
def random_grid():
    """Return the function that makes random terrain-following grids."""
    return make_random_grid
