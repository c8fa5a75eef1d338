import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sbot_common.angles import decoded_yaw, decoded_yaws, wrap_angle, yaw_from_quaternion

angles = st.floats(-20, 20)


@given(st.floats(-math.pi, math.pi))
def test_a_yaw_survives_the_round_trip_to_rounding(yaw):
    assert abs(math.remainder(decoded_yaw(yaw) - yaw, 2 * math.pi)) < 1e-14


def _matrix(x, y, z, w):
    s = 2 / (x * x + y * y + z * z + w * w)
    return np.array([[1 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)],
                     [s * (x * y + w * z), 1 - s * (x * x + z * z), s * (y * z - w * x)],
                     [s * (x * z - w * y), s * (y * z + w * x), 1 - s * (x * x + y * y)]])


@given(st.tuples(*[st.floats(-1, 1)] * 4).filter(lambda q: sum(c * c for c in q) > 0.1))
def test_yaw_of_any_rotation_is_that_of_its_matrix(q):
    m = _matrix(*q)
    if abs(m[2, 0]) > 0.99:
        return
    expected = math.atan2(m[1, 0], m[0, 0])
    assert math.cos(yaw_from_quaternion(*q) - expected) == pytest.approx(1, abs=1e-9)


def test_gimbal_lock_has_yaw_zero_and_a_zero_quaternion_none():
    half = math.sqrt(0.5)
    assert yaw_from_quaternion(0.0, 1.0, 0.0, 1.0) == 0.0
    assert yaw_from_quaternion(0.0, half * (1 + 1e-15), 0.0, half) == pytest.approx(0.0)
    assert math.isnan(yaw_from_quaternion(0.0, 0.0, 0.0, 0.0))


@given(angles)
def test_wrapped_angles_are_the_same_direction_in_a_half_open_interval(angle):
    wrapped = wrap_angle(angle)
    assert -math.pi <= wrapped < math.pi
    assert math.cos(wrapped - angle) == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize('far', [[], [1e6, -1e300, math.inf, math.nan]])
def test_many_yaws_are_decoded_as_one(far):
    """To the bit, usual angles in vectors and others one by one."""
    yaws = np.concatenate([np.random.default_rng(5).uniform(-10, 10, 500), far, [
        0.0, -0.0, math.pi, -math.pi, 5e-324, -5e-324, 1e-200, 2 * math.pi]])
    expected = np.array([decoded_yaw(yaw) for yaw in yaws.tolist()])
    assert decoded_yaws(yaws).tobytes() == expected.tobytes()
