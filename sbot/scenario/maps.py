# SPDX-License-Identifier: Apache-2.0
"""Read map_server maps: `map.yaml` and image (trinary mode)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, UnidentifiedImageError

from sbot.files.limits import limits, read_within, too_large
from sbot.files.yaml_text import decode_text, parse_yaml
from sbot.scenario.fields import real
from sbot_common.errors import InputError, bad_value, decoding
from sbot_common.params import Check
from sbot_sim.world.geometry import FREE, OCCUPIED, UNKNOWN, CellMap

# Formats that decoders within Pillow read: others start programs, e.g. Ghostscript.
_FORMATS = ('PPM', 'PNG', 'BMP', 'GIF', 'JPEG', 'TIFF', 'WEBP', 'TGA')
_SEGMENT = 32  # bytes of a segment of an outline
_STRIP = 1_000_000  # pixels that are converted at once, which takes 64 bytes each
_DEEP = ('I', 'I;16', 'I;16B', 'I;16L', 'I;16N')  # Pillow's modes of 16-bit grey images
_USUAL = {'image': 'map.pgm', 'resolution': '0.05', 'origin': '[0, 0, 0]', 'negate': '0',
          'occupied_thresh': '0.65', 'free_thresh': '0.196'}
_WORDS = {'true': True, 'yes': True, 'on': True, 'y': True,
          'false': False, 'no': False, 'off': False, 'n': False}


def load_map(path: str | Path) -> CellMap:
    """Return the map of a `map.yaml`, with the outlines of its occupied cells.

    A pixel is as occupied as it is dark, p = 1 - shade (or shade, with `negate`); it becomes
    OCCUPIED if p > occupied_thresh, FREE if p < free_thresh, else UNKNOWN. The shade is the mean
    of the colour channels, opacity included. The image's lower left corner is at `origin`, and the
    image is turned about it by the origin's yaw.

    Raises
    ------
    InputError
        for a missing or unreadable file, a missing key, or a value that makes no sense.

    """
    path = Path(path)
    data, origins = parse_yaml(decode_text(read_within(path), str(path)), str(path))
    if not isinstance(data, dict):
        raise bad_value(str(path), data, 'a map: image, resolution, origin, negate, '
                        'occupied_thresh, free_thresh')
    if missing := [key for key in _USUAL if key not in data]:
        raise InputError(
            f"{origins.where(())}: {'keys' if len(missing) > 1 else 'key'} "
            f"{', '.join(repr(key) for key in missing)} {'are' if len(missing) > 1 else 'is'} "
            f"missing; usual: {', '.join(f'{key}: {_USUAL[key]}' for key in missing)}")
    if (mode := data.get('mode', 'trinary')) != 'trinary':
        raise bad_value(origins.where(('mode',)), mode, "'trinary'")
    image, resolution, origin, negate, occupied_above, free_below = (
        check.check(data[key], partial(origins.where, (key,))) for key, check in _CHECKS.items())
    with opened_image(path.parent / image, origins.where(('image',))) as pixels:
        def kinds(strip: Image.Image) -> NDArray[Any]:
            occupied = _shades(strip) if negate else 1.0 - _shades(strip)
            return np.select([occupied > occupied_above, occupied < free_below],
                             [OCCUPIED, FREE], UNKNOWN)

        with np.errstate(over='ignore', invalid='ignore'):
            cells = cells_of(pixels, kinds, str(path.parent / image), 'occupied cells',
                             resolution, origin)
            reach = cells.bounds()
    if not (np.isfinite(cells.outlines).all() and np.isfinite(reach).all()):
        raise bad_value(origins.where(('resolution',)), resolution,
                        'a size of cells that gives a map of finite size (m)')
    return cells


def cells_of(image: Image.Image, kinds: Callable[[Image.Image], NDArray[Any]], where: str,
             what: str, resolution: float = 1.0,
             origin: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> CellMap:
    """Return the map of an image, with the outlines of its occupied cells.

    Parameters
    ----------
    image : decoded
    kinds : called with strips of it, a part of its rows; returns the kind of each pixel's cell
    where, what : what messages call the image, and its occupied cells
    resolution, origin : of the map

    Raises
    ------
    InputError
        for more segments of outlines than ``limits()`` allows.

    """
    values = np.empty((image.height, image.width), np.int8)
    step = max(1, _STRIP // image.width)
    for top in range(0, image.height, step):
        strip = image.crop((0, top, image.width, min(top + step, image.height)))
        strip.info = image.info
        values[top:top + step] = kinds(strip)
    if (size := _SEGMENT * _count_borders(values)) > limits().file_bytes:
        raise too_large(where, f'bytes of segments around its {what}', size, 'file_bytes')
    return CellMap.of(np.ascontiguousarray(values[::-1]), resolution, origin)


def _count_borders(values: NDArray[np.int8]) -> int:
    """Return an upper limit of the number of segments that ``CellMap.of`` will make."""
    count = 2 * sum(values.shape)
    for lines in (values, values.T):
        for begin in range(0, len(lines), step := max(1, _STRIP // lines.shape[1])):
            strip = lines[max(0, begin - 1):begin + step] == OCCUPIED
            border = np.diff(strip, axis=0)
            count += int(np.count_nonzero(border[:, 1:] & ~border[:, :-1]))
            count += int(np.count_nonzero(border[:, 0]))
    return count


def _origin(value: object) -> tuple[float, float, float]:
    if not isinstance(value, list):
        raise TypeError
    x, y, yaw = map(real, value)
    return x, y, yaw


def _flag(value: object) -> bool:
    word = _WORDS.get(str(value).lower(), value)
    if not isinstance(word, int):
        raise TypeError
    return bool(word)


def _file(value: object) -> str:
    if not isinstance(value, str) or not value:
        raise TypeError
    return value


_THRESHOLD = Check('a finite number', real)
_CHECKS = {'image': Check('the name of an image file', _file),
           'resolution': Check('a number > 0 (m)', partial(real, above=0.0)),
           'origin': Check('[x, y, yaw]: three finite numbers (m, m, rad)', _origin),
           'negate': Check('0 or 1', _flag),
           'occupied_thresh': _THRESHOLD, 'free_thresh': _THRESHOLD}


@contextmanager
def opened_image(path: Path, where: str) -> Iterator[Image.Image]:
    """Yield the decoded image of a regular file that a map or a world names.

    Parameters
    ----------
    path, where : the file, and what messages call the place that names it

    Raises
    ------
    InputError
        if it cannot be read, is no image or a damaged one, or is larger than ``limits()``.

    """
    try:
        data = read_within(path, where)
        # Of bytes in memory a decoder cannot ask for more than there are.
        with _own_limit(), Image.open(BytesIO(data), formats=_FORMATS) as image:
            pixels = image.width * image.height
            if pixels > limits().file_bytes:
                raise too_large(f'{where}: {path}', f'pixels ({image.width} x {image.height})',
                                pixels, 'file_bytes')
            with decoding(f'{where}: {path}: is a damaged image'):
                image.load()
                yield image
    except UnidentifiedImageError:
        raise bad_value(where, str(path), 'an image: PGM, PNG or another common format') from None
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError(f'{where}: {path}: cannot be read: {reason}') from None
    except Exception as error:  # of Pillow's, whatever a damaged header leads to
        if isinstance(error, InputError):
            raise
        raise InputError(f'{where}: {path}: is a damaged image: {error}') from None


@contextmanager
def _own_limit() -> Iterator[None]:
    """Leave the number of pixels to ``limits()``: Pillow's own limit is no setting."""
    before = Image.MAX_IMAGE_PIXELS
    Image.MAX_IMAGE_PIXELS = None
    try:
        yield
    finally:
        Image.MAX_IMAGE_PIXELS = before


def _shades(image: Image.Image) -> NDArray[np.float64]:
    if image.mode in _DEEP:
        return np.asarray(image, np.float64) / 65535.0
    transparent = 'transparency' in image.info or image.mode in ('LA', 'La', 'PA', 'RGBA', 'RGBa')
    if image.mode in ('1', 'L') and not transparent:
        return np.asarray(image.convert('L'), np.float64) / 255.0
    pixels = np.asarray(image.convert('RGBA' if transparent else 'RGB'), np.float64)
    total = sum(np.moveaxis(pixels, 2, 0), np.zeros(pixels.shape[:2]))
    mean: NDArray[np.float64] = total / pixels.shape[2] / 255.0
    return mean
