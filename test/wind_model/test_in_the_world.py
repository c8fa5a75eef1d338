"""The wind as robots feel it: whole in-process runs, and a bag in place of the node."""

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sbot.runner.loop import run_scenario
from sbot.scenario.load import parse_scenario
from sbot_common.params import updated
from wind_model.grid import velocity_at
from wind_model.parameters import WakeParameters
from wind_model.rotors_text import read_grid
from wind_model.wake import _reduction

WIND_FILES = Path(__file__).parents[2] / 'config' / 'wind'

HEAD = """
rate: 10
sensors: {scan_beams: 1, range_and_bearing: true, rab_range: 0.8}
world: {bounds: [-5, -5, 5, 5]}
"""


def run(text, **overrides):
    return run_scenario(parse_scenario(HEAD + text, 'test', Path(), overrides={
        name.replace('__', '.'): value for name, value in overrides.items()}))


SHELTER = """
duration: 2.0
wind: {wind_speed_mean: 0.15, wake: true}
robots:
  # The blocker drives against the wind at its speed, and so stays.
  - {body: e-puck2, pose: [0, 0, 3.141592653589793], parameters: {velocity: 0.15},
     controller: 'wind_model.wind_aware:AirResistance'}
  - {body: e-puck2, pose: [0.085, 0.01, 1.0], controller: none}
"""


@pytest.mark.parametrize('fade', ['ramp_in', 'fade_out'])
def test_a_sheltered_follower_drifts_by_what_is_left_of_the_wind(fade):
    both = run(SHELTER, wind__wake_fade=fade)
    alone = run(SHELTER.replace('[0, 0, 3.14', '[0, 3, 3.14'))
    dt, radius = 0.1, 0.035
    parameters = updated(WakeParameters(wake=True), {'wake_fade': fade})
    x = both.poses[:, :, 0]
    assert x[1, 1] == x[0, 1]  # nothing was summed before tick 0
    for k in range(len(x) - 2):
        along, lateral = x[k, 1] - x[k, 0], 0.01
        r = min(1.0, 2 * _reduction(parameters, along, lateral, radius))
        assert abs(x[k + 2, 1] - x[k + 1, 1] - (1 - r) * 0.15 * dt) < 1e-12
        assert abs(alone.poses[k + 2, 1, 0] - alone.poses[k + 1, 1, 0] - 0.15 * dt) < 1e-12
    assert x[-1, 1] - x[0, 1] < 0.9 * (alone.poses[-1, 1, 0] - 0.085)


GUST = """
duration: 3.0
wind: {wind_gust_force_mean: 3.0, wind_gust_start: 1.05, wind_gust_duration: 0.5,
       wind_gust_direction: [0, -2, 0]}
robots: [{body: s-bot, pose: [0, 0, 0.3], controller: none}]
"""


def test_a_gust_moves_a_free_robot_by_force_over_mass_times_dt_squared_each_tick():
    y = run(GUST).poses[:, 0, 1]
    steps = np.diff(y)
    # Stamps 1.1 to 1.5 s are ticks 10 to 14; each moves the robot in the tick after it.
    moved = np.flatnonzero(steps)
    assert moved.tolist() == [11, 12, 13, 14, 15]
    assert y[-1] == pytest.approx(-5 * 3.0 / 0.7 * 0.1 ** 2, rel=1e-12)
    assert np.allclose(steps[moved], -3.0 / 0.7 * 0.01, rtol=1e-12)


FIELD = f"""
duration: 4.0
world: {{bounds: [10, 2, 30, 22]}}
wind: {{use_custom_static_wind_field: true, custom_wind_field_path: {WIND_FILES}/vortex.txt,
       wind_height: 1.0}}
robots: [{{pose: [24.3, 12.2, 0.3], controller: none}}]
"""


def test_a_robot_in_a_field_follows_its_wind():
    xy = run_scenario(parse_scenario(HEAD.replace('world: {bounds: [-5, -5, 5, 5]}', '') + FIELD,
                                     'test', Path())).poses[:, 0, :2]
    field = read_grid(WIND_FILES / 'vortex.txt').lattice()
    for k in range(len(xy) - 2):
        wind = velocity_at(field, np.array([[*xy[k], 1.0]]), np.zeros(3))[0, :2]
        assert np.abs(xy[k + 2] - xy[k + 1] - wind * 0.1).max() < 1e-12
    assert math.hypot(*(xy[-1] - xy[0])) > 0.5


@pytest.mark.ros
def test_the_simulator_takes_the_wind_from_its_topics(tmp_path, monkeypatch):
    pytest.importorskip('rclpy')
    from sbot.ros import executables, up

    text = (HEAD.replace('world: {bounds: [-5, -5, 5, 5]}', '') + FIELD.replace(
        'wind_height: 1.0', 'wind_height: 1.0, wind_gust_force_mean: 30.0, wind_gust_start: 0.5, '
        'wind_gust_duration: 0.4').replace('4.0', '1.0'))
    scenario = parse_scenario(text, 'test', Path())
    expected = run_scenario(scenario, record=tmp_path / 'bag').summary['trajectory_sha256']
    monkeypatch.setenv('WIND_BAG', str(tmp_path / 'bag'))
    monkeypatch.setenv('PYTHONPATH', str(Path(__file__).parent))
    monkeypatch.setitem(executables.MODULES, 'wind_model', 'bag_wind')
    # No wind in the scenario of the nodes: all of it comes from the bag.
    calm = scenario.wind.flow._replace(use_custom_static_wind_field=False,
                                       custom_wind_field_path='', wind_gust_force_mean=0.0)
    still = replace(scenario, wind=scenario.wind._replace(flow=calm))
    assert run_scenario(still).summary['trajectory_sha256'] != expected
    assert up.run_up(still)['trajectory_sha256'] == expected
