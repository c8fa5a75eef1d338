import numpy as np
from matplotlib.colors import to_rgb
from PIL import Image

from sbot.figures.arena.colours import robot_colours
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
