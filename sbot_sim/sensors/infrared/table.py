"""The look-up tables from distances to infrared readings (document 002 section 3.1)."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sbot_common.errors import InputError, bad_value, read_small
from sbot_sim.sensors.infrared.curves import (
    CONSECUTIVE_POWERS,
    ENTRIES,
    PRINTED_POWERS,
    TABLE_RANGE,
    clipped,
    equation_3,
    table_distances_cm,
)
from sbot_sim.sensors.infrared.default_table import EXPONENTIAL

Floats = NDArray[np.float64]

_MOST_BYTES = 1 << 20  # of a file

TABLES = ('exponential', 'polynomial', 'as_printed')

__all__ = ['ENTRIES', 'TABLES', 'TABLE_RANGE', 'load_table', 'named_table', 'read_table']


def named_table(name: str) -> Floats:
    """Return the table (151,) called exponential, polynomial or as_printed (docs/errata.md S1)."""
    if name == 'exponential':
        return np.array(EXPONENTIAL)
    powers = {'polynomial': CONSECUTIVE_POWERS, 'as_printed': PRINTED_POWERS}[name]
    return clipped(equation_3(table_distances_cm(), powers))


def read_table(path: Path) -> Floats:
    """Return the table (151,) in a text file: numbers >= 0 and white space; # starts a comment.

    Raises
    ------
    InputError
        naming the file and the line, if it cannot be read, a word is not such a number, or there
        are not 151.

    """
    try:
        lines = read_small(path, _MOST_BYTES).decode('utf-8').splitlines()
    except (OSError, ValueError) as error:
        raise InputError(f'{path}: cannot be read as a table of {ENTRIES} readings '
                         f'({error})') from None
    values = []
    for number, line in enumerate(lines, 1):
        for word in line.partition('#')[0].split():
            try:
                value = float(word)
            except ValueError:
                value = math.nan
            if not 0.0 <= value < math.inf:
                raise bad_value(f'{path}:{number}', word, 'a finite number >= 0')
            values.append(value)
    if len(values) != ENTRIES:
        raise bad_value(str(path), len(values), f'{ENTRIES} readings, for 0, 1 … 150 mm')
    return np.array(values)


def load_table(choice: str) -> Floats:
    """Return the table (151,) of a name in ``TABLES`` or of a file's path.

    Raises
    ------
    InputError
        if it is neither, or as ``read_table``.

    """
    if choice in TABLES:
        return named_table(choice)
    path = Path(choice)
    if not path.is_file():
        raise bad_value('infrared_table', choice, f'one of {", ".join(TABLES)}, or the path of a '
                        f'file with {ENTRIES} readings')
    return read_table(path)
