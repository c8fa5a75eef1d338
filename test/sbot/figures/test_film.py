"""Options of films: their size, frames per second and speed, and the limits of each."""

import shutil
import subprocess

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from pictures import record
from PIL import Image

import sbot
from sbot.cli import main as cli
from sbot.figures.arena import robot_colours
from sbot.figures.data import RunData
from sbot.figures.film import (
    _Film,
    _frame_rate,
    _speed_up,
    _write_gif,
    animate_run,
    film_length,
    palette_of,
)
from sbot.figures.look import AUTO, LIGHT, PLAIN, Film, asked
from sbot_common.errors import InputError

needs_ffmpeg = pytest.mark.skipif(shutil.which('ffmpeg') is None, reason='ffmpeg is missing')


@pytest.fixture(scope='module')
def bag(tmp_path_factory):
    return record(tmp_path_factory.mktemp('film'), robots=1, duration=2.0)[0]


@pytest.mark.parametrize('size', ['641', '640x361', '9000x10', 'large', 6.5])
def test_other_sizes_are_refused(size):
    with pytest.raises(InputError, match=r'--size: got .*, expected WIDTH or WIDTHxHEIGHT in '
                                         r'pixels, even numbers from 64 to 4096'):
        asked('a.gif', PLAIN, size, dashes='--')


@pytest.mark.parametrize(('options', 'name', 'message'), [
    ({'fps': 0.5}, 'a.gif', r'--fps: got 0.5, expected a number from 1 to 50 for a .gif'),
    ({'fps': 60.0}, 'a.gif', r'--fps: got 60.0, expected a number from 1 to 50 for a .gif'),
    ({'fps': float('nan')}, 'a.mp4', r'--fps: got nan, expected a number from 1 to 120'),
    ({'speed': 0.0}, 'a.mp4', r'--speed: got 0.0, expected a number from 0.01 to 1000'),
    ({'speed': 2.0}, 'a.png', r'--speed needs a film; write a file that ends in .mp4 or .gif'),
    ({'fps': 20}, 'a.svg', r'--fps needs a film')])
def test_options_out_of_range_are_refused(options, name, message):
    with pytest.raises(InputError, match=message):
        asked(name, PLAIN, **options, dashes='--')


@pytest.mark.parametrize(('suffix', 'options', 'frames'), [
    ('.mp4', Film(fps=120.0, speed=0.01), 12_000_000_000_001),
    ('.gif', Film(speed=0.01), 1_250_000_000_001)])
def test_a_film_of_a_long_run_is_refused_before_its_frames_take_memory(
        bag, tmp_path, monkeypatch, suffix, options, frames):
    monkeypatch.setattr(shutil, 'which', lambda name: name)  # as if ffmpeg were there
    data = RunData.from_bag(bag)
    long = data._replace(stamps_ns=np.linspace(0, 10**18, len(data.stamps_ns)).astype(np.int64))
    with pytest.raises(InputError, match=rf'{suffix}: got {frames} frames of \d+ x \d+ pixels, '
                                         r'expected at most \d+ frames; choose a higher speed'):
        animate_run(long, tmp_path / f'run{suffix}', film=options)


def test_a_gif_has_whole_hundredths_of_seconds():
    assert _frame_rate(Film(), '.gif') == 12.5
    assert _frame_rate(Film(fps=30.0), '.gif') == 25.0
    assert _frame_rate(Film(fps=50.0), '.gif') == 50.0
    assert _frame_rate(Film(fps=30.0), '.mp4') == 30.0


def test_frames_follow_speed_and_rate(bag):
    data = RunData.from_bag(bag)
    assert _speed_up(data, AUTO) == 1.0
    assert film_length(data, '.mp4', Film(fps=10.0, speed=0.5)) == int(data.seconds[-1] / 0.05) + 1
    long = data._replace(stamps_ns=data.stamps_ns * 60)
    assert _speed_up(long, AUTO) == pytest.approx(long.seconds[-1] / 20.0)
    assert _speed_up(long, Film(speed=1.0)) == 1.0


def test_a_gif_is_as_asked_for(bag, tmp_path):
    path = tmp_path / 'run.gif'
    assert cli.main(['plot', str(bag), '-o', str(path), '--size', '320x240', '--fps', '5',
                     '--speed', '2']) == 0
    with Image.open(path) as film:
        assert film.size == (320, 240)
        assert film.info['duration'] == 200
        assert film.n_frames == 5 + (RunData.from_bag(bag).seconds[-1] >= 2.0)


def test_width_alone_keeps_the_shape_of_the_arena(bag, tmp_path):
    sizes = []
    for width in (0, 420):
        animate_run(RunData.from_bag(bag), tmp_path / 'run.gif', film=Film(width, fps=1.0))
        with Image.open(tmp_path / 'run.gif') as film:
            sizes.append(film.size)
    assert sizes[0][0] == 840
    assert sizes[1][0] == 420
    # Lines of text above and below the arena have the same letters: 120 and 100 pixels an inch.
    arenas = [height - 0.58 * dpi for (_, height), dpi in zip(sizes, (120, 100), strict=True)]
    assert arenas[0] == pytest.approx(2 * arenas[1], abs=6)


