"""Obstacles of Stage's models: solid outlines, walls, and what robots start within."""

import math
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from sbot.scenario.stage_obstacles import (
    LIGHTEST,
    Frame,
    Obstacles,
    _Bitmaps,
    _rectangle,
    _sides,
    fitted,
    is_round,
)
from sbot.scenario.stage_parse import Notes, Place, parse_entities, read_tokens
from sbot_common.errors import InputError


def test_frames_are_chained_as_their_points_are():
    a, b = Frame(1.0, 2.0, 0.5), Frame(-0.3, 0.7, 1.1)
    points = np.array([[0.0, 0.0], [1.0, -2.0]])
    np.testing.assert_allclose(a.then(b).points(points), a.points(b.points(points)), atol=1e-12)
    assert a.then(b).yaw == pytest.approx(1.6)


def test_outlines_fill_their_size_about_the_origin():
    outlines = [np.array([[0.0, 0.0], [2.0, 0.0]]), np.array([[4.0, 1.0], [4.0, 3.0]])]
    every = np.vstack(fitted(outlines, (0.4, 0.6)))
    np.testing.assert_allclose([every.min(axis=0), every.max(axis=0)], [[-0.2, -0.3], [0.2, 0.3]])
    assert fitted([], (1.0, 1.0)) == []


def test_a_polygon_of_many_corners_is_a_disc():
    def corners(count):
        angle = np.arange(count) * 2.0 * math.pi / count
        return [0.5 * np.column_stack([np.cos(angle), np.sin(angle)])]
    assert is_round(corners(16), (1.0, 1.0))
    assert not is_round(corners(4), (1.0, 1.0))
    assert not is_round(corners(16), (1.0, 1.2))
    assert not is_round(corners(16) * 2, (1.0, 1.0))


PLACE = Place('x.world', 7, 7)


@pytest.fixture
def folder(tmp_path):
    pixels = np.full((3, 4), 255, np.uint8)
    pixels[0, 1] = LIGHTEST
    pixels[2, 3] = LIGHTEST + 1
    Image.fromarray(pixels).save(tmp_path / 'a.png')
    return tmp_path


def test_dark_pixels_have_borders(folder):
    bitmaps = _Bitmaps(folder)
    borders = bitmaps.outlines('a.png', PLACE)
    points = borders.reshape(-1, 2)
    assert len(borders) == 4
    assert points.min(axis=0).tolist() == [1.0, 2.0]  # the first row of the image is the highest
    assert points.max(axis=0).tolist() == [2.0, 3.0]
    (folder / 'a.png').unlink()
    (folder / 'a.png').touch()
    assert bitmaps.outlines('a.png', PLACE) is borders


@pytest.mark.parametrize('name', ['', 'b.png', '.'])
def test_what_is_no_image_is_refused_by_line(folder, name):
    with pytest.raises(InputError, match=r'x\.world:7: bitmap'):
        _Bitmaps(folder).outlines(name, PLACE)
    (folder / 'c.png').write_text('no image')
    with pytest.raises(InputError, match=r'x\.world:7: bitmap'):
        _Bitmaps(Path(folder)).outlines('c.png', PLACE)


NOBODY = np.empty((0, 2))
PLACE_OBSTACLES = Frame(2.0, 3.0)
CROSSED = 'block ( points 4 point[0] [0 0] point[1] [1 1] point[2] [1 0] point[3] [0 1] )'


def obstacles(text):
    world = parse_entities(read_tokens(f'model ( {text} )'.encode(), Path('x.world')), 'x.world')
    found = Obstacles(Path(), (1.0, 1.0), Notes())
    found.add(world.children[0], PLACE_OBSTACLES)
    return found


def test_a_model_is_a_solid_rectangle_of_its_size():
    found = obstacles('size [1 2 1]')
    only, = found
    np.testing.assert_allclose(only.solid, PLACE_OBSTACLES.points(_rectangle((1.0, 2.0))))
    assert len(only.segments) == 0
    assert found.extent(NOBODY, 0.5) == [1.0, 1.5, 3.0, 4.5]


@pytest.mark.parametrize(('text', 'count'), [
    ('obstacle_return 0 ranger_return -1', 0), ('obstacle_return 0 size [1 1 0.01]', 0),
    ('obstacle_return 0', 1), ('noblocks 1', 0), ('noblocks 1 boundary 1', 1)])
def test_what_neither_stops_nor_is_seen_is_left_out(text, count):
    assert len(obstacles(text)) == count


def test_a_crossed_outline_and_what_robots_start_within_are_walls():
    crossed, = obstacles(CROSSED)
    assert (crossed.solid, len(crossed.segments)) == (None, 4)
    solid = obstacles('size [1 2 1]')
    apart, _ = solid.world(np.array([[9.0, 9.0]]))
    around, places = solid.world(np.array([[2.0, 3.0]]))
    assert [len(apart[key]) for key in ('segments', 'polygons')] == [0, 1]
    assert [len(around[key]) for key in ('segments', 'polygons')] == [4, 0]
    assert places == []


def test_sides_have_a_length():
    corners = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    assert len(_sides(corners)) == 3
