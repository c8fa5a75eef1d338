"""Picture of a wind field: a PNG, also where nothing of the field is at that height."""

import numpy as np
import pytest

from sbot_common.errors import InputError
from wind_model.grid import make_grid, make_lattice
from wind_model.preview import _arrows, write_preview

FIELD = make_lattice(make_grid(0.0, 0.0, 3, 2, 1.0, 2.0, [0.0, 1.0], np.zeros(6), np.full(6, 4.0),
                               [np.arange(12.0)] * 3))


@pytest.mark.parametrize('height', [1.0, 99.0])
def test_it_is_a_png(tmp_path, height):
    write_preview(tmp_path / 'wind.png', FIELD, height)
    assert (tmp_path / 'wind.png').read_bytes().startswith(b'\x89PNG')
    with pytest.raises(InputError, match='cannot be written'):
        write_preview(tmp_path / 'no' / 'wind.png', FIELD, height)


def test_arrows_do_not_cross():
    x, y = np.array([0.0, 1.0, 2.0]), np.array([0.0, 2.0])
    arrows = _arrows(x, y, np.array([[[3.0, 4.0, 0.0]] * 3, [[0.0, 1.0, 9.0]] * 3]))
    assert np.hypot(*arrows[0, 0]) == pytest.approx(0.95)
    assert (_arrows(x, y, np.zeros((2, 3, 3))) == 0.0).all()
