"""Moving obstacles: where they are, against a walk along the path in small steps."""

import itertools
import math

import numpy as np
import pytest

from sbot_common.angles import decoded_yaws
from sbot_sim.world.bodies import BodyArrays
from sbot_sim.world.geometry import make_world, rectangle_corners
from sbot_sim.world.moving import (
    Paths,
    as_sent,
    disc_positions,
    make_box,
    world_with,
    world_with_boxes,
)

DT = 0.1
PATH = [(0.0, 0.0), (3.0, 0.0), (3.0, 4.0)]


def position(path, speed, turns, ticks):
    return disc_positions(Paths.of([(0.5, speed, path, turns)], DT), np.array([ticks]))[0]


def walk(path, way, turns):
    """Return where one is after a way along the path, leg by leg."""
    legs = list(itertools.pairwise(path))
    if turns:
        legs += [(b, a) for a, b in reversed(legs)]
    else:
        legs.append((path[-1], path[0]))
    while True:
        for (x0, y0), (x1, y1) in legs:
            length = math.dist((x0, y0), (x1, y1))
            if way <= length:
                return x0 + way / length * (x1 - x0), y0 + way / length * (y1 - y0)
            way -= length


@pytest.mark.parametrize('turns', [True, False])
@pytest.mark.parametrize('path', [PATH, PATH[:2], [(1.0, 1.0), (-2.0, 0.5), (0.0, 3.0),
                                                  (5.0, -1.0)]])
def test_it_goes_along_its_path_at_its_speed(path, turns):
    for ticks in [0, 1, 5, 63, 64, 70, 137, 1000, 12_345]:
        np.testing.assert_allclose(position(path, 0.73, turns, ticks),
                                   walk(path, 0.73 * DT * ticks, turns), atol=1e-9)


def test_it_is_the_last_circle_of_the_world():
    world = make_world((0, 0, 9, 9), circles=[(1, 1, 0.2)])
    rows = world_with(world, Paths.of([(0.5, 1.0, PATH, True)], DT), np.array([10])).circles
    np.testing.assert_allclose(rows, [[1, 1, 0.2], [1.0, 0.0, 0.5]])
    assert len(world.circles) == 1


def test_a_box_has_the_circle_around_it_and_a_disc_its_own():
    assert make_box(3.0, 4.0, 0.0, 1.0).radius >= 2.5
    assert make_box(3.0, 4.0, 0.0, 1.0).radius == pytest.approx(2.5)
    assert make_box(0.0, 0.0, 0.3, 1.0).radius == 0.3
    assert not make_box(0.0, 0.0, 0.3, 1.0).is_rectangle


def test_yaws_are_those_that_receivers_decode():
    pose = np.array([[1.0, 2.0, 0.1], [3.0, 4.0, 7.0]])
    sent = as_sent(pose)
    assert sent[:, :2].tolist() == pose[:, :2].tolist()
    assert sent[:, 2].tolist() == decoded_yaws(pose[:, 2].copy()).tolist()
    assert sent[1, 2] == pytest.approx(7.0 - 2.0 * math.pi)


def test_boxes_are_the_last_circles_and_rectangles_of_the_world():
    world = make_world((0, 0, 9, 9), circles=[[1, 1, 0.5]], rectangles=[[4, 4, 1, 2, 0.0]])
    boxes = BodyArrays.of((), [make_box(1.0, 0.5, 0.0, 1.0), make_box(0.0, 0.0, 0.2, 1.0)])
    found = world_with_boxes(world, boxes, np.array([[6.0, 6.0, 0.5], [7.0, 2.0, 1.0]]))
    assert found.rectangles[-1].tolist() == [6.0, 6.0, 1.0, 0.5, 0.5]
    assert found.circles[-1].tolist() == [7.0, 2.0, 0.2]
    assert len(found.rectangles) == len(found.circles) == 2
    assert found.segments[-4:, :2].tolist() == rectangle_corners(found.rectangles[-1]).tolist()
    assert len(world.rectangles) == 1  # the given one stays