@needs_ffmpeg
def test_an_mp4_is_as_asked_for(bag, tmp_path):
    path = tmp_path / 'run.mp4'
    sbot.plot(str(bag), path, size='640x360', fps=20, speed=0.5)
    found = subprocess.run(['ffprobe', '-v', 'error', '-select_streams', 'v', '-show_entries',
                            'stream=width,height,r_frame_rate,nb_frames', '-of', 'csv=p=0',
                            str(path)], capture_output=True, text=True, check=True).stdout.strip()
    frames = film_length(RunData.from_bag(bag), '.mp4', Film(fps=20.0, speed=0.5))
    assert found == f'640,360,20/1,{frames}'


def test_a_robot_on_its_goal_is_seen_in_a_ring_without_a_cross(bag):
    data = RunData.from_bag(bag)
    # Not in the middle of the goal.
    place = (data.poses[-1, 0, :2] + 1.2 * data.radius[0]).tolist()
    film = _Film(data._replace(goals=(data.goals[0]._replace(x=place[0], y=place[1]),)))
    away, there = (film.frame(index)[:, :, :3] / 255 for index in (0, len(data.stamps_ns) - 1))
    x, y = film._axes.transData.transform(data.poses[-1, 0, :2])
    rows, columns = np.mgrid[:there.shape[0], :there.shape[1]]
    far = np.hypot(columns + 0.5 - x, there.shape[0] - rows - 0.5 - y)
    red = [np.abs(pixels - to_rgb(LIGHT.goal)).sum(axis=2) < 0.1 for pixels in (away, there)]
    pixel = film._axes.transData.transform([(0, 0), (float(data.radius[0]), 0)])
    wide = float(np.ptp(pixel[:, 0]))
    assert red[0].sum() > red[1].sum() > 0
    assert not red[1][far <= wide].any()
    assert red[1][(far > wide) & (far < 4 * wide)].any()


def test_a_trail_contains_every_recorded_pose_and_ends_at_its_robot(bag):
    data = RunData.from_bag(bag)
    film, last = _Film(data), len(data.stamps_ns) - 1
    for index in (0, last // 2, last):
        film.frame(index)
        first = max(0, index - max(2, int(0.25 * (last + 1))))
        for i, trail in enumerate(film._trails.get_segments()):
            assert np.array_equal(trail, data.poses[first:index + 1, i, :2])


def test_gif_has_the_right_frames_and_robots_in_them(recorded, data, tmp_path, capsys):
    # By the command: a film needs no option.
    path = tmp_path / 'run.gif'
    assert cli.main(['plot', str(recorded[0]), '-o', str(path)]) == 0
    capsys.readouterr()
    assert path.read_bytes().startswith(b'GIF8')
    with Image.open(path) as film:
        assert film.n_frames == film_length(data, '.gif', AUTO)
        assert film.info['duration'] == 80
        film.seek(film.n_frames - 1)
        last = np.asarray(film.convert('RGB')).astype(float) / 255
    canvas = _Film(data)
    assert canvas.size == last.shape[1::-1]
    end = np.searchsorted(data.seconds, 0.08 * (film.n_frames - 1), side='right') - 1
    x, y = canvas._axes.transData.transform(data.poses[end, 0, :2])
    area = last[round(last.shape[0] - y) - 5:round(last.shape[0] - y) + 6,
                round(x) - 5:round(x) + 6].reshape(-1, 3)
    assert (np.abs(area - to_rgb(robot_colours(data)[0])).sum(axis=1) < 0.25).sum() > 20


def test_a_missing_ffmpeg_is_noticed_before_a_scenario_runs(monkeypatch, capsys):
    monkeypatch.setattr(shutil, 'which', lambda name: None)
    assert cli.main(['plot', 'no_such_scenario', '-o', 'a.mp4']) == 2
    assert 'needs ffmpeg, which is not installed' in capsys.readouterr().err


def test_frequent_colours_are_kept_and_rare_ones_are_near(tmp_path):
    frame = np.full((100, 200, 3), 255, np.uint8)
    frame[20:60, 20:90] = [0x5a, 0x5f, 0x66]
    frame[70:90, :128] = np.random.default_rng(1).integers(0, 256, (20, 128, 3))  # rare ones
    path = tmp_path / 'a.gif'
    frames = [frame, np.roll(frame, 7, axis=1)]
    _write_gif(path, iter(frames), iter(frames), 10.0)
    with Image.open(path) as film:
        assert (film.n_frames, film.info['duration']) == (2, 100)
        shown = np.asarray(film.convert('RGB')).astype(int)
    assert (shown[20:60, 20:90] == [0x5a, 0x5f, 0x66]).all()
    assert (shown[5, 5] == 255).all()
    assert np.abs(shown[70:90, :128] - frame[70:90, :128]).mean() < 40


def test_nearly_white_is_white():
    frame = np.full((20, 20, 3), 255, np.uint8)
    frame[:4] = 250
    colours = np.array(palette_of(Image.fromarray(frame), 16).getpalette()).reshape(-1, 3)
    assert not ((colours > 247) & (colours < 255)).any()
