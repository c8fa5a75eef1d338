"""Fast2D shapes: discs and rectangles of corners, in any order that is counter-clockwise."""

import math

import numpy as np
import pytest

from sbot_common.errors import InputError
from sbot_sim.fast2d.shapes import LARGEST, disc, rectangle


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
    sizes = {round(2 * shape.half_width, 9), round(2 * shape.half_height, 9)}
    assert sizes == {2.0, 1.0}
    assert shape.around == pytest.approx(math.hypot(1.0, 0.5))
    assert shape.within == pytest.approx(0.5)


def test_what_is_inside():
    shape = rectangle(*corners(2.0, 1.0, 0.5, 0.0, 0.4), 'here')
    rng = np.random.default_rng(2)
    c, s = math.cos(0.4), math.sin(0.4)
    for u, v in rng.uniform(-1.5, 1.5, (200, 2)):
        assert shape.contains(0.5 + c * u - s * v, s * u + c * v) == (
            abs(u) <= 1.0 and abs(v) <= 0.5)
    assert disc(0.3, '').contains(0.2, 0.2)
    assert not disc(0.3, '').contains(0.3, 0.1)
    assert (disc(0.3, '').around, disc(0.3, '').within) == (0.3, 0.3)


@pytest.mark.parametrize('radius', [0.0, -1.0, math.nan, math.inf, 2 * LARGEST])
def test_a_radius_is_a_size(radius):
    with pytest.raises(InputError, match=r'here: radius: got'):
        disc(radius, 'here')


@pytest.mark.parametrize(('x', 'y', 'words'), [
    ([0, 1, 1], [0, 0, 1], 'four x and four y'),
    ([0, 1, 1, 'a'], [0, 0, 1, 1], 'four x and four y, numbers'),
    ([0, 1, 1, math.nan], [0, 0, 1, 1], 'finite numbers'),
    ([0, 2e3, 2e3, 0], [0, 0, 1, 1], 'finite numbers up to 1000'),
    ([0, 0, 1, 1], [0, 1, 1, 0], 'counter-clockwise ones'),
    ([0, 1, 0, 1], [0, 0, 1, 1], 'a convex outline'), ([0, 0, 0, 0], [0, 0, 0, 0], 'a convex'),
    ([0, 2, 3, 1], [0, 0, 1, 1], 'those of a rectangle'),
    ([0, 1, 1.2, 0], [0, 0, 1, 1], 'those of a rectangle')])
def test_corners_of_anything_else_are_refused(x, y, words):
    with pytest.raises(InputError, match='here: ') as info:
        rectangle(x, y, 'here')
    assert words in str(info.value)


def test_rounding_of_corners_is_shared():
    x, y = (list(values) for values in corners(1.0, 1.0, yaw=0.1))
    x[2] += 1e-8
    shape = rectangle(x, y, 'here')
    assert shape.half_width == pytest.approx(0.5, abs=1e-8)
