import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ray_oracle import cast_oracle

from sbot_common.compiled.jit import LANES
from sbot_sim.sensors.rays import (
    ANGLE_ERROR,
    TOUCH,
    Fan,
    _quick_angle,
    beam_directions,
    beam_interval,
    lanes,
)

NO_SEGMENTS, NO_CIRCLES = np.empty((0, 4)), np.empty((0, 3))


def cast(segments=NO_SEGMENTS, circles=NO_CIRCLES, x=0.0, y=0.0, yaw=0.0, angles=(0.0,)):
    """Range of beams at ``angles`` from one sensor."""
    directions = np.array([[math.cos(a) for a in angles], [math.sin(a) for a in angles]])
    return cast_oracle(np.array(segments, float).reshape(-1, 4),
                       np.array(circles, float).reshape(-1, 3), np.array([-1]),
                       np.array([[x, y, yaw]]), directions)[0]


def exact_range(segments, circles, x, y, angle):
    """Nearest hit in extended precision, by solving each equation anew."""
    real = np.longdouble
    ux, uy = np.cos(real(angle)), np.sin(real(angle))
    ranges = [real(np.inf)]
    for x0, y0, x1, y1 in segments.astype(real):
        matrix_determinant = ux * (y0 - y1) - uy * (x0 - x1)
        t = ((x0 - x) * (y0 - y1) - (y0 - y) * (x0 - x1)) / matrix_determinant
        part = (ux * (y0 - y) - uy * (x0 - x)) / matrix_determinant
        if t >= 0 and 0 <= part <= 1:
            ranges.append(t)
    for cx, cy, radius in circles.astype(real):
        half_b = ux * (x - cx) + uy * (y - cy)
        c = (x - cx)**2 + (y - cy)**2 - radius**2
        if c <= 0:
            return 0.0
        if half_b * half_b >= c and half_b < 0:
            ranges.append(-half_b - np.sqrt(half_b * half_b - c))
    return float(min(ranges))


def test_the_oracle_equals_extended_precision_on_random_scenes():
    rng = np.random.default_rng(5)
    worst = 0.0
    for _ in range(400):
        segments = rng.uniform(-8, 8, (4, 4))
        circles = np.column_stack([rng.uniform(-8, 8, (2, 2)), rng.uniform(0.05, 1, 2)])
        x, y, yaw = rng.uniform(-3, 3, 3)
        angles = rng.uniform(-math.pi, math.pi, 8)
        ranges = cast(segments, circles, x, y, yaw, angles)
        for found, angle in zip(ranges, angles, strict=True):
            expected = exact_range(segments, circles, x, y, np.longdouble(yaw) + angle)
            assert math.isinf(found) == math.isinf(expected)
            if math.isfinite(expected):
                worst = max(worst, abs(found - expected))
    assert worst < 1e-12


@pytest.mark.parametrize(('segments', 'circles', 'expected'), [
    *(([end], [], 2.0) for end in ([2, 0, 2, 1], [2, -1, 2, 0], [2, 0, 3, 1], [3, -1, 2, 0])),
    ([[2, 1e-300, 2, 1]], [], math.inf), ([], [[3, 1, 1]], 3.0),  # a tangent
    ([], [[3, 1 + 1e-15, 1]], math.inf), ([[-2, -1, -2, 1]], [[-3, 0, 1]], math.inf),  # behind
    ([[2, 0, 5, 0]], [], 2.0), ([[5, 0, 2, 0]], [], 2.0),  # end on
    ([[2, 1, 2, 1]], [], math.inf), ([[2, 0, 2, 0]], [], 2.0)])  # without length
def test_ends_and_tangents_are_hit_and_nothing_behind(segments, circles, expected):
    assert cast(segments, circles)[0] == expected


@pytest.mark.parametrize('yaw', [0.0, 0.3, -2.0])
@pytest.mark.parametrize('wall', [[-1, 0, 1, 0], [0, 0, 0, 5], [0.1, 0.1, -0.3, -0.3],
                                  [-1, 0.9e-9, 1, 0.9e-9], [0, 0, 0, 0]])
def test_a_sensor_on_a_wall_reads_zero_everywhere(wall, yaw):
    assert (cast([wall], yaw=yaw, angles=np.linspace(-3, 3, 13)) == 0.0).all()


