"""The undisturbed wind at robots, from a recording, is that of the run."""

import numpy as np
import pytest

import sbot
from sbot.figures.data import from_result
from sbot.figures.recording import from_bag


@pytest.mark.parametrize('kind', ['none', 'place', 'robot'])
def test_a_recording_gives_the_runs_free_wind(tmp_path, kind):
    scenario = {
        'rate': 10, 'duration': 2, 'world': {'bounds': [1, 1, 20, 20]},
        'robots': [{'body': 'foot-bot', 'pose': [10 + 0.3 * i, 10, 1.0],
                    'controller': 'wind_aware'} for i in range(3)],
        'wind': {'wind_speed_mean': 0.1, 'use_custom_static_wind_field': True,
                 'custom_wind_field_path': 'wind/vortex.txt', 'forces_with_field': True,
                 'wind_force_mean': 1.0, 'wind_gust_speed_mean': 0.2, 'wind_gust_start': 0.5,
                 'wind_gust_duration': 1.0, 'turbulence': kind, 'wake': True}}
    run = sbot.run(scenario, record=tmp_path / 'bag')
    expected, found = from_result(run), from_bag(tmp_path / 'bag')
    assert np.abs(expected.free_wind).max() > 0.2
    assert found.free_wind == pytest.approx(expected.free_wind, abs=1e-9)
    assert found.wind == pytest.approx(expected.wind, abs=1e-9)
