# SPDX-License-Identifier: Apache-2.0
"""Limits of input from files, which no sensible file reaches; temporary folders.

``SBOT_LIMITS`` in the environment changes them, e.g. ``SBOT_LIMITS=file_bytes=200000000``, or
several, separated by commas.
"""

from __future__ import annotations

import os
import tempfile
from functools import lru_cache
from pathlib import Path
from typing import Annotated, NamedTuple

from sbot_common.errors import InputError, bad_value, open_regular
from sbot_common.params import Param, refuse_unknown, updated

VARIABLE = 'SBOT_LIMITS'
MOST_DEPTH = 50  # levels of nesting in a text: Python's stack is finite


class Limits(NamedTuple):
    """Limits of input; anything beyond them is refused."""

    file_bytes: Annotated[int, Param(
        'B', 'Size of a scenario, map, image or world, and of a record or message of a bag, also '
        "decompressed; pixels of a map's image.", minimum=1)] = 64 << 20
    text_values: Annotated[int, Param(
        '', 'Values of a scenario, map or world after its aliases are expanded, and topics of a '
        'bag.', minimum=1)] = 500_000
    run_bytes: Annotated[int, Param(
        'B', 'Memory of the history of a run, and of the scans of one tick; size of a '
        'decompressed bag on the disk.', minimum=1)] = 16 << 30


@lru_cache
def _parsed(text: str) -> Limits:
    given: dict[str, int] = {}
    for word in filter(None, text.split(',')):
        name, _, value = word.partition('=')
        try:
            given[name.strip()] = int(value)
        except ValueError:
            raise bad_value(VARIABLE, word, 'NAME=NUMBER, e.g. file_bytes=200000000') from None
    refuse_unknown(given, Limits._fields, lambda _: VARIABLE)
    return updated(Limits(), given, lambda name: f'{VARIABLE}: {name}')


def limits() -> Limits:
    """Return the limits that hold.

    Raises
    ------
    InputError
        if ``SBOT_LIMITS`` cannot be read.

    """
    return _parsed(os.environ.get(VARIABLE, ''))


def read_within(path: str | Path, place: str = '', *, typed: bool = False) -> bytes:
    """Return the bytes of a file whose size is within ``file_bytes``.

    Parameters
    ----------
    path : a regular file, or a pipe if a user has ``typed`` it
    place : what names the file, for messages

    Raises
    ------
    InputError
        if it cannot be read, or is larger.

    """
    most = limits().file_bytes
    where = f'{place}: {path}' if place else str(path)
    try:
        with open(path, 'rb') if typed else open_regular(path) as file:
            data = file.read(most + 1)
    except OSError as error:
        raise InputError(f'{where}: cannot be read: {error.strerror or error}') from None
    if len(data) > most:
        raise too_large(where, 'bytes or more', len(data), 'file_bytes')
    return data


def too_large(where: str, what: str, found: int, name: str) -> InputError:
    """Return the error for input beyond a limit, with the way to raise the limit.

    Parameters
    ----------
    where : file and place
    what : what there is too much of, e.g. 'pixels'
    found : how many
    name : field of ``Limits``

    """
    return InputError(f'{where}: too large: {found} {what}, expected at most '
                      f'{getattr(limits(), name)} ({VARIABLE}={name}=... changes that)')


# Temporary folders of commands.

class TemporaryFolder(tempfile.TemporaryDirectory[str]):
    """A temporary folder, deleted at the end of a ``with`` or with this object.

    Parameters
    ----------
    purpose : a word of its name

    """

    def __init__(self, purpose: str) -> None:
        super().__init__(prefix=f'sbot_{purpose}_')
