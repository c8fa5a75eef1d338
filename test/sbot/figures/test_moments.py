import numpy as np
import pytest
from matplotlib.colors import to_hex, to_rgb
from matplotlib.offsetbox import AnnotationBbox
from PIL import Image

import sbot
from sbot.cli.main import main
from sbot.figures.arena.colours import heading_colours
from sbot.figures.data import from_result
from sbot.figures.moments import draw_moments
from sbot.figures.palette import DARK
from sbot.figures.picture import Look, plot_run
from sbot_common.errors import InputError


class Circle:
    def step(self, observation, rng):
        return 0.8, 0.8


@pytest.fixture(scope='module')
def data():
    return from_result(sbot.run({
        'duration': 4, 'world': {'bounds': [0, 0, 12, 8]},
        'robots': [{'pose': [2 + 2 * k, 2, 0.5 * k], 'controller': Circle} for k in range(4)]}))


def bodies(axes):
    return max((each for each in axes.collections if len(each.get_offsets()) == 4),
               key=lambda each: each.get_zorder())


def test_each_panel_shows_the_robots_where_they_are_then(data):
    figure = draw_moments(data, (0, 1, 4))
    assert [axes.get_title('left') for axes in figure.axes] == ['0 s', '1 s', '4 s']
    for axes, index in zip(figure.axes, (0, 30, 120), strict=True):
        assert np.allclose(bodies(axes).get_offsets()[::-1], data.poses[index, :, :2])


def test_panels_and_labels_lie_within_the_picture_and_do_not_overlap(data):
    figure = draw_moments(data, (0, 1, 2, 3, 4))
    figure.canvas.draw()
    boxes = [axes.get_tightbbox() for axes in figure.axes]
    width, height = figure.canvas.get_width_height()
    for k, box in enumerate(boxes):
        assert 0 <= box.x0 < box.x1 <= width
        assert 0 <= box.y0 < box.y1 <= height
        for other in boxes[:k]:
            assert not box.shrunk(0.98, 0.98).overlaps(other.shrunk(0.98, 0.98))


@pytest.mark.parametrize(('bounds', 'rows'), [([0, 0, 26, 12], 1), ([0, 0, 12, 8], 1),
                                              ([0, 0, 30, 8], 3)])
def test_three_moments_leave_no_empty_place(data, bounds, rows):
    shaped = data._replace(world=data.world._replace(bounds=np.array(bounds, float)))
    figure = draw_moments(shaped, (0, 1, 2))
    assert len({round(axes.get_position().y0, 6) for axes in figure.axes}) == rows
    [legend] = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ['trail of 0.23 s']


def test_headings_have_colours_that_go_round(data):
    figure = draw_moments(data, (4,), 'heading')
    colours = bodies(figure.axes[0]).get_facecolor()[::-1, :3]
    assert np.allclose(colours, heading_colours(data.poses[-1, :, 2]))
    turn = np.array([3.1, 3.1 - 2 * np.pi])
    assert np.ptp(heading_colours(turn), axis=0).max() < 1e-9
    assert len(np.unique(np.round(colours, 3), axis=0)) == 4


@pytest.mark.parametrize(('at', 'error'), [
    ((0, 5), r'at: got 5, expected a time from 0 to 4 s'),
    ((-1,), r'at: got -1'),
    (range(13), r"at: got '13 times'|at: got 5"),
])
def test_other_times_are_one_line(data, at, error):
    with pytest.raises(InputError, match=error):
        draw_moments(data, at)


@pytest.mark.parametrize('look', [Look(dark=True), Look(at=(1.0,), dark=True)])
def test_dark_pictures_have_a_dark_ground_and_light_letters(data, tmp_path, look):
    plot_run(data, tmp_path / 'dark.png', look)
    pixels = np.asarray(Image.open(tmp_path / 'dark.png').convert('RGB'))
    ground = np.round(255 * np.array(to_rgb(DARK.ground)))
    assert (np.abs(pixels - ground) < 2).all(axis=2).mean() > 0.5
    assert (pixels.min(axis=2) > 220).any()
    assert (pixels == 255).all(axis=2).mean() < 0.001
    plot_run(data, tmp_path / 'light.png', look._replace(dark=False))
    assert (np.asarray(Image.open(tmp_path / 'light.png').convert('RGB')) == 255).mean() > 0.5


def test_the_command_takes_moments_colours_and_ground(tmp_path, capsys):
    path = tmp_path / 'at.png'
    assert main(['plot', 'single_robot', '--duration', '1', '--at', '0,1', '--colour', 'heading',
                 '--dark', '-o', str(path)]) == 0
    with Image.open(path) as image:
        assert image.width == 1400
    assert main(['plot', 'single_robot', '--duration', '1', '--at', '0,1', '--color', 'heading',
                 '--dark', '-o', str(tmp_path / 'color.png')]) == 0
    assert (tmp_path / 'color.png').read_bytes() == path.read_bytes()
    for options, expected in ((['--at', 'x'], "--at: got 'x', expected times in seconds"),
                              (['--at', '9'], 'at: got 9.0, expected a time from 0 to 1 s'),
                              (['--colour', 'heading'], '--colour heading needs --at or a film')):
        capsys.readouterr()
        assert main(['plot', 'single_robot', '--duration', '1', *options, '-o', str(path)]) == 2
        assert expected in capsys.readouterr().err
    assert main(['plot', 'single_robot', '--at', '0', '-o', str(tmp_path / 'a.gif')]) == 2
    assert '--at cannot be combined with a film' in capsys.readouterr().err


def test_a_legend_names_the_colours_of_headings(data):
    def legends(figure):
        return [artist for axes in figure.axes for artist in axes.artists
                if isinstance(artist, AnnotationBbox)]
    assert not legends(draw_moments(data, (0, 4)))
    figure = draw_moments(data, (0, 2, 4), 'heading')
    legend, = legends(figure)
    assert legend.axes is figure.axes[2]  # at the right of the first row
    _, *arrows = legend.offsetbox.get_children()
    shown = {area.get_text(): area.get_children()[0].get_color() for area in arrows}
    angles = dict(zip('→↗↑↖←↙↓↘', np.arange(8) * np.pi / 4, strict=True))
    assert shown == {arrow: to_hex(heading_colours(np.array([angle]))[0])
                     for arrow, angle in angles.items()}
    mean = data.air.velocity + np.array([0.3, 0, 0])
    windy = data._replace(air=data.air._replace(velocity=mean))
    assert not legends(draw_moments(windy, (0,), 'heading'))  # the wind's label is there
