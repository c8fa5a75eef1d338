# SPDX-License-Identifier: Apache-2.0
"""Read and write text files of wind grids (document 003, "Wind field text file format").

A file is names, each followed by a colon and its numbers, separated by any white space, in any
order. It is read line by line, so that it needs little more memory than its numbers do.
"""

from __future__ import annotations

import logging
import re
from pathlib import Path

import numpy as np

from sbot_common.arrays import Floats
from sbot_common.errors import (
    InputError,
    bad_value,
    open_regular,
    question,
    refuse,
    writing,
)
from wind_model.grid import WindGrid

_LOG = logging.getLogger(__name__)

_FIELDS = WindGrid._fields
_NUMBERS = ('min_x', 'min_y', 'n_x', 'n_y', 'res_x', 'res_y')  # fields of one number

_MOST = 1 << 26  # numbers of a field: 512 MiB
_LONGEST = 1 << 31  # bytes of a line

_NAME = re.compile(rb'(?:^|(?<=\s))([^\s:]+):(?=\s|$)')
_TEXT = bytes([*range(9, 14), *range(32, 127)])


def read_grid(path: str | Path, *, typed: bool = False) -> WindGrid:
    """Return the grid of a text file; also of a pipe, if a user has ``typed`` the path.

    Unknown names are reported to the log as a warning, and their data skipped.

    Raises
    ------
    InputError
        naming the file and the line or the field, what was expected and what was found.

    """
    name = ''
    parts: dict[str, list[Floats]] = {}
    try:
        with open(path, 'rb') if typed else open_regular(path) as file:
            for number, line in enumerate(iter(lambda: file.readline(_LONGEST), b''), 1):
                mark = b'\xef\xbb\xbf' if number == 1 else b''
                name = _take(f'{path}:{number}', line.removeprefix(mark), name, parts)
    except OSError as error:
        raise InputError(f'{path}: cannot read the wind field: {error.strerror}') from None
    missing = [each for each in _FIELDS if each not in parts]
    if missing:
        raise InputError(f'{path}: a wind grid needs twelve fields; add {", ".join(missing)}')
    fields = {each: np.concatenate(parts.pop(each)) for each in _FIELDS}  # freed one by one
    refuse(*((len(fields[each]) != 1,
              f'{path}: {each}: got {len(fields[each])} values, expected 1') for each in _NUMBERS))
    counts = [float(fields[each][0]) for each in ('n_x', 'n_y')]
    refuse(*((not count.is_integer(), bad_value(f'{path}: {each}', count, 'a whole number >= 2'))
             for each, count in zip(('n_x', 'n_y'), counts, strict=True)))
    min_x, min_y, res_x, res_y = (
        float(fields[each][0]) for each in ('min_x', 'min_y', 'res_x', 'res_y'))
    return WindGrid.make(
        min_x, min_y, int(counts[0]), int(counts[1]), res_x, res_y,
        fields['vertical_spacing_factors'], fields['bottom_z'], fields['top_z'],
        (fields['u'], fields['v'], fields['w']), str(path))


def _take(where: str, line: bytes, name: str, parts: dict[str, list[Floats]]) -> str:
    """Add a line's numbers to the fields; return the name of the one to which more may come.

    Raises
    ------
    InputError
        beginning with ``where``, for anything but names and numbers, or too many of these.

    """
    if len(line) == _LONGEST:
        raise InputError(f'{where}: got a longer line, expected at most {_LONGEST} bytes')
    if bad := line.translate(None, _TEXT):
        raise InputError(f'{where}: got the byte 0x{bad[0]:02x}, expected plain text')
    before, *others = _NAME.split(line) if b':' in line else [line]
    _take_numbers(where, name, before, parts)
    for word, data in zip(others[::2], others[1::2], strict=True):
        name = word.decode()
        if name in parts:
            raise InputError(f"{where}: '{name}' is given twice")
        if name in _FIELDS:
            parts[name] = [np.empty(0)]
        else:
            near = question(name, _FIELDS, 0.6)
            _LOG.warning("%s: unknown name '%s'%s; its data is skipped", where, name[:80],
                         near and f' ({near})')
        _take_numbers(where, name, data, parts)
    return name


def _take_numbers(where: str, name: str, data: bytes, parts: dict[str, list[Floats]]) -> None:
    if not data.strip() or (name and name not in parts):  # of an unknown name
        return
    try:
        numbers = np.fromstring(data if name else b'?', np.float64, sep=' ')
    except ValueError:
        word = next(filter(_is_no_number, data.split()), data.split()[0])
        good = name and b':' not in word
        raise bad_value(f'{where}: {name}' if good else where, word.decode(), 'a number' if good
                        else 'a name directly followed by a colon and then white space') from None
    parts[name].append(numbers)
    if sum(map(len, parts[name])) > _MOST:
        raise InputError(f'{where}: {name}: got more values, expected at most {_MOST}')


def _is_no_number(word: bytes) -> bool:
    try:
        np.fromstring(word, np.float64, sep=' ')
    except ValueError:
        return True
    return False


def write_grid(path: str | Path, grid: WindGrid) -> None:
    """Write a grid so that ``read_grid`` returns it to the last bit.

    Raises
    ------
    InputError
        if the file cannot be written.

    """
    with writing(path), open(path, 'w', encoding='ascii', newline='\n') as file:
        for name, value in zip(_FIELDS, grid, strict=True):
            file.write(f'{name}:\n')
            flat = np.ravel(np.asarray(value))
            for start in range(0, flat.size, 1 << 16):
                end = '\n' if start + (1 << 16) >= flat.size else ' '
                file.write(' '.join(map(repr, flat[start:start + (1 << 16)].tolist())) + end)
