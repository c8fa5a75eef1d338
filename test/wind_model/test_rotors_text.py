"""Files of wind grids: what is written comes back, and paths that cannot be read."""

import numpy as np
import pytest

from sbot_common.errors import InputError
from wind_model.grid import WindGrid, make_grid
from wind_model.rotors_text import read_grid, write_grid


@pytest.mark.parametrize('path', ['.', 'nowhere.txt'])
def test_a_path_that_cannot_be_read(tmp_path, path):
    with pytest.raises(InputError, match=r'cannot read the wind field|got a folder'):
        read_grid(tmp_path / path)
    with pytest.raises(InputError, match='cannot write the wind field'):
        write_grid(tmp_path / path / 'x' / 'y', make_grid(0, 0, 2, 2, 1, 1, [0, 1], np.zeros(4),
                                                          np.ones(4), np.ones((3, 8))))


def test_written_grids_come_back_to_the_last_bit(tmp_path, random_grid):
    for seed in range(5):
        grid = random_grid(seed, n_x=7, n_y=2)
        path = tmp_path / 'written.txt'
        write_grid(path, grid)
        again = read_grid(path)
        assert isinstance(again, WindGrid)
        assert all(np.array_equal(a, b) for a, b in zip(grid, again, strict=True))
