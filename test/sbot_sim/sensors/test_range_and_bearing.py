import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from shapely.geometry import LineString, Point

from sbot_sim.sensors.range_and_bearing import neighbours
from sbot_sim.world.geometry import make_world, segments_meet
from sbot_sim.world.scene import Scene, _segment_meets_disc

NO_WALLS = Scene.of_walls(None)

small = st.integers(-4, 4).map(float)


def oracle(pose, reach, blocked=None):
    """Every pair, in order of id: (receiver, sender, range, bearing)."""
    rows = []
    for i, (x, y, yaw) in enumerate(pose):
        for j, (a, b, _) in enumerate(pose):
            if i == j or math.hypot(a - x, b - y) > reach:
                continue
            if blocked is None or not blocked((x, y), (a, b)):
                bearing = (math.atan2(b - y, a - x) - yaw + math.pi) % (2 * math.pi) - math.pi
                rows.append((i, j, math.hypot(a - x, b - y), bearing))
    return rows


def rows_of(heard):
    starts, indexes, ranges, bearings = heard
    receivers = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    return list(zip(receivers, indexes, ranges, bearings, strict=True))


def assert_same(got, expected):
    assert [row[:2] for row in got] == [row[:2] for row in expected]
    for (_, _, a, b), (_, _, c, d) in zip(got, expected, strict=True):
        assert abs(a - c) < 1e-12
        assert abs((b - d + math.pi) % (2 * math.pi) - math.pi) < 1e-12
        assert -math.pi <= b < math.pi


@pytest.mark.parametrize('seed', range(6))
def test_equals_every_pair_looked_at(seed):
    rng = np.random.default_rng(seed)
    pose = rng.uniform([-3, -3, -9], [9, 5, 9], (80, 3))
    reach = rng.uniform(0.2, 4)
    assert_same(rows_of(neighbours(pose, reach, NO_WALLS)), oracle(pose, reach))


def test_equals_every_pair_on_a_lattice_where_distances_meet_the_range_exactly():
    xy = np.array([(x, y) for x in range(7) for y in range(7)], float)
    pose = np.column_stack([xy, np.zeros(len(xy))])
    for reach in (1.0, 2.0, 5.0, 0.0, 100.0):
        assert_same(rows_of(neighbours(pose, reach, NO_WALLS)), oracle(pose, reach))


def test_one_robot_hears_nobody():
    assert neighbours(np.zeros((1, 3)), 1.0, NO_WALLS)[0].tolist() == [0, 0]


def test_walls_and_obstacles_block():
    world = make_world([0, 0, 10, 10], [[5, 0, 5, 6]], [[2, 5, 0.5]], [[8, 2, 1, 1, 0.3]])
    pose = np.array([[4, 5, 0], [6, 5, 0], [4, 7, 0], [6, 7, 0], [1, 5, 0], [7, 2, 0], [9, 2, 0]],
                    float)

    def blocked(a, b):
        line = LineString([a, b])
        walls = [LineString([(s[0], s[1]), (s[2], s[3])]) for s in world.segments]
        return line.distance(Point(2, 5)) < 0.5 or any(line.intersects(wall) for wall in walls)

    got = rows_of(neighbours(pose, 20.0, Scene.of_walls(world)))
    assert_same(got, oracle(pose, 20.0, blocked))
    heard = {(i, j) for i, j, *_ in got}
    assert (2, 3) in heard
    assert not heard & {(0, 1), (0, 4), (5, 6)}


@settings(max_examples=300)
@given(st.tuples(*[small] * 8))
def test_segments_meet_as_shapely_says(c):
    a, b = LineString([c[0:2], c[2:4]]), LineString([c[4:6], c[6:8]])
    # By distance, because for shapely a segment of no length intersects nothing.
    assert segments_meet(*c) == (a.distance(b) == 0)
    assert segments_meet(*c[4:], *c[:4]) == segments_meet(*c)


@settings(max_examples=200)
@given(st.tuples(*[st.integers(-400, 400)] * 6), st.floats(0.01, 3))
def test_a_disc_blocks_when_the_line_comes_nearer_than_its_radius(numbers, radius):
    # Hundredths, because shapely gives up on segments of nearly no length.
    c = [n / 100 for n in numbers]
    assume(c[0:2] != c[2:4])
    distance = LineString([c[0:2], c[2:4]]).distance(Point(c[4:6]))
    if abs(distance - radius) > 1e-9:
        assert _segment_meets_disc(*c, radius) == (distance < radius)


def test_permuting_the_robots_permutes_what_they_hear():
    rng = np.random.default_rng(5)
    pose = rng.uniform(0, 4, (40, 3))
    order = rng.permutation(40)
    first = {(i, j): (r, b) for i, j, r, b in rows_of(neighbours(pose, 1.0, NO_WALLS))}
    second = {(order[i], order[j]): (r, b)
              for i, j, r, b in rows_of(neighbours(pose[order], 1.0, NO_WALLS))}
    assert first == second
