import numpy as np
import pytest

from wind_model.uniform import direction_of_angle, unit


@pytest.mark.parametrize('direction', [
    (3.0, 4.0, 0.0), (1e-200, 0.0, 0.0), (1e200, -1e200, 1e200), (5e-324, 0.0, 0.0)])
def test_directions_of_any_length_are_normalised(direction):
    result = unit(direction)
    assert abs(np.sqrt((result ** 2).sum()) - 1) < 1e-15
    assert (np.sign(result) == np.sign(direction)).all()


def test_an_argos_angle_is_where_the_wind_blows_to():
    assert direction_of_angle(0.0) == (1.0, 0.0, 0.0)
    assert np.allclose(direction_of_angle(90.0), (0, 1, 0), atol=1e-16)
    assert np.allclose(direction_of_angle(-90.0), (0, -1, 0), atol=1e-16)
