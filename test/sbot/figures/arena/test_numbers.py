import numpy as np
import pytest
from matplotlib.figure import Figure

import sbot
from sbot.figures.animation import _Film
from sbot.figures.arena.numbers import numbers_fit
from sbot.figures.arena.robots import Robots
from sbot.figures.data import from_result
from sbot.figures.moments import draw_moments
from sbot.figures.palette import LIGHT
from sbot.figures.picture import draw_run


def data_of(count=3, moving=(), goals=True):
    robots = [{'pose': [1 + 0.7 * k, 2, 0], 'controller': 'none',
               **({'goal': [1 + 0.7 * k, 5]} if goals else {})} for k in range(count)]
    return from_result(sbot.run({'duration': 1, 'rate': 10, 'robots': robots,
                                 'world': {'bounds': [0, 0, 12, 6], 'moving': list(moving)}}))


@pytest.mark.parametrize(('count', 'shown'), [(1, 0), (2, 2), (12, 12), (13, 0)])
def test_few_robots_have_numbers_in_films_and_moments(count, shown):
    data = data_of(count)
    poses = data.poses.copy()
    poses[-1, :, 1] += 1.5
    film = _Film(data._replace(poses=poses))
    film.frame(len(data.stamps_ns) - 1)
    texts = [text for text in film._axes.texts if text.get_gid() == 'number']
    assert [text.get_text() for text in texts] == [str(k) for k in range(shown)]
    # In the robots, which are large enough.
    for text, (x, y, _) in zip(texts, poses[-1].tolist(), strict=False):
        assert text.xy == (x, y)
    [axes] = draw_moments(data, (0.5,)).axes
    numbers = [text.get_text() for text in axes.texts if text.get_text().isdigit()]
    assert numbers == [str(k) for k in range(shown)]


def test_numbers_of_a_crowd_are_left_out():
    data = far_away(data_of(12))
    assert numbers_fit(data, 0, 40.0)
    crowd = data._replace(poses=data.poses * [0.3, 1.0, 1.0])
    assert not numbers_fit(crowd, 0, 15.0)
    assert numbers_of(draw_moments(crowd, (0.0,))) == []
    assert len(_Film(crowd)._numbers.texts) == 0
    few = far_away(data_of(8))
    few = few._replace(poses=few.poses * [0.1, 1.0, 1.0])
    assert numbers_of(draw_moments(few, (0.0,))) == []
    assert len(_Film(few)._numbers.texts) == 8  # whose trails would not tell who is who


def test_a_number_is_in_a_large_robot_and_beside_a_small_one():
    data = data_of(3)
    for shown, inside in ((data, True), (far_away(data), False)):
        for small in (draw_moments(shown, (0.0,)), draw_run(shown)):
            texts = numbers_of(small)
            assert [text.get_ha() == 'center' for text in texts] == [inside] * 3
            assert [text.xy == tuple(pose[:2]) for text, pose in
                    zip(texts, shown.poses[0].tolist(), strict=True)] == [inside] * 3
    # White or black, as the robot is dark or bright.
    orange, blue, green = (text.get_color() for text in numbers_of(draw_run(data)))
    assert (orange, blue, green) == (LIGHT.ink, 'white', 'white')


def test_the_line_of_a_heading_does_not_cross_the_number_in_a_robot():
    data = data_of(3)
    for numbered, start in ((20, 0.3), (2, 0.0)):
        axes = Figure(figsize=(7.0, 4.0)).add_subplot()
        lines = Robots(axes, data, data.poses[0], '', numbered).headings.get_segments()
        assert [line[0, 0] for line in lines[::-1]] == pytest.approx(
            data.poses[0, :, 0] + start)


def test_numbers_of_neighbours_in_a_film_do_not_cover_each_other():
    data = far_away(data_of(2))
    poses = np.tile([[[5.0, 3.0, 0.0], [5.1, 3.6, 0.0]]], (len(data.poses), 1, 1))
    film = _Film(data._replace(poses=poses))
    film.frame(0)
    one, other = (text.get_window_extent() for text in film._numbers.texts)
    assert not one.overlaps(other)


def test_a_number_is_not_written_over_an_obstacle():
    robots = [{'pose': [3 + k, 4.6, 0], 'controller': 'none'} for k in range(2)]
    data = far_away(from_result(sbot.run({
        'duration': 0.1, 'robots': robots,
        'world': {'bounds': [0, 0, 12, 6],
                  'rectangles': [{'center': [6, 5.5], 'size': [12, 1]}]}})))
    assert all(text.xy[1] < 4.6 for text in numbers_of(draw_run(data)))


def test_the_whole_of_a_number_is_beside_an_obstacle():
    # Its corner next to the robot was free, its far end was not.
    data = far_away(from_result(sbot.run({
        'duration': 0.1, 'robots': [{'pose': [3 + 2 * k, 4, 0], 'controller': 'none'}
                                    for k in range(2)],
        'world': {'bounds': [0, 0, 12, 6], 'rectangles': [{'center': [6, 5.2], 'size': [12, 0.7]}]
                  }})))
    assert all(text.xy[1] < 4.0 for text in numbers_of(draw_run(data)))


def far_away(data):
    """In an arena so large that the robots are small."""
    return data._replace(world=data.world._replace(bounds=np.array([0.0, 0.0, 40.0, 20.0])))


def numbers_of(figure):
    return [text for text in figure.axes[0].texts if text.get_text().isdigit()]
