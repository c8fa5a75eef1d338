# SPDX-License-Identifier: Apache-2.0
"""Read and write text files of wind grids (document 003, "Wind field text file format").

A file is names, each followed by a colon and its numbers, separated by any white space, in any
order. It is read in pieces of a fixed size, so neither a huge file nor an endless line needs more
memory than its numbers do; a file that declares or sends too much is refused before it is stored.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from pathlib import Path
from typing import IO, NoReturn

import numpy as np
from numpy.typing import NDArray

from sbot_common.errors import InputError, open_regular, question
from wind_model.grid import WindGrid, make_grid

# Streaming parser of wind grid text files, with limits.

LOG = logging.getLogger(__name__)

FIELDS = WindGrid._fields
_INTEGERS = ('n_x', 'n_y')
_SCALARS = ('min_x', 'min_y', 'n_x', 'n_y', 'res_x', 'res_y')
_PLANES = ('bottom_z', 'top_z')

MAX_POINTS = 1 << 26  # in a grid: three arrays of 512 MiB
_MAX_UNDECLARED = 1 << 24  # values of an array whose size is not declared yet
_MAX_LAYERS = 1 << 16
MAX_WORD = 1024  # bytes
_MAX_BLANK = 1 << 24  # bytes of white space in a row
_MAX_SKIPPED = 1 << 28  # bytes below an unknown name

_INTEGER = re.compile(rb'[+-]?[0-9]{1,18}')
_TEXT = bytes([*range(9, 14), *range(32, 127)])


class _GridReader:
    """Parser of a wind grid: takes pieces of text, keeps the numbers of each field."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.line = 1
        self.name = ''  # the field being read; empty before the first and below an unknown name
        self.skipping = False
        self.parts: dict[str, list[NDArray[np.float64]]] = {}
        self.counts: dict[str, int] = {}
        self.lines: dict[str, int] = {}
        self.integers: dict[str, int] = {}
        self.blank = 0
        self.skipped = 0

    def fail(self, message: str) -> NoReturn:
        """Raise the error, with file and line."""
        raise InputError(f'{self.path}:{self.line}: {message}')

    def check_beginning(self, data: bytes) -> None:
        """Refuse files that are plainly of another kind."""
        if data[:2] in (b'\xff\xfe', b'\xfe\xff'):
            self.fail('got UTF-16, expected ASCII or UTF-8 text')
        if data[:2] == b'\x1f\x8b':
            self.fail('got a file compressed by gzip, expected a text file')

    def check_text(self, data: bytes) -> None:
        """Refuse bytes that no number and no name can have."""
        start = 3 if self.line == 1 and data[:3] == b'\xef\xbb\xbf' else 0
        bad = data[start:].translate(None, _TEXT)
        if bad:
            self.line += data.count(b'\n', 0, data.index(bad[:1]))
            self.fail(f'got the byte 0x{bad[0]:02x}, expected plain text')

    def take(self, piece: bytes) -> None:
        """Take text that ends between words."""
        place = 0
        while (colon := piece.find(b':', place)) >= 0:
            # Words are shorter than MAX_WORD, so this slice holds the whole name.
            before = piece[max(place, colon - MAX_WORD):colon]
            name = b'' if before[-1:].isspace() or not before else before.rsplit(None, 1)[-1]
            self.take_data(piece[place:colon - len(name)])
            after = piece[colon + 1:colon + 2]
            if not name or (after and not after.isspace()):
                self.fail('expected a name directly followed by a colon and then white space')
            self.take_name(name.decode('ascii'))
            place = colon + 1
        self.take_data(piece[place:])

    def take_name(self, name: str) -> None:
        """Begin a field."""
        self.blank = 0
        self.end_field()
        self.skipping = name not in FIELDS
        if self.skipping:
            near = question(name, FIELDS, 0.6)
            LOG.warning("%s:%d: unknown name '%s'%s; its data is skipped",
                        self.path, self.line, name[:80], near and f' ({near})')
            self.name = ''
            return
        if name in self.lines:
            self.fail(f"'{name}' is given twice, first on line {self.lines[name]}")
        self.name = name
        self.lines[name] = self.line
        self.parts[name] = []
        self.counts[name] = 0

    def take_data(self, data: bytes) -> None:
        """Take text that holds no name."""
        if not data or data.isspace():
            self.blank += len(data)
            if self.blank > _MAX_BLANK:
                self.fail(f'got more bytes of white space, expected at most {_MAX_BLANK}')
        elif self.skipping:
            self.skipped += len(data)
            if self.skipped > _MAX_SKIPPED:
                self.fail(f'got more bytes below unknown names, expected at most {_MAX_SKIPPED}')
        elif not self.name:
            word = data.split(None, 1)[0][:80].decode('ascii')
            self.line += data[:data.find(word.encode())].count(b'\n')
            self.fail(f"got '{word}', expected a name followed by a colon")
        else:
            self.blank = 0
            self.take_numbers(data)
        self.line += data.count(b'\n')

    def take_numbers(self, data: bytes) -> None:
        """Keep the numbers of the present field."""
        try:
            numbers = np.fromstring(data, dtype=np.float64, sep=' ')
        except ValueError:
            self.fail_at_bad_word(data)
        self.counts[self.name] += numbers.size
        expected, limit = self.expected(self.name)
        if self.counts[self.name] > limit:
            known = f'{expected}' if expected is not None else f'at most {limit}'
            self.fail(f'{self.name}: got more values, expected {known}')
        if self.name in _INTEGERS:
            self.take_integer(data.strip())
        self.parts[self.name].append(numbers)

    def take_integer(self, word: bytes) -> None:
        """Keep a count."""
        if not _INTEGER.fullmatch(word):
            self.fail(f"{self.name}: got '{word[:80].decode()}', expected a whole number >= 2")
        value = int(word)
        if value < 2:
            self.fail(f'{self.name}: got {value}, expected a whole number >= 2')
        self.integers[self.name] = value
        points = 1
        for count in self.integers.values():
            points *= count
        if points > MAX_POINTS:
            self.fail(f'{self.name}: got {points} points, expected at most {MAX_POINTS}')

    def fail_at_bad_word(self, data: bytes) -> NoReturn:
        """Raise the error that names the first word which is not a number."""
        for line in data.split(b'\n'):
            for word in line.split():
                try:
                    np.fromstring(word, dtype=np.float64, sep=' ')
                except ValueError:
                    self.fail(f"{self.name}: got '{word[:80].decode()}', expected a number")
            self.line += 1
        self.fail(f'{self.name}: expected numbers')

    def expected(self, name: str) -> tuple[int | None, int]:
        """Return how many values a field must have, None if not known yet, and how many it may."""
        if name in _SCALARS:
            return 1, 1
        if name == 'vertical_spacing_factors':
            return None, _MAX_LAYERS
        if len(self.integers) < 2:
            return None, _MAX_UNDECLARED
        points = self.integers['n_x'] * self.integers['n_y']
        if name in _PLANES:
            return points, points
        layers = self.counts.get('vertical_spacing_factors', 0)
        if not layers or self.name == 'vertical_spacing_factors':
            return None, max(_MAX_UNDECLARED, points)
        if points * layers > MAX_POINTS:
            self.fail(f'{name}: got {points * layers} points in a grid, expected at most '
                      f'{MAX_POINTS}')
        return points * layers, points * layers

    def end_field(self) -> None:
        """Check the field that ends here as far as it can be."""
        if self.name and self.counts[self.name] == 0:
            expected, _ = self.expected(self.name)
            wanted = 'values' if expected is None else f'{expected} value{"s" * (expected != 1)}'
            self.fail(f'{self.name}: got none, expected {wanted}')
        if self.name == 'vertical_spacing_factors' and self.counts[self.name] < 2:
            self.fail(f'{self.name}: got 1 value, expected at least 2')

    def grid(self) -> WindGrid:
        """Return the grid of everything read."""
        self.end_field()
        missing = [name for name in FIELDS if name not in self.parts]
        if missing:
            raise InputError(f'{self.path}: a wind grid needs twelve fields; add '
                             f'{", ".join(missing)}')
        values: dict[str, NDArray[np.float64]] = {}
        for name in FIELDS:
            values[name] = np.concatenate(self.parts.pop(name))  # frees the parts one by one
        min_x, min_y, res_x, res_y = (
            float(values[name][0]) for name in ('min_x', 'min_y', 'res_x', 'res_y'))
        return make_grid(
            min_x, min_y, self.integers['n_x'], self.integers['n_y'], res_x, res_y,
            values['vertical_spacing_factors'], values['bottom_z'], values['top_z'],
            (values['u'], values['v'], values['w']), self.path)


