"""Beams of a ring: the bits of every beam against every object."""

import numpy as np
import pytest
from infrared_scenes import assert_equals_every_beam


@pytest.mark.parametrize(('robots', 'segments'), [(3, 0), (0, 2), (3, 4), (80, 4), (3, 80)])
def test_distances_equal_those_of_every_beam_against_every_object(robots, segments):
    rng = np.random.default_rng(robots + segments)
    for _ in range(20):
        lines = 0.5 + rng.uniform(-0.25, 0.25, (segments, 4))
        pose = np.column_stack([0.5 + rng.uniform(-0.2, 0.2, (robots + 1, 2)),
                                rng.uniform(-4.0, 4.0, robots + 1)])
        assert_equals_every_beam(1.0, lines, pose, rng.uniform(0.002, 0.03, robots + 1))
