"""Outlines of the dark pixels of a bitmap, which are walls in Stage."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sbot.files.limits import limits, too_large
from sbot.scenario.maps import SEGMENT, count_borders, opened_image
from sbot.scenario.stage.tokens import Place, find_beside
from sbot_common.errors import bad_value
from sbot_sim.world.geometry import FREE, OCCUPIED, make_cells

LIGHTEST = 127  # of pixels that are walls, in the first channel
_STRIP = 1_000_000  # pixels that are converted at once


class Bitmaps:
    """The bitmaps of a world, each file read once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._known: dict[Path, NDArray[np.float64]] = {}
        self._segments = 0

    def outlines(self, name: str, place: Place) -> NDArray[np.float64]:
        """Return the borders of a bitmap's dark pixels: segments (K, 4) x0, y0, x1, y1 in pixels.

        y goes up. A pixel is dark where its first channel is at most ``LIGHTEST``, whatever its
        opacity is. Runs of borders in a line are one segment.

        Parameters
        ----------
        name : the path as it is written, relative to the world file's folder or absolute
        place : where the name stands

        Raises
        ------
        InputError
            naming the place, if there is no such file or it is no image within the limits, and for
            more segments in all than a scenario can have.

        """
        where = f'{place}: bitmap'
        path = find_beside(name, self._folder, place) if name else None
        if path is None:
            raise bad_value(where, name, f'an image file, relative to {self._folder} or absolute')
        if not path.is_file():
            raise bad_value(where, name, 'a regular file')
        path = path.resolve()
        if path not in self._known:
            self._known[path] = _outlines(path, where)
        found = self._known[path]
        self._segments += len(found)
        if 5 * self._segments > limits().text_values:
            raise too_large(where, 'numbers of the segments around dark pixels so far',
                            5 * self._segments, 'text_values')
        return found


def _outlines(path: Path, where: str) -> NDArray[np.float64]:
    with opened_image(path, where) as image:
        values = np.full((image.height, image.width), FREE, np.int8)
        step = max(1, _STRIP // image.width)
        deep = image.mode.startswith('I')
        for top in range(0, image.height, step):
            strip = image.crop((0, top, image.width, min(top + step, image.height)))
            if deep:
                first = np.asarray(strip) // 256
            else:
                first = np.asarray(strip.convert('L' if image.mode in ('1', 'L', 'LA', 'F')
                                                 else 'RGB'))
            first = first if first.ndim == 2 else first[..., 0]
            values[top:top + step][first <= LIGHTEST] = OCCUPIED
    if (size := SEGMENT * count_borders(values)) > limits().file_bytes:
        raise too_large(f'{where}: {path}', 'bytes of segments around its dark pixels', size,
                        'file_bytes')
    return make_cells(np.ascontiguousarray(values[::-1]), 1.0, (0.0, 0.0, 0.0)).outlines
