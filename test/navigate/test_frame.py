import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from navigate.frame import frame_at, into
from sbot_common.compiled.jit import njit

metres, angles = st.floats(-50, 50), st.floats(-7, 7)


@njit
def seen_from(frame, x, y):
    return into(frame, x, y)


@given(metres, metres, angles, metres, metres)
def test_a_point_of_the_frame_leads_back_to_the_map(x, y, yaw, ahead, left):
    frame = frame_at(x, y, yaw)
    on_map = (x + math.cos(yaw) * ahead - math.sin(yaw) * left,
              y + math.sin(yaw) * ahead + math.cos(yaw) * left)
    assert seen_from(frame, *on_map) == pytest.approx((ahead, left), abs=1e-9)


def test_the_robots_own_place_is_the_origin():
    assert seen_from(frame_at(3.0, -2.0, 0.7), 3.0, -2.0) == (0.0, 0.0)
