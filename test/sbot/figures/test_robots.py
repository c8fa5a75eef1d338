import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from PIL import Image

import sbot
from sbot.figures.arena import robot_colours
from sbot.figures.data import RunData
from sbot.figures.film import _Film
from sbot.figures.picture import _draw_run
from sbot.figures.robots import Robots
from sbot.figures.tracks import _contact_begins


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


def data_of(count=3, moving=(), goals=True):
    robots = [{'pose': [1 + 0.7 * k, 2, 0], 'controller': 'none',
               **({'goal': [1 + 0.7 * k, 5]} if goals else {})} for k in range(count)]
    return RunData.from_result(sbot.run({'duration': 1, 'rate': 10, 'robots': robots,
                                 'world': {'bounds': [0, 0, 12, 6], 'moving': list(moving)}}))


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


def far_away(data):
    """In an arena so large that the robots are small."""
    return data._replace(world=data.world._replace(bounds=np.array([0.0, 0.0, 40.0, 20.0])))


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
