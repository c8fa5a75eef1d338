import numpy as np
import pytest
from matplotlib.colors import to_rgb
from PIL import Image

import sbot
from sbot.api.functions import plot
from sbot.cli.main import main
from sbot.figures.arena import robot_colours
from sbot.figures.data import RunData
from sbot.figures.look import DARK, Look, asked
from sbot.figures.picture import _draw_run, plot_run
from sbot.figures.tracks import draw_moments
from sbot_common.errors import InputError


class Circle:
    def step(self, observation, rng):
        return 0.8, 0.8


def swarm(count, walls=True):
    return RunData.from_result(sbot.run({
        'duration': 3, 'world': {'bounds': [0, 0, 12, 8], 'open': not walls},
        'robots': [{'pose': [1 + k % 6 * 1.8, 1.5 + k // 6 * 3, 0.5 * k], 'controller': Circle}
                   for k in range(count)]}))


@pytest.fixture(scope='module')
def few():
    return swarm(4)


@pytest.fixture(scope='module')
def many():
    return swarm(12)


def tracks_of(figure):
    return next(each for each in figure.axes[0].collections if each.get_gid() == 'tracks')


@pytest.mark.parametrize(('colour', 'lines'), [('', 4), ('robot', 4), ('time', 4 * 90)])
def test_tracks_of_a_few_have_the_robots_colours_unless_asked_otherwise(few, colour, lines):
    figure = _draw_run(few, colour)
    tracks = tracks_of(figure)
    assert len(tracks.get_segments()) == lines
    assert (tracks.get_array() is not None) == (colour == 'time')
    if colour != 'time':
        expected = [to_rgb(each) for each in robot_colours(few)[::-1]]
        assert np.allclose(tracks.get_colors()[:, :3], expected)
    assert len(figure.axes) == (3 if colour == 'time' else 2)  # with the legend of time


def test_tracks_of_many_are_coloured_by_time_unless_asked_otherwise(many):
    assert tracks_of(_draw_run(many)).get_array() is not None
    tracks = tracks_of(_draw_run(many, 'robot'))
    assert tracks.get_array() is None
    assert len(np.unique(np.round(tracks.get_colors()[:, :3], 3), axis=0)) == 12
    bodies = max((each for each in _draw_run(many, 'robot').axes[0].collections
                  if len(each.get_offsets()) == 12), key=lambda each: each.get_zorder())
    assert np.allclose(bodies.get_facecolor()[:, :3], tracks.get_colors()[:, :3])


def test_dots_say_when_a_robot_was_where(few):
    figure = _draw_run(few)
    dots = [each for each in figure.axes[0].lines if each.get_gid() == 'dots']
    names = [text.get_text() for text in figure.axes[1].get_legend().get_texts()]
    assert names == ['robot 0', '1', '2', '3', 'dots every 0.5 s']
    assert len(dots) == 4
    for robot, line in enumerate(dots):
        rows = np.rint(np.arange(0.5, 2.99, 0.5) * 30).astype(int)
        assert np.allclose(np.column_stack(line.get_data()), few.poses[rows, robot, :2])


def test_a_robot_that_leaves_an_arena_without_walls_stays_in_the_picture(few):
    poses = few.poses.copy()
    poses[:, 0, 1] += np.linspace(0.0, 5.0, len(poses))
    axes = _draw_run(few._replace(poses=poses)).axes[0]
    assert axes.get_ylim()[1] < 8.2  # walls end the picture
    open_world = swarm(4, walls=False)
    gone = open_world.poses.copy()
    gone[-1, 0, 1] = 11.0
    assert 11.0 < _draw_run(open_world._replace(poses=gone)).axes[0].get_ylim()[1] < 12.0
    gone[-1, 0, 1] = 1e6
    assert _draw_run(open_world._replace(poses=gone)).axes[0].get_ylim()[1] < 15.0


@pytest.mark.parametrize(('look', 'film', 'error'), [
    (Look(colour='speed'), False, '--colour: got speed, expected robot, time, heading'),
    (Look(colour='heading'), False, '--colour heading needs --at or a film; give one'),
    (Look((1.0,), 'time'), False, '--colour time cannot be combined with --at'),
    (Look(colour='time'), True, '--colour time cannot be combined with a film'),
    (Look((1.0,)), True, '--at cannot be combined with a film')])
def test_colours_that_do_not_fit_are_one_line(look, film, error):
    with pytest.raises(InputError) as raised:
        asked('x.gif' if film else 'x.png', look, dashes='--')
    assert error in str(raised.value).replace("'", '')
    with pytest.raises(InputError):
        plot('leader_follower', 'x.gif' if film else None, at=look.at, colour=look.colour)


def test_color_is_another_name_of_colour_and_both_are_too_many():
    with pytest.raises(InputError, match="got 'speed', expected robot, time, heading"):
        plot('leader_follower', color='speed')
    with pytest.raises(InputError, match='colour cannot be combined with color'):
        plot('leader_follower', colour='time', color='time')


@pytest.mark.parametrize(('command', 'hint'), [
    (['run', 'leader_follower', '--plot', 'x.html'], 'sbot view DIR -o FILE.html'),
    (['run', 'leader_follower', '--plot', 'x.gif'], 'sbot plot SCENARIO -o FILE.gif'),
    (['plot', 'leader_follower', '-o', 'x.html'], 'sbot view BAG -o FILE.html')])
def test_other_endings_name_the_command_that_writes_them(command, hint, capsys):
    assert main(command) == 2
    assert hint in capsys.readouterr().err


@pytest.fixture(scope='module')
def data():
    return RunData.from_result(sbot.run({
        'duration': 4, 'world': {'bounds': [0, 0, 12, 8]},
        'robots': [{'pose': [2 + 2 * k, 2, 0.5 * k], 'controller': Circle} for k in range(4)]}))


def bodies(axes):
    return max((each for each in axes.collections if len(each.get_offsets()) == 4),
               key=lambda each: each.get_zorder())


@pytest.mark.parametrize(('at', 'error'), [
    ((0, 5), r'at: got 5, expected a time from 0 to 4 s'),
    ((-1,), r'at: got -1'),
    (range(13), r"at: got '13 times'|at: got 5")])
def test_other_times_are_one_line(data, at, error):
    with pytest.raises(InputError, match=error):
        draw_moments(data, at)


def test_dark_pictures_have_a_dark_ground_and_light_letters(data, tmp_path):
    look = Look(at=(1.0,), dark=True)
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
    assert main(['plot', 'single_robot', '--duration', '1', '--at', '0,1', '--color', 'heading',
                 '--dark', '-o', str(path)]) == 0
    with Image.open(path) as image:
        assert image.width == 1400
    for options, expected in ((['--at', 'x'], "--at: got 'x', expected times in seconds"),
                              (['--at', '9'], '--at: got 9.0, expected a time from 0 to 1 s'),
                              (['--colour', 'heading'], '--colour heading needs --at or a film')):
        capsys.readouterr()
        assert main(['plot', 'single_robot', '--duration', '1', *options, '-o', str(path)]) == 2
        assert expected in capsys.readouterr().err
    assert main(['plot', 'single_robot', '--at', '0', '-o', str(tmp_path / 'a.gif')]) == 2
    assert '--at cannot be combined with a film' in capsys.readouterr().err
