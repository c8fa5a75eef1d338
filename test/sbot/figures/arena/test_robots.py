import numpy as np
import pytest
from matplotlib.colors import to_rgb
from PIL import Image

from sbot.figures.arena.colours import robot_colours
from sbot.figures.arena.robots import heading_lines
from sbot.figures.picture import draw_run


def test_picture_shows_robots_where_they_end(data, tmp_path):
    figure = draw_run(data)
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
    ends = heading_lines(poses, np.array([0.2, 0.5]), {1: (1.0, 0.4, 0.3)})
    assert ends == pytest.approx(np.array([[[1, 1], [1.3, 1]], [[3, 1.3], [3, 1.8]]]))
