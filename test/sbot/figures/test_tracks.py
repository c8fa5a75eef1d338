import numpy as np
import pytest
from matplotlib.colors import to_rgb

import sbot
from sbot.api.functions import plot
from sbot.cli.main import main
from sbot.figures.arena.colours import robot_colours
from sbot.figures.data import from_result
from sbot.figures.picture import Look, check_look, draw_run
from sbot_common.errors import InputError


class Circle:
    def step(self, observation, rng):
        return 0.8, 0.8


def swarm(count, walls=True):
    return from_result(sbot.run({
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
    figure = draw_run(few, colour)
    tracks = tracks_of(figure)
    assert len(tracks.get_segments()) == lines
    assert (tracks.get_array() is not None) == (colour == 'time')
    if colour != 'time':
        expected = [to_rgb(each) for each in robot_colours(few)[::-1]]
        assert np.allclose(tracks.get_colors()[:, :3], expected)
    assert len(figure.axes) == (3 if colour == 'time' else 2)  # with the legend of time


def test_tracks_of_many_are_coloured_by_time_unless_asked_otherwise(many):
    assert tracks_of(draw_run(many)).get_array() is not None
    tracks = tracks_of(draw_run(many, 'robot'))
    assert tracks.get_array() is None
    colours = np.unique(np.round(tracks.get_colors()[:, :3], 3), axis=0)
    assert len(colours) == 12
    bodies = max((each for each in draw_run(many, 'robot').axes[0].collections
                  if len(each.get_offsets()) == 12), key=lambda each: each.get_zorder())
    assert np.allclose(bodies.get_facecolor()[:, :3], tracks.get_colors()[:, :3])


def test_dots_say_when_a_robot_was_where(few):
    figure = draw_run(few)
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
    axes = draw_run(few._replace(poses=poses)).axes[0]
    assert axes.get_ylim()[1] < 8.2  # walls end the picture
    open_world = swarm(4, walls=False)
    gone = open_world.poses.copy()
    gone[-1, 0, 1] = 11.0
    assert 11.0 < draw_run(open_world._replace(poses=gone)).axes[0].get_ylim()[1] < 12.0
    gone[-1, 0, 1] = 1e6
    assert draw_run(open_world._replace(poses=gone)).axes[0].get_ylim()[1] < 15.0


@pytest.mark.parametrize(('look', 'film', 'error'), [
    (Look(colour='speed'), False, '--colour: got speed, expected robot, time, heading'),
    (Look(colour='heading'), False, '--colour heading needs --at or a film; give one'),
    (Look((1.0,), 'time'), False, '--colour time cannot be combined with --at'),
    (Look(colour='time'), True, '--colour time cannot be combined with a film'),
    (Look((1.0,)), True, '--at cannot be combined with a film'),
])
def test_colours_that_do_not_fit_are_one_line(look, film, error):
    with pytest.raises(InputError) as raised:
        check_look(look, film, '--')
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
    (['plot', 'leader_follower', '-o', 'x.html'], 'sbot view BAG -o FILE.html'),
])
def test_other_endings_name_the_command_that_writes_them(command, hint, capsys):
    assert main(command) == 2
    assert hint in capsys.readouterr().err


@pytest.mark.parametrize('suffix', ['.svg', '.pdf'])
def test_vector_pictures_of_a_few_are_small_and_hold_lines(few, suffix, tmp_path):
    path = tmp_path / f'run{suffix}'
    sbot.plot(sbot.run('leader_follower', duration=4), path)
    data = path.read_bytes()
    assert len(data) < 400_000
    assert b'<image' not in data
    assert b'/Subtype /Image' not in data
