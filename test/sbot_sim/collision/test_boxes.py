"""Pushable boxes: the law of a push against closed forms and a fine integration, invariants."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate
from solids import deepest, random_bodies, random_world, rectangular

from sbot_sim.collision.fixed_objects import FixedObjects
from sbot_sim.collision.overlap import Overlaps, overlaps
from sbot_sim.collision.separation import separate
from sbot_sim.world.bodies import ROBOT, BodyArrays, _characteristic_length
from sbot_sim.world.geometry import make_world
from sbot_sim.world.moving import make_box

OPEN = make_world((-50, -50, 50, 50))
SMALL = ROBOT._replace(radius=0.15)


def step(robots, boxes, pose, proposed, world=OPEN):
    shapes = BodyArrays.of(robots, boxes).shape
    fixed = FixedObjects.of(world, shapes.outer_radius)
    return separate(fixed, shapes, np.array(pose, float), np.array(proposed, float))


def pushed(robots, boxes, pose, ways, world=OPEN):
    """Return the poses after the robots have tried to go ``ways`` (R, 3)."""
    proposed = np.array(pose, float)
    proposed[:len(robots)] += ways
    return step(robots, boxes, pose, proposed, world).pose


# The law.

@pytest.mark.parametrize(('length', 'width'), [(1.0, 1.0), (0.7, 0.2), (0.1, 2.0)])
def test_the_characteristic_length_is_the_mean_distance_from_the_centre(length, width):
    whole, _ = integrate.dblquad(math.hypot, -width / 2, width / 2, -length / 2, length / 2)
    box = make_box(length, width, 0.0, 1.0)
    assert _characteristic_length(box) == pytest.approx(whole / (length * width), rel=1e-9)
    disc = make_box(0.0, 0.0, length, 1.0)
    whole, _ = integrate.quad(lambda r: 2 * math.pi * r * r, 0, length)
    assert _characteristic_length(disc) == pytest.approx(whole / (math.pi * length ** 2), rel=1e-9)


@pytest.mark.parametrize('mass', [0.01, 1.0, 10.0, 300.0])
@pytest.mark.parametrize('box', [(0.5, 0.3, 0.0), (0.0, 0.0, 0.25)])
def test_a_push_through_the_centre_moves_both_by_exactly_their_shares(mass, box):
    pose = [[0, 0, 0.3], [0.3 + 0.25, 0, 0]]
    after = pushed([ROBOT], [make_box(*box, mass)], pose, [[0.04, 0, 0]])
    share = ROBOT.mass / (ROBOT.mass + mass)
    np.testing.assert_allclose(after, [[0.04 * share, 0, 0.3], [0.55 + 0.04 * share, 0, 0]],
                               atol=1e-12)


@pytest.mark.parametrize('offset', [-0.2, -0.05, 0.1, 0.24])
@pytest.mark.parametrize('mass', [1.0, 20.0])
def test_a_push_off_the_centre_turns_the_box_by_the_formula(offset, mass):
    # So short that turning does not matter for the way on.
    d, box = 1e-6, make_box(0.3, 0.5, 0.0, mass)
    pose = [[0, 0, 0], [0.3 + 0.15, -offset, 0]]
    after = pushed([ROBOT], [box], pose, [[d, 0, 0]])
    ease = 1 + offset ** 2 / _characteristic_length(box) ** 2
    share = (ease / mass) / (ease / mass + 1 / ROBOT.mass)
    way = d * share / ease  # of the centre
    turn = -way * offset / _characteristic_length(box) ** 2
    np.testing.assert_allclose(after[1] - pose[1], [way, 0, turn], rtol=1e-3, atol=1e-11)
    np.testing.assert_allclose(after[0] - pose[0], [d * share, 0, 0], rtol=1e-3, atol=1e-11)
    # Pushed on its right it turns to the left.
    assert math.copysign(1, turn) == math.copysign(1, -offset)


def test_many_short_pushes_turn_it_as_the_equation_of_motion_says():
    # A robot of no size to speak of, on a straight line along x; the box is light.
    box = make_box(0.4, 0.4, 0.0, 1e-6)
    c, tip = _characteristic_length(box), 1e-3
    robot = ROBOT._replace(radius=tip)
    pose = np.array([[-tip, 0.0, 0.0], [0.2, 0.1, 0.0]])
    for _ in range(400):
        pose = pushed([robot], [box], pose, [[2.5e-4, 0, 0]])

    def rates(x, state):
        cx, cy, yaw = state
        n, r = np.array([math.cos(yaw), math.sin(yaw)]), np.array([x - cx, 0.0 - cy])
        arm = r[0] * n[1] - r[1] * n[0]
        along = n[0] / (1 + arm ** 2 / c ** 2)  # the point of contact goes n[0] along n
        return [*(along * n), along * arm / c ** 2]

    exact = integrate.solve_ivp(rates, (0.0, 0.1), [0.2, 0.1, 0.0], rtol=1e-9).y[:, -1]
    np.testing.assert_allclose(pose[1], exact, atol=2e-3)
    assert abs(exact[2]) > 0.2


@pytest.mark.parametrize('count', [1, 2, 3])
@pytest.mark.parametrize('mass', [1.0, 30.0])
def test_robots_side_by_side_push_as_one_of_their_mass(count, mass):
    box = make_box(0.2, 1.2, 0.0, mass)
    y = 0.4 * (np.arange(count) - (count - 1) / 2)
    pose = np.vstack([np.column_stack([np.zeros(count), y, np.zeros(count)]), [[0.25, 0, 0]]])
    start, d = pose.copy(), 0.01
    for _ in range(100):
        pose = pushed([SMALL] * count, [box], pose, [[d, 0, 0]] * count)
    share = count * SMALL.mass / (count * SMALL.mass + mass)
    assert pose[-1, 0] - start[-1, 0] == pytest.approx(100 * d * share, abs=d)
    assert abs(pose[-1, 2]) < 1e-6


def test_a_flat_front_pushes_a_crooked_box_straight_as_does_a_wall():
    world, box = make_world((0, 0, 5, 5)), make_box(0.6, 0.4, 0.0, 1.0)
    pose = np.array([[3.3, 2, 0], [4.2, 2.05, 0.3]])
    tilts = []
    for _ in range(50):
        pose = pushed([rectangular(0.8, 0.6)], [box], pose, [[0.02, 0, 0]], world)
        tilts.append(abs(pose[1, 2]))
    assert tilts[32] < 1e-3  # before it is at the wall
    assert tilts[-1] < 1e-9
    np.testing.assert_allclose(pose[:, 0], [4.0, 4.7], atol=0.01)


@pytest.mark.parametrize('mass', [1e-3, 1.0, 100.0])
def test_a_box_against_a_wall_stops_and_so_does_the_robot(mass):
    world, box = make_world((0, 0, 5, 5)), make_box(0.6, 0.4, 0.0, mass)
    pose = np.array([[4.1, 2, 0], [4.7, 2, 0]])
    for _ in range(10):
        after = step([ROBOT], [box], pose, np.add(pose, [[0.03, 0, 0], [0, 0, 0]]), world)
        pose = after.pose
        assert not after.reverted.any()
        np.testing.assert_allclose(pose, [[4.1, 2, 0], [4.7, 2, 0]], atol=0.02)


def test_a_chain_of_boxes_is_pushed_on():
    box = make_box(0.4, 0.4, 0.0, 1.0)
    pose = np.array([[0, 0, 0], *([0.5 + 0.4 * k, 0, 0] for k in range(3))])
    after = pose
    for _ in range(100):
        after = pushed([ROBOT], [box] * 3, after, [[0.02, 0, 0]])
    assert after[:, 0] - pose[:, 0] == pytest.approx([2 * 10 / 13] * 4, abs=0.05)


# Invariants.

def random_boxes(rng, count):
    kinds = [make_box(0.4, 0.3, 0.0, 1.0), make_box(0.0, 0.0, 0.2, 0.3),
             make_box(0.9, 0.08, 0.0, 5.0), make_box(0.1, 0.1, 0.0, 40.0)]
    return [kinds[k] for k in rng.integers(0, len(kinds), count)]


def standing(rng, world):
    """Return robots, boxes and the poses of both, all free."""
    robots, boxes = random_bodies(rng, 14), random_boxes(rng, 14)
    pose = np.column_stack([rng.uniform(0, 6, (28, 2)), rng.uniform(-3, 3, 28)])
    keep = np.ones(28, bool)
    while True:
        rows = np.flatnonzero(keep)
        one, other = [robots[i] for i in rows if i < 14], [boxes[i - 14] for i in rows if i >= 14]
        if not other:
            return one, other, pose[rows]
        found = Overlaps.find(world, BodyArrays.of(one, other), pose[rows], 0.0).robot
        if not len(found):
            return one, other, pose[rows]
        keep[rows[found[0]]] = False


@settings(max_examples=30)
@given(st.integers(0, 10**6), st.sampled_from([0.02, 0.1, 0.5]))
def test_robots_and_boxes_never_overlap_anything(seed, length):
    rng = np.random.default_rng(seed)
    world = random_world(rng)
    robots, boxes, pose = standing(rng, world)
    if not boxes or not robots:
        return
    bodies, n = [*robots, *boxes], len(robots)
    arrays = BodyArrays.of(robots, boxes)
    fixed = FixedObjects.of(world, arrays.safety_radius)
    drift = rng.normal(0, length, (n, 2))
    for _ in range(6):
        proposed = pose.copy()
        proposed[:n, :2] += drift + rng.normal(0, length / 4, drift.shape)
        proposed[:n, 2] += rng.normal(0, 5 * length, n)
        proposed[:n, 2] = (proposed[:n, 2] + math.pi) % (2 * math.pi) - math.pi
        outcome = separate(fixed, arrays.shape, pose, proposed)
        pose = outcome.pose
        assert overlaps(world, arrays, pose) == 0
        assert deepest(world, bodies, pose) <= 1e-9
        assert ((pose[:, 2] >= -math.pi) & (pose[:, 2] < math.pi)).all()
        free = ~outcome.collided & ~outcome.reverted
        np.testing.assert_array_equal(pose[free], proposed[free])


@pytest.mark.parametrize('box', [(0.3, 0.05, 0.0), (0.0, 0.0, 0.03), (0.2, 0.2, 0.0)])
def test_no_box_is_pushed_through_a_thin_segment_or_into_a_corner(box):
    world = make_world((-3, -3, 3, 3), [(0, -3, 0, 3), (-3, 1, 3, 1)])
    rng, box = np.random.default_rng(1), make_box(*box, 0.5)
    for _ in range(40):
        pose = np.array([[-1.5, rng.uniform(-2, 0.4), 0], [-0.6, rng.uniform(-2, 0.7), 1.0]])
        for _ in range(12):
            to_box = pose[1, :2] - pose[0, :2] + [0.1, 0.1]
            pose = pushed([ROBOT], [box], pose, [[*0.4 * to_box / math.hypot(*to_box), 0]], world)
            assert deepest(world, [ROBOT, box], pose) <= 1e-9
            assert pose[:, 0].max() < 0.0
            assert pose[:, 1].max() < 1.0
