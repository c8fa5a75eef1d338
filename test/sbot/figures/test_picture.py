import shutil
import subprocess

import numpy as np
import pytest
from matplotlib import rc_context
from matplotlib.colors import to_rgb
from matplotlib.quiver import Quiver
from pictures import record, scenario
from PIL import Image

import sbot
from sbot.api.loading import load
from sbot.cli import main as cli
from sbot.figures import animation as animate
from sbot.figures.arena import free_wind_arrows, robot_colours
from sbot.figures.data import at_rest, from_bag, from_result, load_run
from sbot.figures.film import frame_indexes
from sbot.figures.palette import drawing, palette, style_of
from sbot.figures.panels import gust_of, leader_distances, speeds, wind_reductions
from sbot.figures.picture import Look, draw, draw_run, plot_run
from sbot.scenario.load import load_scenario
from sbot_common.errors import InputError


@pytest.fixture(scope='module')
def recorded(tmp_path_factory):
    return record(tmp_path_factory.mktemp('plot'))


@pytest.fixture(scope='module')
def data(recorded):
    return from_bag(recorded[0])


def crowd(data, count, ticks=60):
    """Return the data of many robots on circles."""
    rng = np.random.default_rng(0)
    t = np.arange(ticks)[:, None] / 30
    radius, phase = rng.uniform(0.5, 4.5, count), rng.uniform(0, 6.3, count)
    poses = np.stack([8 + radius * np.cos(t + phase), 5 + radius * np.sin(t + phase),
                      (t + phase + 9) % 6.28 - 3.14], axis=2)
    wind = np.tile([0.1, 0.0], (ticks, count, 1))
    return data._replace(stamps_ns=data.stamps_ns[:ticks], poses=poses, wind=wind,
                         free_wind=2 * wind, radius=np.full(count, 0.05))


def test_a_recording_and_its_run_give_the_same_data(recorded):
    path, run = recorded
    bag, live = from_bag(path), from_result(run)
    for name in ('stamps_ns', 'poses', 'wind', 'free_wind', 'radius', 'outside'):
        assert np.array_equal(getattr(bag, name), getattr(live, name)), name
    assert bag.goals == live.goals
    assert bag.goals[0][2:] == (13.0, 5.5)
    assert bag.wind.any()
    assert (bag.free_wind[1:] == bag.outside[:2]).all()


def test_speed_distance_and_reduction_of_known_motion(data):
    ticks, x = 60, np.arange(60) / 30
    poses = np.zeros((ticks, 2, 3))
    poses[:, 0, 0] = 1.5 * x
    poses[:, 1, 1] = 4.0
    wind = np.tile([0.3, 0.4], (ticks, 2, 1))
    free = wind.copy()
    wind[:, 1] *= 0.25
    free[0] = 0.0
    known = data._replace(stamps_ns=data.stamps_ns[:ticks], poses=poses, wind=wind,
                          free_wind=free)
    assert speeds(known)[:, 0] == pytest.approx(1.5)
    assert speeds(known)[:, 1] == pytest.approx(0.0)
    assert leader_distances(known)[:, 1] == pytest.approx(np.hypot(1.5 * x, 4.0))
    assert np.isnan(wind_reductions(known)[0]).all()
    assert wind_reductions(known)[1:] == pytest.approx(np.tile([0.0, 0.75], (59, 1)))


def test_a_goal_has_the_colour_of_its_robot():
    robots = [{'pose': [2, 2 + 2 * i, 0], 'controller': 'none'} for i in range(3)]
    robots[1]['goal'], robots[2]['goal'] = [8, 3], [8, 6]
    run = sbot.run({'duration': 0.1, 'world': {'bounds': [0, 0, 10, 10]}, 'robots': robots})
    data = from_result(run)
    marks = [each for each in draw_run(data).axes[0].collections
             if each.get_offsets().tolist() == [[8.0, 3.0], [8.0, 6.0]]]
    filled = [each.get_facecolors()[:, :3].tolist() for each in marks
              if len(each.get_facecolors()) == 2]
    assert filled == [[list(to_rgb(colour)) for colour in robot_colours(data)[1:]]]


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


