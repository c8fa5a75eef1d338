import math

import numpy as np
import pytest

from sbot.controllers.dwa import _FAR, Dwa, Parameters, _best_command, _free_way, _in_frame
from sbot_common.observation import Observation, Scan
from sbot_sim.world.bodies import ROBOT


def walked(v, omega, points, robots, radius, margin):
    """The way (m) until the arc touches a point, by small steps."""
    way = np.arange(0.0, _FAR, 1e-3)
    angle = omega * way / v
    x, y = (way, 0.0 * way) if omega == 0.0 else (
        v / omega * np.sin(angle), v / omega * (1 - np.cos(angle)))
    touched = np.zeros(len(way), bool)
    for i, (px, py) in enumerate(points):
        touched |= np.hypot(px - x, py - y) < radius * (2 if i < robots else 1) + margin
    return way[touched.argmax()] if touched.any() else _FAR


def test_the_free_way_is_that_of_the_arc_walked_in_small_steps():
    rng = np.random.default_rng(3)
    hits = 0
    for _ in range(60):
        v, omega = rng.uniform(0.2, 1.5), rng.choice([0.0, rng.uniform(-2, 2)])
        points = rng.uniform(-3, 3, (9, 2))
        points = points[np.hypot(*points.T) > 0.75]
        expected = walked(v, omega, points, 1, 0.3, 0.1)
        hits += expected < _FAR
        assert _free_way(v, omega, points, 1, 0.3, 0.1) == pytest.approx(expected, abs=2e-3)
    assert 20 < hits < 60


def test_the_command_is_within_the_window_and_admissible():
    p = Parameters(acceleration=1.0, angular_acceleration=2.0, window=0.25)
    rng = np.random.default_rng(5)
    for _ in range(50):
        points = rng.uniform(-3, 3, (20, 2))
        points = np.ascontiguousarray(points[np.hypot(*points.T) > 0.6])
        now_v, now_omega = rng.uniform(0, 1.5), rng.uniform(-1, 1)
        v, omega = _best_command(p, rng.uniform(-5, 5, 2), points, 0, 0.3, now_v, now_omega)
        assert now_v - 0.25 - 1e-12 <= v <= now_v + 0.25 + 1e-12 or v == 0.0
        assert abs(omega - now_omega) <= 0.5 + 1e-12
        if v > 0.0:
            assert v * v <= 2.0 * _free_way(v, omega, points, 0, 0.3, p.margin) + 1e-12


def test_left_and_right_are_alike():
    p, goal, points = Parameters(), np.array([4.0, 1.0]), np.array([[2.0, 0.1], [1.0, -2.0]])
    mirror = np.array([1.0, -1.0])
    v, omega = _best_command(p, goal, points, 0, 0.3, 0.5, 0.1)
    other = _best_command(p, goal * mirror, points * mirror, 0, 0.3, 0.5, -0.1)
    assert other == pytest.approx((v, -omega))
    assert omega != 0.0


def test_who_has_no_goal_follows_robot_0_and_an_unknown_pose_stops_it():
    scan = Scan(np.full(3, np.inf, np.float32), -1.0, 1.0, 0.0, 10.0)
    poses = np.array([[5.0, 0.0, 0.0], [0.0, 0.0, 0.0]])

    def step(me, poses, goal=None):
        return Dwa(Parameters(), ROBOT).step(
            Observation(me, 2, 0, 0, 0.1, poses, scan, goal), np.random.default_rng(0))
    assert step(1, poses)[0] > 0.0
    assert step(0, poses) == (0.0, 0.0)
    assert step(1, np.where(poses == 5.0, 1.0, poses)) == (0.0, 0.0)  # near enough
    assert step(1, np.where(poses == 5.0, math.nan, poses)) == (0.0, 0.0)
    assert step(0, poses, (5.2, 0.0)) == (0.0, 0.0)


def test_points_in_the_frame_of_a_robot():
    points = _in_frame(1.0, 2.0, math.pi / 2, np.array([[1.0, 5.0], [0.0, 2.0]]))
    np.testing.assert_allclose(points, [[3.0, 0.0], [0.0, 1.0]], atol=1e-12)


def test_a_scan_is_turned_as_the_robot_was_when_it_arrived():
    """While the simulator runs free, the robot turns on between a scan and its own turn."""
    poses, ranges = np.array([[0.0, 0.0, 0.5]]), np.full(9, np.inf, np.float32)
    ranges[4:7] = 1.0

    def step(angle_min, heading):
        scan = Scan(ranges, angle_min, 0.2, 0.0, 10.0)
        return Dwa(Parameters(), ROBOT).step(
            Observation(0, 1, 0, 0, 0.1, poses, scan, (5.0, 3.0), scan_heading=heading),
            np.random.default_rng(0))
    earlier = step(-0.8, 0.5 - 0.4)
    assert earlier == pytest.approx(step(-0.8 - 0.4, 0.5))
    assert earlier == pytest.approx(step(-0.8 - 0.4, None))
    assert abs(earlier[1] - step(-0.8 + 0.4, None)[1]) > 0.1
