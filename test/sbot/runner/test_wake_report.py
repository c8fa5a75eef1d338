"""Wake report: the terms that the run used."""

from pathlib import Path

import pytest

from sbot.runner.loop import run_scenario
from sbot.runner.wake_report import wake_report
from sbot.scenario.load import parse_scenario
from sbot_common.errors import InputError

SHELTER = """
rate: 10
sensors: {scan_beams: 1, range_and_bearing: true, rab_range: 0.8}
world: {bounds: [-5, -5, 5, 5]}
duration: 2.0
wind: {wind_speed_mean: 0.15, wake: true}
robots:
  # The blocker drives against the wind at its speed, and so stays.
  - {body: e-puck2, pose: [0, 0, 3.141592653589793], parameters: {velocity: 0.15},
     controller: 'wind_model.wind_aware:AirResistance'}
  - {body: e-puck2, pose: [0.085, 0.01, 1.0], controller: none}
"""


def test_the_report_gives_the_terms_that_the_run_used():
    scenario = parse_scenario(SHELTER, 'test', Path(), overrides={'wind.gamma_boost': 1.0})
    result = run_scenario(scenario)
    report = wake_report(scenario, 0.5)
    robot = report['robots'][1]
    assert report['time_s'] == 0.5
    tick = 4
    term = robot['neighbours'][0]
    assert term['id'] == 0
    assert term['along'] == pytest.approx(result.poses[tick, 1, 0] - result.poses[tick, 0, 0])
    assert term['lateral'] == pytest.approx(0.01)
    assert 0 < term['r_i'] == robot['r'] < 1
    assert result.wind[tick, 1, 0] == pytest.approx((1 - robot['r']) * 0.15, rel=1e-12)
    assert report['robots'][0]['r'] == 0
    with pytest.raises(InputError, match='from 0 to the duration'):
        wake_report(scenario, 2.1)