@pytest.mark.parametrize('suffix', ['.png', '.svg', '.pdf'])
def test_equal_runs_give_equal_files(data, tmp_path, suffix):
    one, two = tmp_path / f'one{suffix}', tmp_path / f'two{suffix}'
    plot_run(data, one)
    plot_run(data, two)
    assert one.read_bytes() == two.read_bytes()
    assert one.read_bytes()[:5] in (b'\x89PNG\r', b'<?xml', b'%PDF-')


def test_a_crowd_is_drawn_as_a_median_and_bands(data, tmp_path):
    figure = draw_run(crowd(data, 400))
    panel = figure.axes[2]
    assert [text.get_text() for text in panel.get_legend().get_texts()] == [
        'all 399 others', '10–90 % of them', 'median', 'leader (0)']
    assert len(panel.lines) == 2
    plot_run(crowd(data, 400), tmp_path / 'crowd.pdf')
    assert (tmp_path / 'crowd.pdf').stat().st_size < 2_000_000  # its tracks are an image


def test_one_robot_in_still_air_has_one_panel(tmp_path):
    run = scenario(tmp_path, robots=1)
    calm = run.wind.flow._replace(wind_speed_mean=0.0)
    still = run.model_copy(update={'wind': run.wind._replace(flow=calm)})
    data = at_rest(still)
    assert len(free_wind_arrows(data)) == 0
    data = data._replace(stamps_ns=data.stamps_ns + np.arange(9) * 33_333_333,
                         poses=np.repeat(data.poses, 9, axis=0),
                         wind=np.zeros((9, 1, 2)), free_wind=np.zeros((9, 1, 2)))
    assert len(draw_run(data).axes) == 2


def film_of(data, path):
    animate.animate_run(data, path)
    return path


def test_gif_has_the_right_frames_and_robots_in_them(data, tmp_path):
    path = film_of(data, tmp_path / 'run.gif')
    indexes = frame_indexes(data, 12.5, 1.0)
    assert data.seconds[indexes] == pytest.approx(np.arange(len(indexes)) * 0.08, abs=0.034)
    with Image.open(path) as film:
        assert film.n_frames == len(indexes)
        assert film.info['duration'] == 80
        film.seek(film.n_frames - 1)
        last = np.asarray(film.convert('RGB')).astype(float) / 255
    canvas = animate._Film(data)
    assert canvas.size == last.shape[1::-1]
    x, y = canvas._axes.transData.transform(data.poses[indexes[-1], 0, :2])
    area = last[round(last.shape[0] - y) - 5:round(last.shape[0] - y) + 6,
                round(x) - 5:round(x) + 6].reshape(-1, 3)
    assert (np.abs(area - to_rgb(robot_colours(data)[0])).sum(axis=1) < 0.25).sum() > 20


@pytest.mark.skipif(shutil.which('ffmpeg') is None, reason='ffmpeg is not installed')
def test_mp4_lasts_as_long_as_the_run(data, tmp_path):
    path = film_of(data, tmp_path / 'run.mp4')
    seconds = subprocess.run(
        ['ffprobe', '-v', 'error', '-show_entries', 'format=duration', '-of', 'csv=p=0',
         str(path)], capture_output=True, text=True, check=True).stdout
    assert float(seconds) == pytest.approx(data.seconds[-1], abs=0.1)


def test_mp4_without_ffmpeg_says_so(data, tmp_path, monkeypatch):
    monkeypatch.setattr(shutil, 'which', lambda name: None)
    with pytest.raises(InputError, match=r'needs ffmpeg, which is not installed.*write a \.gif'):
        animate.animate_run(data, tmp_path / 'run.mp4')


def test_command_draws_bags_and_scenarios(recorded, tmp_path, capsys):
    assert cli.main(['plot', str(recorded[0]), '-o', str(tmp_path / 'a.png')]) == 0
    assert cli.main(['plot', str(recorded[0].parent / 'pictured_4.yaml'), '--duration', '4',
                     '-o', str(tmp_path / 'b.png')]) == 0
    assert (tmp_path / 'a.png').read_bytes() == (tmp_path / 'b.png').read_bytes()
    capsys.readouterr()


