"""Palettes of films: large areas keep their colours."""

import numpy as np
from PIL import Image

from sbot.figures.gif import palette_of, write_gif


def test_frequent_colours_are_kept_and_rare_ones_are_near(tmp_path):
    frame = np.full((100, 200, 3), 255, np.uint8)
    frame[20:60, 20:90] = [0x5a, 0x5f, 0x66]
    frame[70:90, :128] = np.random.default_rng(1).integers(0, 256, (20, 128, 3))  # rare ones
    path = tmp_path / 'a.gif'
    frames = [frame, np.roll(frame, 7, axis=1)]
    write_gif(path, iter(frames), iter(frames), 10.0)
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
