import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.offsetbox import AnnotationBbox
from PIL import Image

import sbot
from sbot.figures.arena import robot_colours
from sbot.figures.data import RunData
from sbot.figures.film import _Film
from sbot.figures.look import LIGHT, Film, Look
from sbot.figures.picture import _draw_run
from sbot.figures.robots import Robots, _heading_lines, numbers_fit
from sbot.figures.tracks import _contact_begins, draw_moments


def test_picture_shows_robots_where_they_end(data, tmp_path):
    figure = _draw_run(data)
    figure.savefig(tmp_path / 'run.png', dpi=100)
    pixels = np.asarray(Image.open(tmp_path / 'run.png').convert('RGB'))
    figure.set_dpi(100)
    figure.draw_without_rendering()
    places = figure.axes[0].transData.transform(data.poses[-1, :, :2])
    yaw = data.poses[-1, :, 2]
    for (x, y), turn, colour in zip(places, yaw, robot_colours(data), strict=True):
        # Behind the centre, away from the line that shows the heading.
        column = round(x - 3 * np.cos(turn))
        row = round(pixels.shape[0] - 1 - (y - 3 * np.sin(turn)))
        near = pixels[row - 1:row + 2, column - 1:column + 2].reshape(-1, 3) / 255
        assert np.abs(near - to_rgb(colour)).sum(axis=1).min() < 0.1
    assert len(figure.axes) == 4  # arena, speed, distance, wind


def test_the_heading_of_a_rectangle_ends_at_its_front():
    poses = np.array([[1.0, 1.0, 0.0], [3.0, 1.0, np.pi / 2]])
    ends = _heading_lines(poses, np.array([0.2, 0.5]), {
        1: np.array([[-0.2, -0.2], [0.8, -0.2], [0.8, 0.2], [-0.2, 0.2]])})
    assert ends == pytest.approx(np.array([[[1, 1], [1.3, 1]], [[3, 1.3], [3, 1.8]]]))


def data_of(count=3, moving=(), goals=True):
    robots = [{'pose': [1 + 0.7 * k, 2, 0], 'controller': 'none',
               **({'goal': [1 + 0.7 * k, 5]} if goals else {})} for k in range(count)]
    return RunData.from_result(sbot.run({'duration': 1, 'rate': 10, 'robots': robots,
                                 'world': {'bounds': [0, 0, 12, 6], 'moving': list(moving)}}))


@pytest.mark.parametrize(('count', 'shown'), [(1, 0), (2, 2), (12, 12), (13, 0)])
def test_few_robots_have_numbers_in_films_and_moments(count, shown):
    data = data_of(count)
    poses = data.poses.copy()
    poses[-1, :, 1] += 1.5
    film = _Film(data._replace(poses=poses))
    film.frame(len(data.stamps_ns) - 1)
    texts = film._numbers.texts
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
        for small in (draw_moments(shown, (0.0,)), _draw_run(shown)):
            texts = numbers_of(small)
            assert [text.get_ha() == 'center' for text in texts] == [inside] * 3
            assert [text.xy == tuple(pose[:2]) for text, pose in
                    zip(texts, shown.poses[0].tolist(), strict=True)] == [inside] * 3
    # White or black, as the robot is dark or bright.
    orange, blue, green = (text.get_color() for text in numbers_of(_draw_run(data)))
    assert (orange, blue, green) == (LIGHT.ink, 'white', 'white')


def test_the_line_of_a_heading_does_not_cross_the_number_in_a_robot():
    data = data_of(3)
    for numbered, start in ((20, 0.3), (2, 0.0)):
        axes = Figure(figsize=(7.0, 4.0)).add_subplot()
        lines = Robots(axes, data, data.poses[0], '', numbered).headings.get_segments()
        assert [line[0, 0] for line in lines[::-1]] == pytest.approx(data.poses[0, :, 0] + start)


def test_numbers_of_neighbours_in_a_film_do_not_cover_each_other():
    data = far_away(data_of(2))
    poses = np.tile([[[5.0, 3.0, 0.0], [5.1, 3.6, 0.0]]], (len(data.poses), 1, 1))
    film = _Film(data._replace(poses=poses))
    film.frame(0)
    one, other = (text.get_window_extent() for text in film._numbers.texts)
    assert not one.overlaps(other)


def test_the_whole_of_a_number_is_beside_an_obstacle():
    # Its corner next to the robot was free, its far end was not.
    data = far_away(RunData.from_result(sbot.run({
        'duration': 0.1, 'robots': [{'pose': [3 + 2 * k, 4, 0], 'controller': 'none'}
                                    for k in range(2)],
        'world': {'bounds': [0, 0, 12, 6], 'rectangles': [{'center': [6, 5.2], 'size': [12, 0.7]}]
                  }})))
    assert all(text.xy[1] < 4.0 for text in numbers_of(_draw_run(data)))


def far_away(data):
    """In an arena so large that the robots are small."""
    return data._replace(world=data.world._replace(bounds=np.array([0.0, 0.0, 40.0, 20.0])))


def numbers_of(figure):
    return [text for text in figure.axes[0].texts if text.get_text().isdigit()]


class Ahead:
    def step(self, observation, rng):
        return 0.5, 0.0


def test_a_cross_shows_where_a_contact_begins():
    data = RunData.from_result(sbot.run({
        'duration': 3, 'world': {'bounds': [0, 0, 6, 6], 'circles': [
            {'center': [2, 3], 'radius': 0.3}]},
        'robots': [{'pose': [1, 3, 0], 'controller': Ahead},
                   {'pose': [1, 5, 0], 'controller': Ahead}]}))
    rows, robots = _contact_begins(data)
    assert robots.tolist() == [0]
    assert rows.tolist() == [int(np.flatnonzero(data.contacts[:, 0])[0])]
    axes = _draw_run(data).axes[0]
    [crosses] = [line for line in axes.lines if line.get_gid() == 'contacts']
    assert np.allclose(crosses.get_xydata(), data.poses[rows, robots, :2])
    assert 'contact' in [text.get_text() for text in axes.get_legend().get_texts()]
    again = data.contacts.copy()
    again[:] = False
    again[[10, 15, 70, 71], 1] = True  # less than a second apart: one contact
    assert _contact_begins(data._replace(contacts=again))[0].tolist() == [10, 70]
    assert not len(_contact_begins(data._replace(contacts=None))[0])


def legend_of(film):
    return [each for each in film._axes.artists if isinstance(each, AnnotationBbox)]


@pytest.mark.parametrize('size', [Film(420), Film(640, 480)])
def test_a_film_by_heading_explains_its_colours_below_the_arena(data, size):
    assert not legend_of(_Film(data, Look(colour='robot'), size))
    film = _Film(data, Look(colour='heading'), size)
    film.frame(0)
    legend = legend_of(film)[0].get_window_extent()
    arena = film._axes.get_window_extent()
    [scale] = [text for text in film._axes.texts if text.get_gid() == 'scale']
    assert 0.0 <= legend.y0 < legend.y1 <= arena.y0
    assert scale.get_window_extent().x1 < legend.x0 < legend.x1 <= arena.x1 + 1.0
