"""Many objects at a time: as many as there are, the bits are those of the slow ray caster."""

import math

import numpy as np
import pytest
from scan_scenes import assert_equals_oracle, outline


@pytest.mark.parametrize('angle_max', [math.pi / 2, math.pi, 5 * math.pi])
def test_more_objects_than_are_looked_at_together_equal_the_oracle(angle_max):
    rng = np.random.default_rng(5)
    segments = rng.uniform(0, 10, (150, 4))
    segments[:, 2:] = segments[:, :2] + rng.uniform(-0.5, 0.5, (150, 2))
    circles = np.column_stack([rng.uniform(0, 10, (70, 2)), rng.uniform(0.02, 0.1, 70)])
    pose = rng.uniform((0, 0, -4), (10, 10, 4), (90, 3))
    ranges = assert_equals_oracle(outline(10.0, segments, circles), pose, np.full(90, 0.1), {
        'scan_sees_robots': True, 'scan_angle_min': -math.pi, 'scan_angle_max': angle_max})
    assert 0.1 < (ranges > 0.0).mean() < 1.0