def still(**wind):
    scenario = load_scenario('wind_gust', {f'wind.{key}': value for key, value in wind.items()})
    data = at_rest(scenario)
    stamps = np.array([scenario.rate.stamp_ns(k) for k in range(601)], np.int64)
    return data._replace(stamps_ns=stamps, poses=np.repeat(data.poses, 601, axis=0),
                         wind=np.repeat(data.wind, 601, axis=0),
                         free_wind=np.repeat(data.free_wind, 601, axis=0))


def test_a_picture_shows_when_and_how_a_gust_blows():
    begin, end, name = gust_of(still())
    assert (begin, end) == pytest.approx((5 - 1 / 30, 10 - 1 / 30))
    assert name == 'gust 20 N'
    figure = draw_run(still(wind_force_mean=1.5))
    texts = [text.get_text().strip() for axes in figure.axes for text in axes.texts]
    assert name in texts
    assert any('mean wind force 1.5 N' in axes.get_title(loc='left') for axes in figure.axes)
    assert gust_of(still(wind_gust_force_mean=0)) is None
    assert gust_of(still(wind_gust_start=1000)) is None


def test_a_film_needs_no_option(recorded, tmp_path, capsys):
    assert cli.main(['plot', str(recorded[0]), '-o', str(tmp_path / 'a.gif')]) == 0
    assert (tmp_path / 'a.gif').read_bytes().startswith(b'GIF8')
    capsys.readouterr()


@pytest.mark.parametrize(('arguments', 'message'), [
    (['nowhere', '-o', 'x.png'], 'nowhere: no such file and no shipped scenario'),
    (['leader_follower', '-o', 'x.jpg'], "--output: got 'x.jpg', expected a file that ends in"),
    (['leader_follower', '-o', 'x.png', '--set', 'seed'], 'KEY=VALUE'),
    (['nowhere.mcap', '-o', 'x.png'], 'nowhere.mcap: no such directory or .mcap file'),
])
def test_bad_usage_is_one_line(arguments, message, capsys):
    assert cli.main(['plot', *arguments]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count('\n') == 1


def test_a_recording_takes_no_changes_and_an_unwritable_file_is_named(recorded, tmp_path, data):
    with pytest.raises(InputError, match='is a recording'):
        load_run(recorded[0], {'seed': 2})
    with pytest.raises(InputError, match=r'none/x\.png: cannot be written: No such file'):
        plot_run(data, tmp_path / 'none' / 'x.png')


def test_a_picture_shows_where_obstacles_start_and_their_paths():
    moving = [{'radius': 0.4, 'path': [[2, 1], [2, 5]], 'speed': 0.5},
              {'radius': 0.3, 'path': [[6, 1], [8, 1], [8, 4]], 'speed': 1.0, 'at_end': 'loop'}]
    data = at_rest(load({'world': {'bounds': [0, 0, 10, 6], 'moving': moving},
                         'robots': [{'pose': [5, 3, 0], 'controller': 'none'}]}))
    np.testing.assert_allclose(data.world.circles, [[2, 1, 0.4], [6, 1, 0.3]])
    paths = [line.get_xydata().tolist() for axes in draw_run(data).axes
             for line in axes.get_lines() if line.get_gid() == 'path']
    assert paths == [[[2, 1], [2, 5]], [[6, 1], [8, 1], [8, 4], [6, 1]]]


def test_obstacles_that_move_are_drawn_where_they_are():
    run = sbot.run({'duration': 2, 'rate': 10, 'world': {
        'bounds': [0, 0, 9, 9], 'circles': [{'center': [2, 7], 'radius': 0.5}],
        'moving': [{'radius': 0.4, 'path': [[2, 1], [2, 5]], 'speed': 0.5}]},
        'robots': [{'pose': [6, 6, 0], 'controller': 'none'}]})
    figure = draw_run(from_result(run))
    [disc] = [artist for artist in figure.axes[0].collections if artist.get_gid() == 'moving']
    assert disc.get_offsets() == pytest.approx(np.array([[2.0, 2.0]]))
    assert disc.get_widths() == pytest.approx([0.8])
    film = animate._Film(from_result(run))
    below = slice(30, None)  # the clock is above
    first, last = film.frame(0)[below], film.frame(20)[below]
    assert (first != last).any(axis=2).sum() > 100


def test_walls_are_the_edges_of_the_arena_and_of_the_curves(data):
    figure = draw_run(data)
    figure.draw_without_rendering()
    arena, *panels = figure.axes
    assert (*arena.get_xlim(), *arena.get_ylim()) == (0.0, 16.0, 0.0, 10.0)
    for panel in panels:
        assert panel.get_window_extent().x0 == pytest.approx(arena.get_window_extent().x0)
        assert panel.get_window_extent().x1 == pytest.approx(arena.get_window_extent().x1)


def test_both_axes_have_ticks_of_equal_steps(data):
    for look in (Look(), Look(at=(0, 1))):
        figure = draw(data, look)
        figure.draw_without_rendering()
        axes = figure.axes[0]
        steps = [np.unique(np.round(np.diff(ticks), 9))
                 for ticks in (axes.get_xticks(), axes.get_yticks())]
        assert steps[0].tolist() == steps[1].tolist()
        assert len(steps[0]) == 1
        assert float(f'{steps[0][0]:.0e}'[0]) in (1, 2, 5)


def test_colours_of_robots_stand_out_on_both_grounds(data):
    def light(colour):  # relative luminance, as of contrast ratios
        parts = np.array(to_rgb(colour))
        return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4) @ [
            0.2126, 0.7152, 0.0722]
    eight = crowd(data, 8)
    for dark in (False, True):
        with rc_context(style_of(dark)):
            colours, ground = robot_colours(eight), light(palette().ground)
        assert len(set(colours)) == 8
        ratios = [(max(light(each), ground) + 0.05) / (min(light(each), ground) + 0.05)
                  for each in colours]
        assert min(ratios) > (4.0 if dark else 2.0)


