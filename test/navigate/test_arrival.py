"""Whole runs in the arenas of benchmark/comparison: everybody arrives, nobody collides."""

from pathlib import Path

import pytest

from navigate.parameters import resolved
from sbot.runner.loop import run_scenario
from sbot.scenario.load import load_scenario

ARENAS = Path(__file__).resolve().parents[2] / 'benchmark' / 'comparison'


@pytest.mark.parametrize(('arena', 'wind', 'gust'), [
    ('wall', 0.05, 0.0), ('gap', 0.6, 60.0), ('around', 0.6, 60.0), ('trap', 0.3, 60.0),
    ('maze', 0.3, 0.0)])
def test_the_leader_arrives_and_the_followers_with_it(arena, wind, gust):
    scenario = load_scenario(str(ARENAS / f'{arena}.yaml'), {
        'robots.*.controller': 'navigate', 'wind.wind_direction': [0, 1, 0], 'seed': 4,
        'wind.wind_speed_mean': wind, 'wind.wind_gust_direction': [0, -1, 0],
        'wind.wind_gust_start': 4.0, 'wind.wind_gust_duration': 6.0,
        'wind.wind_gust_force_mean': gust})
    summary = run_scenario(scenario, keep=False).summary
    robots = summary['robots']
    assert summary['ended_by'] == 'goal_reached'
    assert sum(robot['collisions'] for robot in robots) == 0
    farthest = resolved(scenario.controllers['navigate']).far_distance_m + 2.0
    assert max(robot['final_leader_distance_m'] for robot in robots) < farthest


@pytest.mark.slow
def test_thirty_robots_cross():
    scenario = load_scenario(str(ARENAS / 'crowd.yaml'), {
        'robots.*.controller': 'navigate', 'seed': 2})
    summary = run_scenario(scenario, keep=False).summary
    assert summary['ended_by'] == 'goal_reached'
    assert sum(robot['collisions'] for robot in summary['robots']) == 0
