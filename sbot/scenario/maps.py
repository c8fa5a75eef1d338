"""Read map_server maps: `map.yaml` and image (trinary mode)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, UnidentifiedImageError

from sbot.files.limits import limits, read_within, too_large
from sbot.files.yaml_text import Origins, decode_text, parse_yaml, read_file
from sbot_common.errors import InputError, bad_value, decoding
from sbot_sim.world.geometry import FREE, OCCUPIED, UNKNOWN, CellMap, cells_bounds, make_cells

# Formats that decoders within Pillow read: others start programs, e.g. Ghostscript.
FORMATS = ('PPM', 'PNG', 'BMP', 'GIF', 'JPEG', 'TIFF', 'WEBP', 'TGA')
SEGMENT = 32  # bytes of a segment of an outline
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
    data, origins = parse_yaml(decode_text(read_file(path), str(path)), str(path))
    if not isinstance(data, dict):
        raise bad_value(str(path), data, 'a map: image, resolution, origin, negate, '
                        'occupied_thresh, free_thresh')
    if missing := [key for key in _USUAL if key not in data]:
        raise InputError(
            f"{origins.where(())}: {'keys' if len(missing) > 1 else 'key'} "
            f"{', '.join(repr(key) for key in missing)} {'are' if len(missing) > 1 else 'is'} "
            f"missing; usual: {', '.join(f'{key}: {_USUAL[key]}' for key in missing)}")
    keys = _Keys(data, origins)
    if (mode := data.get('mode', 'trinary')) != 'trinary':
        raise bad_value(origins.where(('mode',)), mode, "'trinary'")
    resolution = keys.number('resolution', 'a number > 0 (m)')
    origin = keys.origin()
    thresholds = (keys.number('occupied_thresh', 'a finite number'),
                  keys.number('free_thresh', 'a finite number'))
    negate = keys.flag('negate')
    if resolution <= 0.0:
        raise bad_value(origins.where(('resolution',)), resolution, 'a number > 0 (m)')
    image = data['image']
    if not isinstance(image, str) or not image:
        raise bad_value(origins.where(('image',)), image, 'the name of an image file')
    values = _read_values(path.parent / image, origins.where(('image',)), thresholds, negate)
    if (size := SEGMENT * count_borders(values)) > limits().file_bytes:
        raise too_large(str(path.parent / image), 'bytes of segments around its occupied cells',
                        size, 'file_bytes')
    with np.errstate(over='ignore', invalid='ignore'):
        cells = make_cells(np.ascontiguousarray(values[::-1]), resolution, origin)
        reach = cells_bounds(cells)
    if not (np.isfinite(cells.outlines).all() and np.isfinite(reach).all()):
        raise bad_value(origins.where(('resolution',)), resolution,
                        'a size of cells that gives a map of finite size (m)')
    return cells


def count_borders(values: NDArray[np.int8]) -> int:
    """Return an upper limit of the number of segments that ``make_cells`` will make."""
    count = 2 * sum(values.shape)
    for lines in (values, values.T):
        for begin in range(0, len(lines), step := max(1, _STRIP // lines.shape[1])):
            strip = lines[max(0, begin - 1):begin + step] == OCCUPIED
            border = np.diff(strip, axis=0)
            count += int(np.count_nonzero(border[:, 1:] & ~border[:, :-1]))
            count += int(np.count_nonzero(border[:, 0]))
    return count


class _Keys:
    """Reads values of the file, or says which is wrong."""

    def __init__(self, data: dict[str, object], origins: Origins) -> None:
        self._data = data
        self._origins = origins

    def number(self, key: str, expected: str) -> float:
        return _number(self._data[key], self._origins.where((key,)), expected)

    def flag(self, key: str) -> bool:
        value = self._data[key]
        word = _WORDS.get(str(value).lower(), value)
        if not isinstance(word, int):
            raise bad_value(self._origins.where((key,)), value, '0 or 1')
        return bool(word)

    def origin(self) -> tuple[float, float, float]:
        expected = '[x, y, yaw]: three finite numbers (m, m, rad)'
        value = self._data['origin']
        where = self._origins.where(('origin',))
        if not isinstance(value, list) or len(value) != 3:
            raise bad_value(where, value, expected)
        x, y, yaw = (_number(item, where, expected) for item in value)
        return x, y, yaw


def _number(value: object, where: str, expected: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise bad_value(where, value, expected)
    return float(value)


def _read_values(path: Path, where: str, thresholds: tuple[float, float],
                 negate: bool) -> NDArray[np.int8]:
    """Return OCCUPIED, FREE or UNKNOWN for each pixel of an image (rows from the top, columns).

    Parameters
    ----------
    path, where : the image's file, and what messages call the place that names it
    thresholds : occupied_thresh, free_thresh
    negate : whether dark is free

    """
    with opened_image(path, where) as image:
        return _values(image, thresholds, negate)


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
        with _own_limit(), Image.open(BytesIO(data), formats=FORMATS) as image:
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


def _values(image: Image.Image, thresholds: tuple[float, float],
            negate: bool) -> NDArray[np.int8]:
    occupied_above, free_below = thresholds
    values = np.full((image.height, image.width), UNKNOWN, np.int8)
    step = max(1, _STRIP // image.width)
    for top in range(0, image.height, step):
        strip = image.crop((0, top, image.width, min(top + step, image.height)))
        strip.info = image.info
        shade = _shades(strip)
        occupied = shade if negate else 1.0 - shade
        rows = values[top:top + step]
        rows[occupied < free_below] = FREE
        rows[occupied > occupied_above] = OCCUPIED
    return values


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