def test_a_goal_of_several_robots_is_not_filled(data):
    shared = data._replace(goals=tuple(data.goals[0]._replace(robot=i) for i in range(3)))
    marks = [each for each in draw_run(shared).axes[0].collections
             if each.get_offsets().tolist() == [[13.0, 5.5]]]
    assert len(marks) == 2  # ring and cross
    assert all(len(each.get_facecolors()) == 0 or each.get_facecolors()[0][3] == 1.0
               for each in marks)


def test_a_narrow_arena_has_ticks_of_its_own(data):
    narrow = data._replace(world=data.world._replace(bounds=np.array([0.0, 0.0, 14.0, 1.6])))
    axes = draw(narrow, Look()).axes[0]
    low, high = axes.get_ylim()
    assert sum(low <= tick <= high for tick in axes.get_yticks()) >= 2


class Steady:
    def step(self, observation, rng):
        return 0.5, 0.4


@pytest.mark.parametrize(('values', 'title'), [
    ({}, 'one robot, seed 1, 1.33 s'), ({'description': 'One circle.'}, 'One circle., one robot'),
    ({'description': 60 * 'long '}, 'one robot, seed 1'), ({'name': 'mine'}, 'mine, one robot')])
def test_a_title_has_a_name_only_if_somebody_gave_it(values, title):
    run = sbot.run({'duration': 4 / 3, 'world': {'bounds': [0, 0, 6, 6]},
                    'robots': [{'pose': [3, 1.5, 0], 'controller': Steady}], **values})
    figure = draw_run(from_result(run))
    assert figure.axes[0].get_title(loc='left').startswith(title)


def test_a_constant_speed_lies_below_the_edge():
    run = sbot.run({'duration': 2, 'world': {'bounds': [0, 0, 6, 6]},
                    'robots': [{'pose': [3, 1.5, 0], 'controller': Steady}]})
    panel = draw_run(from_result(run)).axes[1]
    assert panel.get_ylim() == pytest.approx((0.0, 0.525), abs=1e-4)


@pytest.mark.parametrize('dark', [False, True])
def test_the_wind_under_the_blue_tracks_of_many_is_grey(data, dark):
    for run, least, most in ((data, 0.2, 1.0), (crowd(data, 9), 0.0, 0.1)):
        with drawing(style_of(dark)):
            axes = draw_run(run).axes[0]
        [arrows] = [each for each in axes.collections if isinstance(each, Quiver)]
        [label] = [text for text in axes.texts if text.get_text().startswith('wind')]
        for colour in (arrows.get_facecolors()[0], label.get_color()):
            assert least <= np.ptp(to_rgb(colour)) <= most
