"""Fast ray caster: the same bits as the slow one in any scene, for any number of threads."""

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scan_scenes import assert_equals_oracle, cast, outline

from sbot_sim.sensors.scan import (
    ScanSettings,
    make_scan_parameters,
)
from sbot_sim.world.scene import make_scene

SHAPES = st.fixed_dictionaries({
    'scan_beams': st.sampled_from([1, 2, 3, 5, 64, 180, 361]),
    'scan_angle_min': st.sampled_from([-math.pi / 2, -math.pi, 0.0, 2.0, math.pi, 3 * math.pi]),
    'scan_angle_max': st.sampled_from([math.pi / 2, math.pi, 0.5, -2.0, -math.pi, 5 * math.pi]),
    'scan_range_min': st.sampled_from([0.0, 0.4]),
    'scan_range_max': st.sampled_from([0.5, 3.0, 8.0, 100.0]),
    'scan_sees_robots': st.booleans(),
    'laser_x': st.sampled_from([0.0, 0.3]),
    'laser_y': st.sampled_from([0.0, -0.1]),
    'laser_yaw': st.sampled_from([0.0, 0.5, math.pi]),
})


@given(SHAPES, st.integers(0, 10**6), st.integers(0, 30))
@settings(max_examples=150, deadline=None)
def test_random_scenes_equal_the_oracle(given, seed, robots):
    rng = np.random.default_rng(seed)
    segments = rng.uniform(0, 10, (12, 4))
    segments[:6, 2:] = segments[:6, :2] + rng.uniform(-1, 1, (6, 2))
    circles = np.column_stack([rng.uniform(0, 10, (6, 2)), rng.uniform(0.05, 0.8, 6)])
    pose = rng.uniform((-1, -1, -10), (11, 11, 10), (robots, 3))  # outside of the bounds as well
    assert_equals_oracle(outline(10.0, segments, circles), pose, rng.uniform(0.05, 0.5, robots),
                         given)


@given(SHAPES, st.integers(0, 10**6))
@settings(max_examples=150, deadline=None)
def test_degenerate_scenes_equal_the_oracle(given, seed):
    # On a lattice beams run along walls, through corners and tangent to circles, and sensors stand
    # on walls.
    rng = np.random.default_rng(seed)
    segments = rng.integers(0, 9, (10, 4)) / 2
    circles = np.column_stack([rng.integers(0, 9, (3, 2)) / 2, rng.integers(1, 3, 3) / 2])
    robots = 12
    pose = np.column_stack([rng.integers(0, 9, (robots, 2)) / 2,
                            rng.integers(-8, 9, robots) * math.pi / 4])
    nudge = rng.choice([0.0, 1e-16, 5e-10, 1e-9, 2e-9, 1e-7], robots)
    pose[:, 0] += nudge
    assert_equals_oracle(outline(4.0, segments, circles), pose, np.full(robots, 0.25), given)


def test_a_crowd_equals_the_oracle():
    rng = np.random.default_rng(4)
    pose = rng.uniform((0, 0, -4), (40, 40, 4), (300, 3))
    segments = rng.uniform(0, 40, (40, 4))
    ranges = assert_equals_oracle(outline(40.0, segments), pose, np.full(300, 0.3),
                                  {'scan_sees_robots': True})
    assert 0.5 < np.isfinite(ranges).mean() < 1.0


def test_no_bit_depends_on_threads_or_on_the_order_of_robots():
    rng = np.random.default_rng(8)
    n = 700
    pose = rng.uniform((0, 0, -4), (80, 80, 4), (n, 3))
    radius = rng.uniform(0.1, 0.4, n)
    parameters = make_scan_parameters(ScanSettings(scan_sees_robots=True, laser_x=0.1))
    scene = make_scene(outline(80.0, rng.uniform(0, 80, (60, 4))), parameters.range_max)
    one = cast(scene, pose, radius, parameters)
    for threads in (2, 3):
        np.testing.assert_array_equal(cast(scene, pose, radius, parameters, threads), one)
    order = rng.permutation(n)
    np.testing.assert_array_equal(cast(scene, pose[order], radius[order], parameters),
                                  one[order])
