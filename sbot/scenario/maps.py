"""Read map_server maps: `map.yaml` and image (trinary mode)."""

from __future__ import annotations

import math
import warnings
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, UnidentifiedImageError

from sbot.scenario.yaml_text import Origins, decode_text, parse_yaml, read_file
from sbot_common.errors import InputError, bad_value
from sbot_sim.world.cell_map import FREE, OCCUPIED, UNKNOWN, CellMap, make_cells

MAX_CELLS = 100_000_000
_DEEP = ('I', 'I;16', 'I;16B', 'I;16L', 'I;16N')  # Pillow's modes of 16-bit grey images
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
    keys = _Keys(data, origins)
    if (mode := data.get('mode', 'trinary')) != 'trinary':
        raise bad_value(origins.where(('mode',)), mode, "'trinary'")
    resolution = keys.number('resolution', 'a number > 0 (m)')
    origin = keys.origin()
    occupied_above, free_below = (keys.number(name, 'a finite number')
                                  for name in ('occupied_thresh', 'free_thresh'))
    negate = keys.flag('negate')
    if resolution <= 0.0:
        raise bad_value(origins.where(('resolution',)), resolution, 'a number > 0 (m)')
    image = keys.get('image', 'the name of an image file')
    if not isinstance(image, str) or not image:
        raise bad_value(origins.where(('image',)), image, 'the name of an image file')
    shade = _read_shades(path.parent / image, origins.where(('image',)))
    occupied = shade if negate else 1.0 - shade
    values = np.full(shade.shape, UNKNOWN, np.int8)
    values[occupied < free_below] = FREE
    values[occupied > occupied_above] = OCCUPIED
    return make_cells(np.ascontiguousarray(values[::-1]), resolution, origin)


class _Keys:
    """Reads values of the file, or says which is wrong."""

    def __init__(self, data: dict[str, object], origins: Origins) -> None:
        self._data = data
        self._origins = origins

    def get(self, key: str, expected: str) -> object:
        if key not in self._data:
            raise InputError(f"{self._origins.where(())}: key '{key}' is missing, "
                             f'expected {expected}')
        return self._data[key]

    def number(self, key: str, expected: str) -> float:
        return _number(self.get(key, expected), self._origins.where((key,)), expected)

    def flag(self, key: str) -> bool:
        value = self.get(key, '0 or 1')
        word = _WORDS.get(str(value).lower(), value)
        if not isinstance(word, int):
            raise bad_value(self._origins.where((key,)), value, '0 or 1')
        return bool(word)

    def origin(self) -> tuple[float, float, float]:
        expected = '[x, y, yaw]: three finite numbers (m, m, rad)'
        value = self.get('origin', expected)
        where = self._origins.where(('origin',))
        if not isinstance(value, list) or len(value) != 3:
            raise bad_value(where, value, expected)
        x, y, yaw = (_number(item, where, expected) for item in value)
        return x, y, yaw


def _number(value: object, where: str, expected: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise bad_value(where, value, expected)
    return float(value)


def _read_shades(path: Path, where: str) -> NDArray[np.float64]:
    """Return how bright each pixel of an image is (rows from the top, columns), from 0 to 1."""
    try:
        # Our own limit below is meant for maps; Pillow's warning is not.
        with warnings.catch_warnings():
            warnings.simplefilter('ignore', Image.DecompressionBombWarning)
            with Image.open(path) as image:
                if image.width * image.height > MAX_CELLS:
                    raise bad_value(where, f'{image.width} x {image.height} pixels',
                                    f'at most {MAX_CELLS} pixels')
                return _shades(image)
    except UnidentifiedImageError:
        raise bad_value(where, str(path), 'an image: PGM, PNG or another that Pillow reads') \
            from None
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError(f'{where}: {path}: cannot be read: {reason}') from None
    except (ValueError, SyntaxError, Image.DecompressionBombError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f'{where}: {path}: is a damaged image: {error}') from None


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
