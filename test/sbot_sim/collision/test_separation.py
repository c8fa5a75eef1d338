"""The no-intersections algorithm: invariants, and the displacements of document 002 section 5."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from settling import R, settle

from sbot_sim.collision.fixed_objects import FixedObjects
from sbot_sim.collision.overlap import Overlaps, overlaps
from sbot_sim.collision.separation import separate
from sbot_sim.dynamics.motion import _drive_wheels, move
from sbot_sim.world.bodies import ROBOT, S_BOT, BodyArrays
from sbot_sim.world.geometry import make_world

DT = 0.1


def crowd(count, density, seed=0):
    """Return a square world and poses of s-bots on a hexagonal grid, some places left empty."""
    rng = np.random.default_rng(seed)
    side = math.sqrt(count * math.pi * R * R / density)
    pitch = 2.04 * R
    places = [(R * 1.01 + column * pitch + row % 2 * pitch / 2, R * 1.01 + row * pitch * 0.866026)
              for row in range(int((side - 2.02 * R) / (pitch * 0.866026)) + 1)
              for column in range(int((side - 2.02 * R - row % 2 * pitch / 2) / pitch) + 1)]
    pose = np.zeros((count, 3))
    pose[:, :2] = rng.permutation(places)[:count]
    pose[:, 2] = rng.uniform(-math.pi, math.pi, count)
    world, bodies = make_world((0, 0, side, side)), BodyArrays.of([S_BOT] * count)
    assert overlaps(world, bodies, pose) == 0
    return world, bodies, pose


def towards(pose, x, y):
    """Return wheel speeds (N, 2) that turn every s-bot towards a point, and drive."""
    error = np.arctan2(y - pose[:, 1], x - pose[:, 0]) - pose[:, 2]
    error = (error + math.pi) % (2 * math.pi) - math.pi
    return 4.0 + np.outer(error / math.pi, [-8.0, 8.0])


# Displacements.


def test_a_robot_slides_along_a_wall_and_leaves_it_again():
    world, bodies = make_world((0, 0, 5, 5)), BodyArrays.of([ROBOT])
    wind, pose = np.array([[0.0, -0.5]]), np.array([[1.0, 0.31, 0.0]])
    straight = np.array([[10.0, 10.0]])  # 1 m/s
    driven = _drive_wheels(bodies, straight)
    for _ in range(20):
        pose = settle(move(bodies, pose, driven, wind, DT), pose, world, bodies).pose
    np.testing.assert_allclose(pose, [[3.0, 0.3, 0.0]], atol=1e-9)
    pose[0, 2] = math.pi / 2
    driven = _drive_wheels(bodies, straight)
    pose = settle(move(bodies, pose, driven, wind, DT), pose, world, bodies).pose
    np.testing.assert_allclose(pose[0, :2], [3.0, 0.35], atol=1e-9)


def test_a_pose_that_is_not_finite_leaves_the_robot_where_it_was():
    outcome = settle([[math.nan, 0, 0], [1, 1, 0], [0, math.inf, 0], [2, 2, math.nan]],
                     [[0, 0, 1], [1, 1, 0], [3, 3, 2], [2, 2, 0.0]])
    np.testing.assert_array_equal(outcome.pose, [[0, 0, 1], [1, 1, 0], [3, 3, 2], [2, 2, 0]])
    np.testing.assert_array_equal(outcome.reverted, [True, False, True, True])


# Invariants.

def test_adversarial_crowd_never_overlaps_and_is_displaced_little():
    world, bodies, pose = crowd(200, 0.6)
    fixed = FixedObjects.of(world, bodies.safety_radius)
    side = world.bounds[2]
    rng = np.random.default_rng(3)
    calm, lengths = np.zeros((200, 2)), []
    for step in range(1000):
        mode = step // 100 % 5
        if mode == 0:
            wheels = rng.choice([-4.0, 4.0], (200, 2))
        elif mode == 1:
            wheels = towards(pose, side / 2, side / 2)
        elif mode == 2:
            wheels = towards(pose, 0.0, 0.0)
        elif mode == 3:  # two crowds through each other
            wheels = towards(pose, np.where(np.arange(200) % 2, 0.0, side), side / 2)
        else:  # into the nearest wall
            wheels = towards(pose, np.where(pose[:, 0] < side / 2, 0.0, side), pose[:, 1])
        proposed = move(bodies, pose, _drive_wheels(bodies, wheels), calm, DT)
        outcome = separate(fixed, bodies.shape, pose, proposed)
        pose = outcome.pose
        assert overlaps(world, bodies, pose) == 0, step
        moved = (pose - proposed)[outcome.collided & ~outcome.reverted]
        lengths.append(np.hypot(moved[:, 0], moved[:, 1]))
    # A robot proposes at most 8 mm a tick; in a crowd others may push it as far again.
    median, most = np.percentile(np.concatenate(lengths), [50, 99])
    assert median < 0.009
    assert most < 0.014
    assert max(map(np.max, lengths)) < R


def random_world(rng):
    """Return a world of everything, and robots of very different sizes standing free in it."""
    world = make_world((0, 0, 6, 6), rng.uniform(0.5, 5.5, (4, 4)),
                       np.column_stack([rng.uniform(0, 6, (3, 2)), rng.uniform(0.02, 0.6, 3)]),
                       np.column_stack([rng.uniform(0, 6, (3, 2)), rng.uniform(0.05, 1.5, (3, 2)),
                                        rng.uniform(-3, 3, 3)]))
    radii = rng.choice([0.03, 0.088, 0.3, 0.7], 60, p=[0.3, 0.4, 0.25, 0.05])
    every = BodyArrays.of([ROBOT._replace(radius=float(radius)) for radius in radii])
    pose = np.column_stack([rng.uniform(0, 6, (60, 2)), rng.uniform(-3, 3, 60)])
    while True:
        found = Overlaps.find(world, every, pose, tolerance=0.0)
        if not len(found.robot):
            return world, every, pose
        keep = np.ones(len(pose), bool)
        keep[found.robot[0]] = False
        every, pose = every.select(keep), pose[keep]


@settings(max_examples=25)
@given(st.integers(0, 10**6), st.sampled_from([0.01, 0.1, 0.5]))
def test_any_mix_of_sizes_and_speeds_stays_free(seed, length):
    rng = np.random.default_rng(seed)
    world, bodies, pose = random_world(rng)
    fixed = FixedObjects.of(world, bodies.safety_radius)
    drift = rng.normal(0, length, (len(pose), 2))
    for _ in range(8):
        proposed = pose.copy()
        proposed[:, :2] += drift + rng.normal(0, length / 4, drift.shape)
        pose = separate(fixed, bodies.shape, pose, proposed).pose
        assert overlaps(world, bodies, pose) == 0
        assert np.isfinite(pose).all()


@settings(max_examples=20)
@given(st.integers(0, 10**6))
def test_poses_that_begin_with_overlaps_are_freed_or_at_least_survived(seed):
    pose = np.column_stack([np.random.default_rng(seed).uniform(0.1, 1.9, (12, 2)), np.zeros(12)])
    world = make_world((0, 0, 2, 2), circles=[(1, 1, 0.1)])
    outcome = settle(pose, world=world)
    assert np.isfinite(outcome.pose).all()
    bodies = BodyArrays.of([S_BOT] * 12)
    assert overlaps(world, bodies, outcome.pose) <= overlaps(world, bodies, pose)


# Tunnelling.

@pytest.mark.parametrize('body', [S_BOT, ROBOT, S_BOT._replace(radius=0.02,
                                                              collision_distance=0.0)])
def test_nobody_passes_a_thin_segment_at_2_m_per_s(body):
    world = make_world((-2, -2, 2, 2), [(0, -2, 0, 2)])
    bodies = BodyArrays.of([body])
    fixed = FixedObjects.of(world, bodies.safety_radius)
    rng = np.random.default_rng(0)
    for _ in range(300):
        pose = np.array([[-rng.uniform(1, 1.2) * body.safety_radius, rng.uniform(-1, 1), 0.0]])
        heading = rng.uniform(-1.5, 1.5)
        for _ in range(5):
            proposed = pose + 0.2 * np.array([math.cos(heading), math.sin(heading), 0])
            pose = separate(fixed, bodies.shape, pose, proposed).pose
            assert pose[0, 0] <= 1e-9 - body.safety_radius
            assert overlaps(world, bodies, pose) == 0


def test_nobody_is_pushed_through_a_wall_into_or_out_of_a_room():
    world = make_world((0, 0, 3, 3), [(1, 1, 2, 1), (2, 1, 2, 2), (2, 2, 1, 2), (1, 2, 1, 1)])
    rng = np.random.default_rng(2)
    pose = np.array([[x, y, 0.0] for x in np.arange(0.1, 3, 0.2) for y in np.arange(0.1, 3, 0.2)])
    bodies = BodyArrays.of([S_BOT] * len(pose))
    keep = np.ones(len(pose), bool)
    keep[Overlaps.find(world, bodies, pose).robot] = False
    pose, bodies = pose[keep], bodies.select(keep)
    fixed = FixedObjects.of(world, bodies.safety_radius)

    def inside(p):
        return (np.abs(p[:, 0] - 1.5) < 0.5) & (np.abs(p[:, 1] - 1.5) < 0.5)

    before = inside(pose)
    assert 10 < before.sum() < len(pose) - 50
    for _ in range(150):
        proposed = pose + np.column_stack([rng.normal(0, 0.15, (len(pose), 2)),
                                           np.zeros(len(pose))])
        pose = separate(fixed, bodies.shape, pose, proposed).pose
        assert overlaps(world, bodies, pose) == 0
    np.testing.assert_array_equal(inside(pose), before)


def test_nobody_leaves_the_bounds_however_hard_it_blows():
    world, bodies, pose = crowd(12, 0.3)
    for speed, directions in ((1.0, 9), (20.0, 3), (1e12, 1)):
        for direction in 0.5 + np.arange(directions) * 2 * math.pi / directions:
            proposed = pose + speed * np.array([math.cos(direction), math.sin(direction), 0])
            assert overlaps(world, bodies, settle(proposed, pose, world, bodies).pose) == 0


# Reproducibility.

def test_same_input_same_bits_and_permuted_input_permuted_bits():
    world, bodies, pose = crowd(120, 0.6, seed=4)
    rng = np.random.default_rng(5)
    order = rng.permutation(120)
    fixed = FixedObjects.of(world, bodies.safety_radius)
    other, calm = pose[order], np.zeros((120, 2))
    for _ in range(100):
        wheels = rng.choice([-4.0, 4.0], (120, 2))
        proposed = move(bodies, pose, _drive_wheels(bodies, wheels), calm, DT)
        first = separate(fixed, bodies.shape, pose, proposed)
        again = separate(fixed, bodies.shape, pose, proposed)
        permuted = separate(fixed, bodies.shape, other,
                            move(bodies, other, _drive_wheels(bodies, wheels[order]), calm, DT))
        np.testing.assert_array_equal(first.pose, again.pose)
        # Sums of displacements do not depend on their order: not only to 1e-9, to the bit.
        np.testing.assert_array_equal(permuted.pose, first.pose[order])
        np.testing.assert_array_equal(permuted.reverted, first.reverted[order])
        pose, other = first.pose, permuted.pose