@pytest.mark.parametrize('circle', [[1, 0, 1], [0.2, 0.1, 1], [0, 0, 1], [1 + 0.9e-9, 0, 1]])
def test_a_sensor_in_or_on_a_disc_reads_zero_everywhere(circle):
    assert (cast(circles=[circle], angles=np.linspace(-3, 3, 13)) == 0.0).all()


def test_a_sensor_just_off_a_wall_sees_it_on_one_side_only():
    gap = 10 * TOUCH
    assert cast([[-1, gap, 1, gap]], angles=(math.pi / 2, -math.pi / 2)) == pytest.approx(
        [gap, math.inf], abs=1e-20)


def test_beams_beside_a_wall_seen_end_on_miss_it():
    assert cast([[2, 0, 5, 0]], angles=(1e-9, math.pi)).tolist() == [math.inf, math.inf]


def test_shared_corners_let_no_beam_through():
    rng = np.random.default_rng(6)
    corners = rng.uniform(1, 3, 40)[:, None] * np.column_stack(
        [np.cos(np.arange(40) * math.tau / 40), np.sin(np.arange(40) * math.tau / 40)])
    ring = np.hstack([corners, np.roll(corners, -1, axis=0)])
    for yaw in rng.uniform(-4, 4, 20):
        # Beams straight at the corners, as exactly as they can be aimed.
        aimed = np.arctan2(corners[:, 1], corners[:, 0]) - yaw
        assert np.isfinite(cast(ring, yaw=yaw, angles=aimed)).all()


def test_directions_follow_the_increment():
    directions = beam_directions(5, 0.5, -0.25)
    assert directions[0, 4] == math.cos(0.5 - 4 * 0.25)
    assert directions[1, 2] == math.sin(0.0)


def test_own_disc_is_not_seen():
    pose = np.array([[0.0, 0, 0], [3, 0, 0]])
    circles = np.array([[0.0, 0, 0.5], [3, 0, 0.5]])
    ranges = cast_oracle(NO_SEGMENTS, circles, np.array([0, 1]), pose,
                         beam_directions(2, 0.0, math.pi))
    assert ranges[:, 0].tolist() == [2.5, math.inf]
    assert ranges[1, 1] == pytest.approx(2.5)


def test_quick_angle_keeps_its_bound():
    rng = np.random.default_rng(9)
    x, y = rng.normal(size=(2, 200_000)) * 10.0 ** rng.uniform(-9, 3, 200_000)
    found = np.array([_quick_angle(a, b) for a, b in zip(x, y, strict=True)])
    assert np.abs(found - np.arctan2(y, x)).max() < ANGLE_ERROR / 2
    assert [_quick_angle(a, b) for a, b in ((1, 0), (0, 1), (-1, 0), (0, -1))] == pytest.approx(
        [0, math.pi / 2, math.pi, -math.pi / 2], abs=ANGLE_ERROR / 2)


@given(st.integers(1, 400), st.floats(-10, 10), st.floats(-0.3, 0.3), st.floats(-math.pi, math.pi),
       st.floats(0, math.pi))
@settings(max_examples=500)
def test_an_arc_gets_every_beam_in_it(beams, angle_min, increment, start, width):
    fan = Fan.even(beams, angle_min, increment)
    chosen = np.zeros(fan.directions.shape[1], bool)
    first, last = beam_interval(start, width, fan)
    assert last >= 0
    while first <= beams - 1:
        low, high = lanes(first, last, beams)
        assert low % LANES == 0
        assert high % LANES == 0
        chosen[int(low):int(high)] = True
        first, last = first + fan.period, last + fan.period
    into_arc = (angle_min + np.arange(beams) * increment - start) % math.tau
    assert chosen[:beams][into_arc <= width].all()
    # Not many more than needed: what is more than a lane away from the arc is left out.
    if abs(increment) >= 1e-3:
        margin = LANES * abs(increment) + 2 * ANGLE_ERROR
        far = (into_arc > width + margin) & (into_arc < math.tau - margin)
        assert not chosen[:beams][far].any()


def test_irregular_fans_try_every_beam():
    fan = Fan.uneven([0.1, 3.0, 2.0])
    assert beam_interval(1.0, 0.1, fan) == (0.0, 2.0)
    assert fan.directions[1, 1] == math.sin(3.0)
