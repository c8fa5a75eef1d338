"""Read and write text files of wind grids (document 003, "Wind field text file format").

A file is names, each followed by a colon and its numbers, separated by any white space, in any
order. It is read in pieces of a fixed size, so neither a huge file nor an endless line needs more
memory than its numbers do; a file that declares or sends too much is refused before it is stored.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import IO

import numpy as np

from sbot_common.errors import InputError
from sbot_common.files import open_regular
from wind_model.grid import WindGrid
from wind_model.rotors_reader import FIELDS, MAX_WORD, GridReader

_PIECE = 1 << 20  # bytes


def read_grid(path: str | Path, *, typed: bool = False) -> WindGrid:
    """Return the grid of a text file; of a pipe, too, where a user has ``typed`` the path.

    Unknown names are reported to the log as a warning, and their data skipped.

    Raises
    ------
    InputError
        naming the file and the line or the field, what was expected and what was found.

    """
    reader = GridReader(str(path))
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


def _pieces(file: IO[bytes], reader: GridReader) -> Iterator[bytes]:
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
