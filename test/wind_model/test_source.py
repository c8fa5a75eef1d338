import numpy as np
import pytest

from sbot_common.errors import InputError
from wind_model.generate import generate
from wind_model.gust import WindSource, load_field, still_air
from wind_model.parameters import WindParameters
from wind_model.rotors_text import write_grid


def test_a_file_that_is_not_used_is_not_read():
    assert load_field(WindParameters(custom_wind_field_path='/nowhere')) is None


def test_the_field_is_that_of_the_file(tmp_path):
    grid = generate('vortex')
    write_grid(tmp_path / 'field.txt', grid)
    found = load_field(WindParameters(use_custom_static_wind_field=True,
                                      custom_wind_field_path=str(tmp_path / 'field.txt')))
    assert all(np.array_equal(a, b) for a, b in zip(found, grid.lattice(), strict=True))


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(InputError, match=r'missing\.txt'):
        load_field(WindParameters(use_custom_static_wind_field=True,
                                  custom_wind_field_path=str(tmp_path / 'missing.txt')))


def test_the_wind_has_the_sources_field():
    field = object()
    assert WindSource(WindParameters(), field).at(0).field is field
    assert still_air().field is None
    assert not np.concatenate([still_air().velocity, still_air().force, still_air().gust]).any()
