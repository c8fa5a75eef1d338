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
from sbot.figures.film import _Film, _speed_up, animate_run, film_length
from sbot.figures.look import AUTO, PLAIN, Film, asked
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


def test_frames_follow_speed_and_rate(bag):
    data = RunData.from_bag(bag)
    assert _speed_up(data, AUTO) == 1.0
    assert film_length(data, '.mp4', Film(fps=10.0, speed=0.5)) == int(data.seconds[-1] / 0.05) + 1
    long = data._replace(stamps_ns=data.stamps_ns * 60)
    assert _speed_up(long, AUTO) == pytest.approx(long.seconds[-1] / 20.0)
    assert _speed_up(long, Film(speed=1.0)) == 1.0


@needs_ffmpeg
def test_an_mp4_is_as_asked_for(bag, tmp_path):
    path = tmp_path / 'run.mp4'
    sbot.plot(str(bag), path, size='640x360', fps=20, speed=0.5)
    found = subprocess.run(['ffprobe', '-v', 'error', '-select_streams', 'v', '-show_entries',
                            'stream=width,height,r_frame_rate,nb_frames', '-of', 'csv=p=0',
                            str(path)], capture_output=True, text=True, check=True).stdout.strip()
    frames = film_length(RunData.from_bag(bag), '.mp4', Film(fps=20.0, speed=0.5))
    assert found == f'640,360,20/1,{frames}'


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
