# SPDX-License-Identifier: Apache-2.0
"""Film of a run: MP4 (needs ffmpeg) or GIF."""

from __future__ import annotations

import math
import subprocess
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.transforms import ScaledTranslation, blended_transform_factory
from PIL import Image

from sbot.figures.arena import (
    GAP,
    LINE,
    above_axes,
    drawn_width,
    figure_of,
    heading_colours,
    lines,
    points_a_metre,
    robot_colours,
    shortened,
    width_of,
    wrapped_parts,
)
from sbot.figures.data import RunData
from sbot.figures.ground import (
    NAME,
    Boxes,
    covered_goals,
    draw_goals,
    draw_moving,
    draw_wind,
    draw_world,
    label_in,
)
from sbot.figures.look import AUTO, PLAIN, Film, Look, drawing, palette, style_of
from sbot.figures.robots import MOST_NUMBERED_SMALL, Numbers, Robots, draw_heading_legend
from sbot_common.arrays import Bytes
from sbot_common.errors import InputError, one_line, writing

_WIDTH, _DPI = 7.0, 120.0  # inches, and pixels an inch
_LEAST_DPI = 100.0
_HEIGHTS = (2.4, 8.0)  # inches, least and most
_ABOVE, _BELOW = 0.32, 0.26  # inches, for a line of text above the arena and one below
_BAR = 0.2  # of the width of the view, how long a scale bar is at most
_BAR_PLACE = 0.14  # inches from the axes down to the bar's line
_TRAIL = 0.25  # of the run, how long a trail lasts
_TRAIL_POINTS = 400  # of each robot at most
_MOST_ABOVE = 20  # names of zones that are drawn in every frame, above robots
_FINE = 0.95  # of the width: letters of few pixels are wider
_MOST_WINDS = 50  # whose labels are looked at
_PALETTE_FRAMES = 6  # whose colours a GIF's palette is made of
_COLOURS = 128  # of a GIF

_LONGEST = 20.0  # s of film: longer runs are shown faster, unless a speed is given
_FPS = {'.mp4': 25.0, '.gif': 12.5}
_MOST_GIF_PIXELS = 1e9  # of all frames: Pillow holds them in memory, a byte each
_MOST_FRAMES = 100_000


def film_length(data: RunData, suffix: str, film: Film) -> int:
    """Return how many frames the film of a run has; ``suffix`` is the ending of its file."""
    return int((float(data.seconds[-1]) + 1e-9) * _frame_rate(film, suffix)
               / _speed_up(data, film)) + 1


