"""Animation of a run: MP4 (needs ffmpeg) or GIF."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from sbot.figures.arena import (
    GAP,
    LINE,
    MOST_NAMED,
    above_axes,
    drawn_width,
    heading_colours,
    lines,
    points_a_metre,
    robot_colours,
    shortened,
    view_of,
    width_of,
    wrapped_parts,
)
from sbot.figures.data import RunData, name_of
from sbot.figures.film import (
    AUTO,
    Film,
    check_length,
    frame_count,
    frame_indexes,
    frame_rate,
    speed_up,
    write_gif,
)
from sbot.figures.ground import NAME, covered_goals, draw_goals, draw_world
from sbot.figures.obstacles import Boxes, draw_moving, draw_wind, label_in
from sbot.figures.palette import drawing, style_of
from sbot.figures.picture import PLAIN, Look
from sbot.figures.robots import MOST_NUMBERED_SMALL, Numbers, Robots, draw_heading_legend
from sbot.figures.signs import BAR_PLACE, draw_scale_bar
from sbot_common.arrays import Bytes
from sbot_common.errors import InputError, one_line

_WIDTH, _DPI = 7.0, 120.0  # inches, and pixels an inch
_LEAST_DPI = 100.0
_HEIGHTS = (2.4, 8.0)  # inches, least and most
_ABOVE, _BELOW = 0.32, 0.26  # inches, for a line of text above the arena and one below
_TRAIL = 0.25  # of the run, how long a trail lasts
_TRAIL_POINTS = 400  # of each robot at most
_MOST_ABOVE = 20  # names of zones that are drawn in every frame, above robots
_FINE = 0.95  # of the width: letters of few pixels are wider
_MOST_WINDS = 50  # whose labels are looked at
_PALETTE_FRAMES = 6  # whose colours a GIF's palette is made of


def film_length(data: RunData, suffix: str, film: Film = AUTO) -> int:
    """Return how many frames the film of a run has; ``suffix`` is the ending of its file."""
    return frame_count(data, frame_rate(film, suffix), speed_up(data, film))


def animate_run(data: RunData, path: str | Path, look: Look = PLAIN, film: Film = AUTO,
                progress: Callable[[float], None] | None = None) -> None:
    """Write the film of a run; the ending of the path selects the format: .mp4 or .gif.

    Parameters
    ----------
    data : of the run
    path : of the film
    look : how it is drawn
    film : its size and speed, as ``check_film`` leaves them
    progress : called with the number of frames that are drawn, after each

    Raises
    ------
    InputError
        for too many frames, or if the file cannot be written.

    """
    path = Path(path)
    suffix = path.suffix.lower()
    rate, faster = frame_rate(film, suffix), speed_up(data, film)
    with drawing(style_of(look.dark)):
        drawn = _Film(data, look, film)
        # Before anything has the size of so many frames.
        check_length(path, suffix, film_length(data, suffix, film), drawn.size)
        indexes = frame_indexes(data, rate, faster)
        frames = _counted((drawn.frame(index) for index in indexes), progress)
        try:
            if suffix == '.gif':
                some = indexes[::max(1, len(indexes) // _PALETTE_FRAMES)]
                write_gif(path, frames, (drawn.frame(index) for index in some), rate)
            else:
                _write_mp4(path, frames, drawn.size, rate)
        except OSError as error:
            raise InputError(f'{path}: cannot be written: {error.strerror or error}') from None


def _counted(frames: Iterator[Bytes],
             progress: Callable[[float], None] | None) -> Iterator[Bytes]:
    """Yield frames, and tell after each how many there were."""
    for done, frame in enumerate(frames, 1):
        yield frame
        if progress is not None:
            progress(done)


class _Film:
    """Draws frames: what does not move is drawn once."""

    def __init__(self, data: RunData, look: Look = PLAIN, film: Film = AUTO) -> None:
        self._data = data
        self._by = by = look.colour
        xmin, ymin, xmax, ymax = view_of(data)
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
        # A legend of headings leaves no room for the word on wind.
        draw_scale_bar(self._axes, _TRAIL * float(data.seconds[-1]),
                       _is_windy(data) and by != 'heading')
        if by == 'heading':
            draw_heading_legend(self._axes, 72.0 * BAR_PLACE)
        self._goal_stamps = np.array([goal.stamp_ns for goal in data.goals], np.int64)
        # How many had been set, on which a robot stood, and their marks.
        self._goals: tuple[tuple[int, bytes], list[Artist]] = ((-1, b''), [])
        self._drawn: object = None  # wind of the background
        width = 1.4 if len(data.radius) <= MOST_NAMED else 0.6
        self._trails = lines(np.zeros((0, 2, 2)), colors=robot_colours(data, by),
                                   alpha=0.45, linewidths=width, zorder=5)
        self._axes.add_collection(self._trails)
        self._obstacles = draw_moving(self._axes, data, 0)
        self._boxes = Boxes(self._axes, data, data.boxes[0])
        self._robots = Robots(self._axes, data, data.poses[0], by, MOST_NUMBERED_SMALL)
        self._numbers = Numbers(self._axes, data, by)
        self._clock = above_axes(self._axes, '', 0.0, self._up, animated=True)
        self._moving = (self._obstacles, self._boxes.discs, self._boxes.rectangles, self._trails,
                        self._robots.bodies, self._robots.boxes, self._robots.headings,
                        self._clock, *self._numbers.texts, *self._zone_names())
        for artist in self._moving:
            artist.set_animated(True)
        self._background: object = None

    def _write_header(self, title: str | None, film: Film) -> None:
        """Choose the line above the arena, and make room where it needs several."""
        data, axes = self._data, self._axes
        faster = speed_up(data, film)
        times = f'{faster:.1f}'.removesuffix('.0') if faster >= 10.0 else f'{faster:.2g}'
        self._faster = '' if 0.95 < faster < 1.05 else f'   ×{times}'
        whole = 72.0 * self._canvas.figure.get_figwidth() * axes.get_position(original=True).width
        self._room = drawn_width(axes, data)  # pt
        clock = f'{data.seconds[-1]:.1f} s{self._faster}'
        name = name_of(data.scenario) if title is None else one_line(title)
        # A narrow arena has room beside it.
        most = _FINE * 0.5 * (whole + self._room) - width_of(f'   {clock}')
        self._name = f'{shortened(name, most)}   ' if name else ''
        winds = np.hstack([data.air.velocity, data.air.gust, data.air.force])
        changes = np.flatnonzero((np.diff(winds, axis=0) != 0.0).any(axis=1))[:_MOST_WINDS] + 1
        labels = sorted({label_in(axes, data, index)
                         for index in (0, *changes.tolist()) if index < len(data.stamps_ns)})
        widest = max(map(width_of, labels))
        self._up = 0.0  # inches, of name and time above the label of the wind
        if not widest or widest + GAP + width_of(self._name + clock) <= self._room:
            return
        for _ in range(2):  # again, as less height may make the arena narrower
            lines = max(wrapped_parts(label, self._room).count('\n') + 1 for label in labels)
            self._make_room(LINE * lines, film)

    def _make_room(self, up: float, film: Film) -> None:
        """Make room (inches) above the arena: a higher film, or if it has a height less arena."""
        figure, axes = self._canvas.figure, self._axes
        high, place = figure.get_figheight(), axes.get_position(original=True)
        if not film.height:
            high = 2.0 * round((high + up - self._up) * figure.dpi / 2.0) / figure.dpi
            figure.set_figheight(high)
        self._up = up
        axes.set_position((place.x0, _BELOW / high, place.width,
                           1.0 - (_ABOVE + _BELOW + up) / high))
        self._room = drawn_width(axes, self._data)

    def _zone_names(self) -> list[Artist]:
        """Return names of zones, which are above robots; many stay on the background."""
        names: list[Artist] = [each for each in self._axes.texts if each.get_gid() == NAME]
        return names if len(names) <= _MOST_ABOVE else []

    @property
    def size(self) -> tuple[int, int]:
        """Width and height (pixels)."""
        width, height = self._canvas.get_width_height()
        return int(width), int(height)

    def frame(self, index: int) -> Bytes:
        """Return the picture (height, width, 4) of one of the stamps."""
        data = self._data
        stamp = int(data.stamps_ns[index])
        wind = data.air.at(stamp)
        behind = tuple(tuple(each.tolist()) for each in (wind.velocity, wind.gust, wind.force))
        if behind != self._drawn:
            self._draw_background(index)
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

    def _goals_at(self, stamp: int) -> list[Artist]:
        """Return the marks of the goals of a time; made anew when they change."""
        count = int((self._goal_stamps <= stamp).sum())
        state = count, covered_goals(
            self._data, stamp, points_a_metre(self._axes, self._data)).tobytes()
        if state != self._goals[0]:
            for artist in self._goals[1]:
                artist.remove()
            before = {*self._axes.collections}
            draw_goals(self._axes, self._data, stamp, by=self._by)
            marks: list[Artist] = [each for each in self._axes.collections if each not in before]
            for artist in marks:
                artist.set_animated(True)
            self._goals = state, marks
        return self._goals[1]

    def _draw_background(self, index: int) -> None:
        before = {*self._axes.collections, *self._axes.texts}
        draw_wind(self._axes, self._data, index=index, width=self._room)
        self._canvas.draw()
        self._background = self._canvas.copy_from_bbox(self._canvas.figure.bbox)
        for artist in [*self._axes.collections, *self._axes.texts]:
            if artist not in before:
                artist.remove()


def _is_windy(data: RunData) -> bool:
    """Tell whether a frame has arrows of wind."""
    return data.field is not None or bool(
        data.air.velocity[:, :2].any() or data.air.gust[:, :2].any())


def _write_mp4(path: Path, frames: Iterator[Bytes], size: tuple[int, int],
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
