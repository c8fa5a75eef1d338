"""Objects near a robot: none is missed, in whichever cell it lies, and whatever their number."""

import numpy as np
import pytest
from infrared_scenes import assert_equals_every_beam

SIDE = 3.0  # m, of many cells


@pytest.mark.parametrize('robots', [2, 40, 300])
def test_robots_of_all_cells_see_what_is_near(robots):
    rng = np.random.default_rng(robots)
    lines = np.tile(rng.uniform(0.0, SIDE, (robots // 4, 2)), 2)
    lines[:, 2:] += rng.uniform(-0.1, 0.1, (robots // 4, 2))
    pose = rng.uniform((0.4, 0.4, -4.0), (SIDE - 0.4, SIDE - 0.4, 4.0), (robots, 3))
    pose[::5, :2] = np.round(pose[::5, :2], 1)  # also on the edges of cells
    found = assert_equals_every_beam(SIDE, lines, pose, rng.uniform(0.002, 0.06, robots))
    assert robots < 40 or np.isfinite(found).any()
    assert robots > 40 or np.isinf(found).all(axis=1).any()  # not near anything


@pytest.mark.parametrize('crowd', [31, 32, 33, 64])
def test_a_crowd_of_any_number_is_seen(crowd):
    """More objects than are looked at together are found in another way."""
    rng = np.random.default_rng(crowd)
    pose = np.column_stack([1.5 + rng.uniform(-0.05, 0.05, (crowd, 2)), np.zeros(crowd)])
    assert_equals_every_beam(SIDE, np.empty((0, 4)), pose, np.full(crowd, 0.003))
