"""Fast ray caster: the same bits as the slow one in any scene, for any number of threads."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scan_scenes import assert_equals_oracle, cast, outline, parameters_of

from sbot_sim.sensors.laser import ScanSettings, _add_scan_noise


def test_known_ranges():
    world = outline(10.0, circles=[[5, 8, 1]])
    pose = np.array([[5.0, 5, 0], [5, 1, 0]])
    given = {'scan_beams': 3, 'scan_sees_robots': True}
    ranges = assert_equals_oracle(world, pose, np.full(2, 0.5), given)
    # Right, ahead, left; pi/2 as a float32 is 4e-8 too large, which a wall hardly shows.
    np.testing.assert_allclose(ranges, [[3.5, 5, 2], [1, 5, 3.5]], atol=1e-6)
    hidden = assert_equals_oracle(world, pose, np.full(2, 0.5), {**given, 'scan_range_max': 3.0,
                                                                 'scan_range_min': 1.5})
    np.testing.assert_array_equal(hidden[:, :2], [[math.inf, math.inf], [-math.inf, math.inf]])


def test_exactly_range_max_is_a_hit():
    ranges = assert_equals_oracle(outline(8.0), np.array([[4.0, 4, 0]]), np.ones(1),
                                  {'scan_beams': 1, 'scan_angle_min': 0.0, 'scan_range_max': 4.0})
    assert ranges[0, 0] == 4.0


def test_the_laser_is_mounted_off_centre():
    ranges = assert_equals_oracle(outline(10.0), np.array([[5.0, 5, math.pi / 2]]), np.ones(1), {
        'scan_beams': 1, 'scan_angle_min': 0.0, 'laser_x': 1.0, 'laser_y': 2.0,
        'laser_yaw': math.pi / 2})
    assert ranges[0, 0] == pytest.approx(3.0)  # at (3, 6), looking to the left


def test_parameters_are_what_messages_carry():
    p = ScanSettings().parameters()
    assert (p.beams, p.range_max, p.sees_robots) == (180, 10.0, False)
    assert p.angle_min == float(np.float32(-math.pi / 2))
    assert p.angle_increment == float(np.float32(math.pi / 179))
    assert p.angle_max() == float(np.float32(p.angle_min + 179 * p.angle_increment))
    assert ScanSettings(scan_beams=1).parameters().angle_increment == 0.0
    near = ScanSettings(scan_range_max=8.1).parameters()
    assert near.range_max == float(np.float32(8.1))


def with_noise(ranges, noise_std, seed=3, tick=8):
    out = ranges.copy()
    everybody, beams = np.zeros(len(out), np.int64), out.shape[1]
    _add_scan_noise(out, noise_std, 0.0, 10.0, seed, tick, everybody, 0, 0, beams)
    return out


def test_noise_is_gaussian_and_seeded():
    ranges = np.full((50, 180), 5.0, np.float32)
    ranges[:, ::7] = math.inf
    ranges[:, 1] = 9.99
    noisy = with_noise(ranges, 0.1)
    assert np.isinf(noisy[:, ::7]).all()
    assert noisy.max(where=np.isfinite(noisy), initial=0) <= 10.0
    assert (noisy[:, 1] == 10.0).any()
    errors = noisy[:, 2::7] - ranges[:, 2::7]
    assert errors.std() == pytest.approx(0.1, rel=0.05)
    assert abs(errors.mean()) < 0.01


def test_the_noise_of_a_beam_depends_on_nothing_that_is_seen():
    ranges = np.full((4, 11), 5.0, np.float32)
    everything = with_noise(ranges, 0.1)
    ranges[:, ::3] = math.inf
    some = with_noise(ranges, 0.1)
    assert np.isinf(some[:, ::3]).all()
    np.testing.assert_array_equal(some[:, 1::3], everything[:, 1::3])
    np.testing.assert_array_equal(with_noise(ranges[:2], 0.1), some[:2])
    assert (with_noise(ranges, 0.1, tick=9) != some)[:, 1::3].all()
    assert (with_noise(ranges, 0.1, seed=4) != some)[:, 1::3].all()


SHAPES = st.fixed_dictionaries({
    'scan_beams': st.sampled_from([1, 2, 3, 5, 64, 180, 361]),
    'scan_angle_min': st.sampled_from([-math.pi / 2, -math.pi, 0.0, 2.0, math.pi, 3 * math.pi]),
    'scan_angle_max': st.sampled_from([math.pi / 2, math.pi, 0.5, -2.0, -math.pi, 5 * math.pi]),
    'scan_range_min': st.sampled_from([0.0, 0.4]),
    'scan_range_max': st.sampled_from([0.5, 3.0, 8.0, 100.0]),
    'scan_sees_robots': st.booleans(),
    'laser_x': st.sampled_from([0.0, 0.3]),
    'laser_y': st.sampled_from([0.0, -0.1]),
    'laser_yaw': st.sampled_from([0.0, 0.5, math.pi])})


@given(SHAPES, st.integers(0, 10**6), st.integers(1, 30))
@settings(max_examples=150)
def test_random_scenes_equal_the_oracle(given, seed, robots):
    rng = np.random.default_rng(seed)
    segments = rng.uniform(0, 10, (12, 4))
    segments[:6, 2:] = segments[:6, :2] + rng.uniform(-1, 1, (6, 2))
    circles = np.column_stack([rng.uniform(0, 10, (6, 2)), rng.uniform(0.05, 0.8, 6)])
    pose = rng.uniform((-1, -1, -10), (11, 11, 10), (robots, 3))  # outside of the bounds as well
    assert_equals_oracle(outline(10.0, segments, circles), pose, rng.uniform(0.05, 0.5, robots),
                         given)


@given(SHAPES, st.integers(0, 10**6))
@settings(max_examples=150)
def test_degenerate_scenes_equal_the_oracle(given, seed):
    # On a lattice beams run along walls, through corners and tangent to circles, and sensors stand
    # on walls.
    rng = np.random.default_rng(seed)
    segments = rng.integers(0, 9, (10, 4)) / 2
    segments = segments[(segments[:, :2] != segments[:, 2:]).any(axis=1)]
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
    n = 800  # of so many threads share the robots
    pose = rng.uniform((0, 0, -4), (80, 80, 4), (n, 3))
    radius = rng.uniform(0.1, 0.4, n)
    world, given = outline(80.0, rng.uniform(0, 80, (60, 4))), {'scan_sees_robots': True,
                                                                'laser_x': 0.1}
    parameters = parameters_of(world, radius, given)
    one = cast(parameters, pose)
    for threads in (2, 3):
        np.testing.assert_array_equal(cast(parameters, pose, threads), one)
    order = rng.permutation(n)
    np.testing.assert_array_equal(cast(parameters_of(world, radius[order], given), pose[order]),
                                  one[order])
