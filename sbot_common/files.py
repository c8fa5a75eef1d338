"""Opening of files that other files name: regular ones only, never a pipe or a device."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import BinaryIO

from sbot_common.errors import InputError

_KINDS = {stat.S_IFDIR: 'a folder', stat.S_IFCHR: 'a device', stat.S_IFBLK: 'a device',
          stat.S_IFIFO: 'a pipe', stat.S_IFSOCK: 'a socket'}


def real_path(path: str | Path) -> Path:
    """Return an absolute path without links.

    A link that leads to itself stays. Before Python 3.13 ``pathlib.Path.resolve`` raises
    RuntimeError for it.
    """
    return Path(os.path.realpath(path))


def open_regular(path: str | Path) -> BinaryIO:
    """Return a regular file, opened to read its bytes.

    Opening or reading a pipe or a terminal may wait for ever, a device may have no end. What a
    user types may be one (``sbot run /dev/stdin``); what stands in a scenario, a map, a bag or a
    folder of results may not.

    Raises
    ------
    InputError
        if it is something else; a link is what it leads to.
    OSError, ValueError
        as ``open``.

    """
    check_regular(path, os.stat(path).st_mode)
    return open(path, 'rb')


def check_regular(path: str | Path, mode: int) -> None:
    """Raise InputError unless a mode (``os.stat``) is a regular file's."""
    if not stat.S_ISREG(mode):
        raise InputError(f'{path}: got {_KINDS.get(stat.S_IFMT(mode), "no file")}, expected a '
                         'regular file')


def read_small(path: str | Path, most: int) -> bytes:
    """Return the bytes of a regular file; raises as ``open_regular``, and where there are more.

    Raises
    ------
    ValueError
        for more than ``most`` bytes; no more are read.

    """
    data = read_regular(path, most + 1)
    if len(data) > most:
        raise ValueError(f'more than {most >> 20} MiB')
    return data


def read_regular(path: str | Path, most: int = -1) -> bytes:
    """Return the bytes of a regular file, at most so many; raises as ``open_regular``."""
    with open_regular(path) as file:
        return file.read(most)
