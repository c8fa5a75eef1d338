"""Fast2D's objects as arrays: what moves, what stands still, and the order of both."""

import math

import pytest

from sbot_sim.fast2d.scene import rectangle


def corners(width, height, x=0.0, y=0.0, yaw=0.0, first=0):
    c, s = math.cos(yaw), math.sin(yaw)
    flat = [(-1, -1), (1, -1), (1, 1), (-1, 1)]
    flat = flat[first:] + flat[:first]
    half = [(0.5 * width * u, 0.5 * height * v) for u, v in flat]
    return zip(*[(x + c * u - s * v, y + s * u + c * v) for u, v in half], strict=True)


@pytest.mark.parametrize('first', range(4))
@pytest.mark.parametrize('yaw', [0.0, 0.3, -0.7, math.pi / 2, 3.0])
def test_a_rectangle_is_the_same_from_any_corner_on(first, yaw):
    shape = rectangle(*corners(2.0, 1.0, 0.5, -0.25, yaw, first), 'here')
    assert (shape.x, shape.y) == (pytest.approx(0.5), pytest.approx(-0.25))
    assert abs(shape.yaw) <= math.pi / 4 + 1e-9, 'the width is the side nearer to the x axis'
    assert {round(2 * shape.half_width, 9), round(2 * shape.half_height, 9)} == {2.0, 1.0}
    assert shape.around == pytest.approx(math.hypot(1.0, 0.5))
    assert shape.within == pytest.approx(0.5)