def animate_run(data: RunData, path: str | Path, look: Look = PLAIN, film: Film = AUTO,
                progress: Callable[[float], None] | None = None) -> None:
    """Write the film of a run; the ending of the path selects the format: .mp4 or .gif.

    Parameters
    ----------
    data : of the run
    path : of the film
    look : how it is drawn
    film : its size and speed
    progress : called with the number of frames that are drawn, after each

    Raises
    ------
    InputError
        for too many frames, or if the file cannot be written.

    """
    suffix = Path(path).suffix.lower()
    rate = _frame_rate(film, suffix)
    with drawing(style_of(look.dark)):
        drawn = _Film(data, look, film)
        # Before anything has the size of so many frames.
        count = _checked_length(path, suffix, film_length(data, suffix, film), drawn.size)
        indexes = np.searchsorted(data.seconds, np.arange(count) * (_speed_up(data, film) / rate),
                                  side='right') - 1

        def frames() -> Iterator[Bytes]:
            for done, index in enumerate(indexes, 1):
                yield drawn.frame(index)
                if progress is not None:
                    progress(done)

        with writing(path):
            if suffix == '.gif':
                some = indexes[::max(1, len(indexes) // _PALETTE_FRAMES)]
                _write_gif(path, frames(), map(drawn.frame, some), rate)
            else:
                _write_mp4(path, frames(), drawn.size, rate)


def _frame_rate(film: Film, suffix: str) -> float:
    """Return the frames per second of a film; of a GIF one whose period is whole hundredths."""
    wanted = film.fps or _FPS[suffix]
    return 100.0 / math.ceil(100.0 / wanted - 1e-9) if suffix == '.gif' else wanted


def _speed_up(data: RunData, film: Film) -> float:
    """Return how many times faster than the run its film is; by itself at least 1."""
    return film.speed or max(1.0, float(data.seconds[-1]) / _LONGEST)


def _checked_length(path: object, suffix: str, frames: int, size: tuple[int, int]) -> int:
    """Return how many frames a film has.

    Raises
    ------
    InputError
        if it is too long, or as a GIF too large.

    """
    gif = suffix == '.gif'
    most = min(_MOST_FRAMES, int(_MOST_GIF_PIXELS / math.prod(size)) if gif else _MOST_FRAMES)
    if frames > most:
        raise InputError(f'{path}: got {frames} frames of {size[0]} x {size[1]} pixels, expected '
                         f'at most {most} frames; choose a higher speed, fewer frames per second'
                         f'{", a smaller size, or .mp4" * gif}')
    return frames


class _Film:
    """Draws frames: what does not move is drawn once."""

    def __init__(self, data: RunData, look: Look = PLAIN, film: Film = AUTO) -> None:
        self._data = data
        self._by = by = look.colour
        xmin, ymin, xmax, ymax = data.view
        # A larger film has larger letters; in a small one they can still be read.
        dpi = max(film.width / _WIDTH, _LEAST_DPI) if film.width else _DPI
        inches = film.width / dpi if film.width else _WIDTH
        if film.height:
            dpi = min(dpi, film.height / _HEIGHTS[0])
            width, height = film.width / dpi, film.height / dpi
        else:  # video codecs want even numbers of pixels
            high = float(np.clip(0.98 * inches * (ymax - ymin) / (xmax - xmin) + _ABOVE + _BELOW,
                                 *_HEIGHTS))
            width, height = (2 * round(each * dpi / 2) / dpi for each in (inches, high))
        figure = Figure(figsize=(width, height), dpi=dpi)
        # Its methods have no annotations.
        self._canvas: Any = FigureCanvasAgg(figure)
        self._axes = figure.add_axes((0.01, _BELOW / height, 0.98,
                                      1.0 - (_ABOVE + _BELOW) / height))
        self._write_header(look.title, film)
        draw_world(self._axes, data)
        self._axes.set(xticks=[], yticks=[])
        windy = data.field is not None or data.air.velocity[:, :2].any() or (
            data.air.gust[:, :2].any())
        # A legend of headings leaves no room for the word on wind.
        _draw_scale_bar(self._axes, _TRAIL * float(data.seconds[-1]),
                        bool(windy) and by != 'heading')
        if by == 'heading':
            draw_heading_legend(self._axes, 72.0 * _BAR_PLACE)
        self._goal_stamps = np.array([goal.stamp_ns for goal in data.goals], np.int64)
        # How many had been set, on which a robot stood, and their marks.
        self._goals: tuple[tuple[int, bytes], Sequence[Artist]] = ((-1, b''), [])
        self._drawn = b''  # wind of the background
        width = 1.4 if not data.many else 0.6
        self._trails = lines(np.zeros((0, 2, 2)), colors=robot_colours(data, by),
                                   alpha=0.45, linewidths=width, zorder=5)
        self._axes.add_collection(self._trails)
        self._obstacles = draw_moving(self._axes, data, 0)
        self._boxes = Boxes(self._axes, data, data.boxes[0])
        self._robots = Robots(self._axes, data, data.poses[0], by, MOST_NUMBERED_SMALL)
        self._numbers = Numbers(self._axes, data, by)
        self._clock = above_axes(self._axes, '', 0.0, self._up, animated=True)
        # Names of zones are above robots; many stay on the background.
        names = [each for each in self._axes.texts if each.get_gid() == NAME]
        self._moving = (self._obstacles, self._boxes.discs, self._boxes.shapes, self._trails,
                        self._robots.bodies, self._robots.boxes, self._robots.headings,
                        self._clock, *self._numbers.texts,
                        *(names if len(names) <= _MOST_ABOVE else ()))
        for artist in self._moving:
            artist.set_animated(True)
        self._background: object = None

    def _write_header(self, title: str | None, film: Film) -> None:
        """Choose the line above the arena, and make room where it needs several."""
        data, axes = self._data, self._axes
        faster = _speed_up(data, film)
        times = f'{faster:.1f}'.removesuffix('.0') if faster >= 10.0 else f'{faster:.2g}'
        self._faster = '' if 0.95 < faster < 1.05 else f'   ×{times}'
        whole = 72.0 * self._canvas.figure.get_figwidth() * axes.get_position(original=True).width
        self._room = drawn_width(axes, data)  # pt
        clock = f'{data.seconds[-1]:.1f} s{self._faster}'
        name = data.name if title is None else one_line(title)
        # A narrow arena has room beside it.
        most = _FINE * 0.5 * (whole + self._room) - width_of(f'   {clock}')
        self._name = f'{shortened(name, most)}   ' if name else ''
        self._winds = np.hstack([data.air.velocity, data.air.gust, data.air.force])
        changes = np.flatnonzero((np.diff(self._winds, axis=0) != 0.0).any(axis=1)) + 1
        labels = sorted({label_in(axes, data, index) for index in (
            0, *changes[:_MOST_WINDS].tolist()) if index < len(data.stamps_ns)})
        widest = max(map(width_of, labels))
        self._up = 0.0  # inches, of name and time above the label of the wind
        if not widest or widest + GAP + width_of(self._name + clock) <= self._room:
            return
        figure, place = self._canvas.figure, axes.get_position(original=True)
        low = high = figure.get_figheight()
        for _ in range(2):  # again, as less height may make the arena narrower
            self._up = LINE * max(wrapped_parts(label, self._room).count('\n') + 1
                                  for label in labels)
            if not film.height:  # else there is less room for the arena
                high = 2.0 * round((low + self._up) * figure.dpi / 2.0) / figure.dpi
                figure.set_figheight(high)
            axes.set_position((place.x0, _BELOW / high, place.width,
                               1.0 - (_ABOVE + _BELOW + self._up) / high))
            self._room = drawn_width(axes, data)

    @property
    def size(self) -> tuple[int, int]:
        """Width and height (pixels)."""
        width, height = self._canvas.get_width_height()
        return int(width), int(height)

    def frame(self, index: int) -> Bytes:
        """Return the picture (height, width, 4) of one of the stamps."""
        data = self._data
        stamp = int(data.stamps_ns[index])
        behind = self._winds[index].tobytes()
        if behind != self._drawn:
            artists = draw_wind(self._axes, data, index=index, width=self._room)
            self._canvas.draw()
            self._background = self._canvas.copy_from_bbox(self._canvas.figure.bbox)
            for artist in artists:
                artist.remove()
            self._drawn = behind
        self._canvas.restore_region(self._background)
        length = max(2, int(_TRAIL * len(data.stamps_ns)))
        step = -(-length // _TRAIL_POINTS)
        start = max(0, index - length)
        # The same poses in all frames, and that of this one.
        trail = data.poses[[*range(start - start % -step, index, step), index], :, :2]
        self._trails.set_segments(list(np.moveaxis(trail, 1, 0)))
        if self._by == 'heading':
            self._trails.set_color(heading_colours(data.poses[index, :, 2]))
        self._obstacles.set_offsets(data.obstacles[index])
        self._boxes.move(data.boxes[index])
        self._robots.move(data.poses[index])
        self._numbers.move(data.poses[index])
        self._clock.set_text(f'{self._name}{data.seconds[index]:.1f} s{self._faster}')
        for artist in sorted([*self._moving, *self._goals_at(stamp)], key=Artist.get_zorder):
            self._axes.draw_artist(artist)
        return np.asarray(self._canvas.buffer_rgba()).copy()

    def _goals_at(self, stamp: int) -> Sequence[Artist]:
        """Return the marks of the goals of a time; made anew when they change."""
        count = int((self._goal_stamps <= stamp).sum())
        state = count, covered_goals(
            self._data, stamp, points_a_metre(self._axes, self._data)).tobytes()
        if state != self._goals[0]:
            for artist in self._goals[1]:
                artist.remove()
            self._goals = state, draw_goals(self._axes, self._data, stamp, by=self._by)
            for artist in self._goals[1]:
                artist.set_animated(True)
        return self._goals[1]


def _write_mp4(path: str | Path, frames: Iterator[Bytes], size: tuple[int, int],
               rate: float) -> None:
    command = ['ffmpeg', '-y', '-loglevel', 'error', '-f', 'rawvideo', '-pix_fmt', 'rgba',
               '-s', f'{size[0]}x{size[1]}', '-r', f'{rate:g}', '-i', '-', '-an',
               '-c:v', 'libx264', '-pix_fmt', 'yuv420p', '-crf', '20', '-movflags', '+faststart',
               str(path)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdin is not None
    try:
        for pixels in frames:
            process.stdin.write(pixels.tobytes())
    except BrokenPipeError:
        pass  # ffmpeg says why below
    # Closes its standard input and waits.
    _, text = process.communicate()
    if process.returncode != 0:
        reason = ' '.join(text.decode(errors='replace').split())
        raise InputError(f'{path}: ffmpeg failed: {reason}')


def _write_gif(path: str | Path, frames: Iterator[Bytes], shown: Iterator[Bytes],
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


def _bar_length(width: float) -> float:
    """Return the length (m) of the scale bar of a view: 1, 2 or 5 of a power of ten."""
    power = 10.0 ** math.floor(math.log10(_BAR * width))
    return max(each * power for each in (1, 2, 5) if each * power <= _BAR * width)


def _draw_scale_bar(axes: Axes, trail: float, windy: bool = False) -> None:
    """Draw a scale bar below the arena, away from robots; its length and that of trails (s).

    ``windy``: the line says that the arrows are the wind.
    """
    low, high = axes.get_xlim()
    length = _bar_length(high - low)
    figure = figure_of(axes)
    place = blended_transform_factory(axes.transData, axes.transAxes) + ScaledTranslation(
        0.0, -_BAR_PLACE, figure.dpi_scale_trans)
    axes.plot((low, low + length), (0.0, 0.0), transform=place, linewidth=1.5, clip_on=False,
              solid_capstyle='butt', gid='scale bar', color=palette().ink)
    text = f'{length:g} m   trails of {trail:.2g} s{"   arrows: wind" * windy}'
    axes.annotate(text, (low + length, 0.0), xycoords=place,
                  xytext=(5.0, 0.0), textcoords='offset points', va='center_baseline', ha='left',
                  gid='scale', color=palette().ink)
