"""The summary of a run, counted by hand."""

from pathlib import Path

import numpy as np
import pytest

from sbot.runner.summary import Tally
from sbot.scenario.assemble import initial_poses, simulation_parameters
from sbot.scenario.load import parse_scenario
from sbot_sim.engine.simulation import Engine

SCENARIO = """
name: two
rate: 10
duration: 1
world: {bounds: [-9, -9, 9, 9]}
robots: [{pose: [0, 0, 0], goal: [8, 8], controller: none}, {pose: [3, 4, 0], controller: none}]
"""


def test_distances_from_the_leader_are_the_greatest_and_the_last():
    scenario = parse_scenario(SCENARIO, 'two', Path.cwd())
    parameters = simulation_parameters(scenario)
    state = Engine(parameters, initial_poses(scenario), 0).state
    tally = Tally(scenario, parameters)
    rows = [((0.0, 0.0), (3.0, 4.0)), ((0.0, 0.0), (-6.0, 8.0)), ((1.0, 0.0), (1.0, 2.0))]
    for leader, follower in rows:
        tally.add(np.array([[*leader, 0.0], [*follower, 0.0]]), state)
    first, second = tally.summary(1.0)['robots']
    assert second['max_leader_distance_m'] == 10.0
    assert second['final_leader_distance_m'] == 2.0
    assert first['max_leader_distance_m'] == first['final_leader_distance_m'] == 0.0
    assert second['path_length_m'] == pytest.approx(np.hypot(9, 4) + np.hypot(7, 6))
    assert first['path_length_m'] == 1.0