_PIECE = 1 << 20  # bytes


def read_grid(path: str | Path, *, typed: bool = False) -> WindGrid:
    """Return the grid of a text file; also of a pipe, if a user has ``typed`` the path.

    Unknown names are reported to the log as a warning, and their data skipped.

    Raises
    ------
    InputError
        naming the file and the line or the field, what was expected and what was found.

    """
    reader = _GridReader(str(path))
    try:
        with open(path, 'rb', buffering=0) if typed else open_regular(path) as file:
            for piece in _pieces(file, reader):
                reader.take(piece)
    except OSError as error:
        raise InputError(f'{path}: cannot read the wind field: {error.strerror}') from None
    return reader.grid()


def write_grid(path: str | Path, grid: WindGrid) -> None:
    """Write a grid so that ``read_grid`` returns it to the last bit.

    Raises
    ------
    InputError
        if the file cannot be written.

    """
    try:
        with open(path, 'w', encoding='ascii', newline='\n') as file:
            for name, value in zip(FIELDS, grid, strict=True):
                file.write(f'{name}:\n')
                flat = np.ravel(np.asarray(value))
                for start in range(0, flat.size, 1 << 16):
                    end = '\n' if start + (1 << 16) >= flat.size else ' '
                    file.write(' '.join(map(repr, flat[start:start + (1 << 16)].tolist())) + end)
    except OSError as error:
        raise InputError(f'{path}: cannot write the wind field: {error.strerror}') from None


def _pieces(file: IO[bytes], reader: _GridReader) -> Iterator[bytes]:
    """Yield the file in pieces that end between words."""
    carried = b''
    first = True
    while True:
        read = file.read(_PIECE)
        if not read:
            break
        if first:
            reader.check_beginning(read)
            read = read.removeprefix(b'\xef\xbb\xbf')
            first = False
        reader.check_text(read)
        piece = carried + read
        tail = piece[-MAX_WORD:]
        carried = b''
        if not tail[-1:].isspace():
            words = tail.rsplit(None, 1)
            carried = words[-1]
            if len(carried) >= MAX_WORD:
                reader.fail(f'got a longer word, expected at most {MAX_WORD} characters')
        yield piece[:len(piece) - len(carried)]
    yield carried
