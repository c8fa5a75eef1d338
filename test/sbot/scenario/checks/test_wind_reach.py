"""A wind field that is elsewhere warns; wind_height_above_terrain follows the ground."""

import numpy as np
import pytest

import sbot
from wind_model.generate import FieldParameters, generate
from wind_model.rotors_text import write_grid


@pytest.fixture
def field(tmp_path):
    """A hill 40 m long on ground at 412 m."""
    grid = generate('hill', **FieldParameters()._asdict())
    high = grid._replace(bottom_z=grid.bottom_z + 412, top_z=grid.top_z + 412)
    path = tmp_path / 'hill.txt'
    write_grid(path, high)
    return path, high


def run(path, bounds=(1, 1, 20, 20), **wind):
    return sbot.run({
        'rate': 10, 'duration': 0.5, 'world': {'bounds': list(bounds)},
        'robots': [{'pose': [10, 10, 0], 'controller': 'none'},
                   {'pose': [15, 12, 0], 'controller': 'none'}],
        'wind': {'wind_speed_mean': 0.25, 'use_custom_static_wind_field': True,
                 'custom_wind_field_path': str(path), **wind}})


def test_a_field_that_is_too_high_is_said_with_its_heights(field, caplog):
    result = run(field[0])
    assert result.wind[2, 0].tolist() == [0.25, 0.0]  # the default wind
    [message] = caplog.messages
    assert 'wind_height 0.5 m, 100 % of the world and the starts of 2 of 2 robots' in message
    assert 'its ground is at 412' in message
    assert 'wind_height_above_terrain' in message


def test_above_the_terrain_robots_feel_it(field, caplog):
    path, grid = field
    result = run(path, wind_height_above_terrain=1.0)
    assert caplog.messages == []
    for i in range(2):
        x, y = result.poses[0, i, :2]
        j, k = round((y - grid.min_y) / grid.res_y), round((x - grid.min_x) / grid.res_x)
        assert grid.min_x + k * grid.res_x == x  # on a column of the grid
        assert grid.min_y + j * grid.res_y == y
        heights = grid.vertical_spacing_factors * (grid.top_z[j, k] - grid.bottom_z[j, k])
        assert result.wind[0, i, 0] == pytest.approx(
            np.interp(1.0, heights, grid.u[:, j, k]), abs=1e-9)


def test_a_world_that_is_wider_than_its_field_is_said(field, caplog):
    run(field[0], (1, 1, 90, 20), wind_height_above_terrain=1.0)
    [message] = caplog.messages
    assert '% of the world and the starts of 0 of 2 robots' in message
    assert 'wind_height_above_terrain 1 m' in message
