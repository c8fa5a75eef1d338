"""Robots of a scenario: ids as in the file, groups around robots with a pose."""

import numpy as np

from sbot.scenario.load import parse_scenario, placement_of

TEXT = """
seed: 3
world: {bounds: [0, 0, 6, 6]}
robots:
  - {count: 4, layout: grid, area: [0, 0, 6, 3], controller: none}
  - {pose: [3, 4.5, 0], controller: none}
  - {count: 2, controller: none}
"""


def test_ids_are_in_the_order_of_the_file_and_groups_leave_room(tmp_path):
    scenario = parse_scenario(TEXT, 'x.yaml', tmp_path)
    poses = np.array([robot.pose for robot in scenario.robots])
    assert poses.shape == (7, 3)
    assert poses[4].tolist() == [3.0, 4.5, 0.0]
    assert poses[:4, 1].max() < 3.0
    gaps = np.hypot(*(poses[:, np.newaxis, :2] - poses[np.newaxis, :, :2]).transpose(2, 0, 1))
    assert gaps[np.triu_indices(7, 1)].min() > 0.6


def test_a_placement_gives_what_loading_with_that_seed_gives(tmp_path):
    placed = placement_of(parse_scenario(TEXT, 'x.yaml', tmp_path))
    for seed in (3, 8):
        again = parse_scenario(TEXT, 'x.yaml', tmp_path, overrides={'seed': seed})
        np.testing.assert_array_equal(placed(seed), [robot.pose for robot in again.robots])
