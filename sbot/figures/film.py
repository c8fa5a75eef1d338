"""Options of a film: size, frames per second, speed; GIF files of frames."""

from __future__ import annotations

import math
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from sbot.figures.data import RunData
from sbot_common.arrays import Bytes
from sbot_common.errors import InputError, bad_value

FORMATS = ('.mp4', '.gif')
SIZES = (64, 4096)  # pixels, of a side
_SPEEDS = (0.01, 1000.0)  # times real time
_MOST_FPS = {'.mp4': 120.0, '.gif': 50.0}  # browsers play a GIF of more frames slowly

_LONGEST = 20.0  # s of film: longer runs are shown faster, unless a speed is given
_FPS = {'.mp4': 25.0, '.gif': 12.5}
_MOST_GIF_PIXELS = 1e9  # of all frames: Pillow holds them in memory, a byte each
_MOST_FRAMES = 100_000


class Film(NamedTuple):
    """How a film is made; what is None, or 0 pixels, is chosen by the run and the format."""

    width: int = 0  # pixels
    height: int = 0  # pixels; 0: as the arena needs it
    fps: float | None = None  # frames per second of the film
    speed: float | None = None  # times real time


AUTO = Film()


def read_size(size: str | int | None, name: str) -> tuple[int, int]:
    """Return width and height (pixels) of a size WIDTH or WIDTHxHEIGHT; (0, 0) for None.

    Raises
    ------
    InputError
        for other text, or a side out of range. ``name`` is the option's.

    """
    if size is None:
        return 0, 0
    match = re.fullmatch(r'(\d{1,6})(?:x(\d{1,6}))?', str(size))
    sides = [int(each) for each in match.groups() if each] if match else []
    if not sides or not all(SIZES[0] <= side <= SIZES[1] and side % 2 == 0 for side in sides):
        raise bad_value(name, size, 'WIDTH or WIDTHxHEIGHT in pixels, even numbers from '
                        f'{SIZES[0]} to {SIZES[1]}, e.g. 1280 or 1280x720')
    return sides[0], sides[1] if len(sides) == 2 else 0


def check_film(film: Film, suffix: str, dashes: str = '') -> None:
    """Check the options of a film before anything runs.

    Parameters
    ----------
    film : the options
    suffix : ending of the file
    dashes : what stands before the names of options, for messages

    Raises
    ------
    InputError
        for a value out of range, a rate or speed where no film is written, or no ffmpeg.

    """
    if suffix not in FORMATS:
        given = [name for name, value in (('fps', film.fps), ('speed', film.speed))
                 if value is not None]
        if given:
            raise InputError(f'{dashes}{given[0]} needs a film; write a file that ends in '
                             f'{" or ".join(FORMATS)}')
        return
    most = _MOST_FPS[suffix]
    if not _is_within(film.fps, 1.0, most):
        raise bad_value(f'{dashes}fps', film.fps, f'a number from 1 to {most:g} for a {suffix}')
    if not _is_within(film.speed, *_SPEEDS):
        raise bad_value(f'{dashes}speed', film.speed,
                        f'a number from {_SPEEDS[0]:g} to {_SPEEDS[1]:g} (times real time)')
    if suffix == '.mp4' and shutil.which('ffmpeg') is None:
        raise InputError('a film in MP4 needs ffmpeg, which is not installed; install it (apt '
                         'install ffmpeg) or write a .gif')


def _is_within(value: float | None, least: float, most: float) -> bool:
    """Tell whether a number is within limits, or not given; ``True`` is no number."""
    return value is None or (not isinstance(value, bool) and least <= value <= most)


def frame_rate(film: Film, suffix: str) -> float:
    """Return the frames per second of a film; of a GIF one whose period is whole hundredths."""
    wanted = film.fps or _FPS[suffix]
    return 100.0 / math.ceil(100.0 / wanted - 1e-9) if suffix == '.gif' else wanted


def speed_up(data: RunData, film: Film = AUTO) -> float:
    """Return how many times faster than the run its film is; by itself at least 1."""
    return film.speed or max(1.0, float(data.seconds[-1]) / _LONGEST)


def frame_count(data: RunData, rate: float, faster: float) -> int:
    """Return how many frames a film has, at ``rate`` frames per second of film."""
    return int((float(data.seconds[-1]) + 1e-9) * rate / faster) + 1


def frame_indexes(data: RunData, rate: float, faster: float) -> NDArray[np.intp]:
    """Return which of the stamps are shown, as many as ``frame_count``: check that before."""
    shown = np.arange(frame_count(data, rate, faster)) * (faster / rate)
    return np.searchsorted(data.seconds, shown, side='right') - 1


def check_length(path: object, suffix: str, frames: int, size: tuple[int, int]) -> None:
    """Check that a film of so many frames can be written.

    Raises
    ------
    InputError
        if it is too long, or as a GIF too large.

    """
    pixels = size[0] * size[1]
    most = min(_MOST_FRAMES, int(_MOST_GIF_PIXELS / pixels) if suffix == '.gif' else _MOST_FRAMES)
    if frames > most:
        raise InputError(f'{path}: got {frames} frames of {size[0]} x {size[1]} pixels, expected '
                         f'at most {most} frames; choose a higher speed, fewer frames per second'
                         f'{", a smaller size, or .mp4" * (suffix == ".gif")}')


# GIF files of frames: one palette that keeps the most frequent colours.

_COLOURS = 128


def write_gif(path: Path, frames: Iterator[Bytes], shown: Iterator[Bytes],
              rate: float) -> None:
    """Write a film with one palette, so that what stands still does not flicker.

    Parameters
    ----------
    path : of the file
    frames : all frames
    shown : frames whose colours the palette is made of
    rate : frames per second

    """
    # The first frame has no trails: without the others their colours would be those nearest to it.
    palette = palette_of(Image.fromarray(np.vstack([*shown])).convert('RGB'), _COLOURS)
    images = [Image.fromarray(pixels).convert('RGB').quantize(palette=palette,
                                                              dither=Image.Dither.NONE)
              for pixels in frames]
    images[0].save(path, save_all=True, append_images=images[1:], loop=0,
                   duration=round(1000 / rate))


def palette_of(image: Image.Image, colours: int) -> Image.Image:
    """Return a palette: the most frequent colours as they are, and some of the others."""
    # A number a pixel: rows of three are sorted thirty times more slowly.
    red, green, blue = np.moveaxis(np.asarray(image, np.uint32), -1, 0)
    different, counts = np.unique(red << 16 | green << 8 | blue, return_counts=True)
    most = different[np.argsort(-counts, kind='stable')[:colours // 2]]
    frequent = np.stack([most >> 16, most >> 8 & 255, most & 255], axis=-1)
    others = image.quantize(colours - len(frequent), Image.Quantize.MAXCOVERAGE).getpalette()
    table = np.array([*frequent.ravel().tolist(), *(others or [])]).reshape(-1, 3)
    table[table.min(axis=1) >= 248] = 255  # a light ground, which the nearest colour may not tint
    palette = Image.new('P', (1, 1))
    palette.putpalette(table.ravel().tolist())
    return palette
