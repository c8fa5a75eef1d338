import shutil
import subprocess

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from PIL import Image

from sbot.cli import main as cli
from sbot.figures import animation as animate
from sbot.figures.arena import robot_colours
from sbot.figures.film import frame_indexes


def test_gif_has_the_right_frames_and_robots_in_them(recorded, data, tmp_path, capsys):
    # By the command: a film needs no option.
    path = tmp_path / 'run.gif'
    assert cli.main(['plot', str(recorded[0]), '-o', str(path)]) == 0
    capsys.readouterr()
    assert path.read_bytes().startswith(b'GIF8')
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
    path = tmp_path / 'run.mp4'
    animate.animate_run(data, path)
    seconds = subprocess.run(
        ['ffprobe', '-v', 'error', '-show_entries', 'format=duration', '-of', 'csv=p=0',
         str(path)], capture_output=True, text=True, check=True).stdout
    assert float(seconds) == pytest.approx(data.seconds[-1], abs=0.1)
