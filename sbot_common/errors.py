# SPDX-License-Identifier: Apache-2.0
"""InputError: bad input in one line, with suggestions; files that are opened safely."""

from __future__ import annotations

import logging
import os
import stat
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import BinaryIO

LONGEST = 1000  # characters of a message
SHOWN = 80  # characters of a value in a message
_NEAR = 200  # names longer than this are not compared with others


class InputError(ValueError):
    """Bad input of a user or a file, in one line: the place, the value and what was expected.

    The message is one line without control characters, whatever it quotes. A message of more than
    ``LONGEST`` characters is cut in the middle.
    """

    def __init__(self, text: str = '') -> None:
        super().__init__(one_line(text))


def one_line(text: str, longest: int = LONGEST) -> str:
    """Return text for a terminal: line breaks as spaces, other control characters escaped."""
    text = _cut(text, longest)
    if text.isprintable():
        return text
    return _cut(''.join(c if c.isprintable() else ' ' if c in '\r\n' else
                        c.encode('unicode_escape').decode('ascii') for c in text), longest)


def _cut(text: str, longest: int) -> str:
    """Return the beginning and the end of a text that is too long."""
    if len(text) <= longest:
        return text
    return f'{text[:longest * 2 // 3 - 5]} ... {text[-longest // 3:]}'


@contextmanager
def decoding(where: str) -> Iterator[None]:
    """Turn whatever a decoder raises into an InputError that begins with ``where``.

    This is for decoders of other libraries, which may raise any exception for damaged bytes.
    """
    try:
        yield
    except InputError:
        raise
    except RecursionError:
        raise InputError(f'{where}: nested too deeply') from None
    except MemoryError:
        raise InputError(f'{where}: needs more memory than the machine has') from None
    except Exception as error:
        raise InputError(': '.join(filter(None, (
            where, type(error).__name__, str(error))))) from None


def refuse(*rules: tuple[object, str | InputError]) -> None:
    """Raise an InputError for the first of pairs (what is wrong if true, what to say or raise)."""
    for wrong, text in rules:
        if wrong:
            raise text if isinstance(text, InputError) else InputError(text)


@contextmanager
def writing(path: object) -> Iterator[None]:
    """Turn an OSError into an InputError that says that a file cannot be written."""
    try:
        yield
    except OSError as error:
        raise InputError(f'{path}: cannot be written: {error.strerror or error}') from None


def shown(value: object, most: int = SHOWN) -> str:
    """Return ``repr(value)``, cut off; nested values beyond that are not formatted."""
    text = ''
    for piece in _pieces(value, most):
        text += piece
        if len(text) > most:
            return text[:most - 3] + '...'
    return text


def _pieces(value: object, most: int) -> Iterator[str]:
    """Yield a value's repr in pieces."""
    kind = type(value)
    if isinstance(value, str | bytes):
        yield repr(value[:2 * most])
    elif isinstance(value, int) and abs(value).bit_length() > 8 * most:
        yield f'a whole number of {abs(value).bit_length()} bits'
    elif isinstance(value, list | tuple) and kind in (list, tuple):
        yield '[' if kind is list else '('
        for i, item in enumerate(value):
            yield ', ' if i else ''
            yield from _pieces(item, most)
        yield ']' if kind is list else ',)' if len(value) == 1 else ')'
    elif isinstance(value, dict) and kind is dict:
        yield '{'
        for i, (key, item) in enumerate(value.items()):
            yield ', ' if i else ''
            yield from _pieces(key, most)
            yield ': '
            yield from _pieces(item, most)
        yield '}'
    else:
        try:
            yield repr(value)
        except Exception:  # of a user's class, or a fraction of thousands of digits
            yield f'<{kind.__name__}>'


def first_of(words: Sequence[str], most: int) -> str:
    """Return words separated by commas: of more than ``most`` the first, and how many more."""
    more = f' and {len(words) - most} more' if len(words) > most else ''
    return ', '.join(words[:most]) + more


def bad_value(where: str, value: object, expected: str) -> InputError:
    """Return the error for one bad value.

    Parameters
    ----------
    where : file, line, key path or parameter name
    value : what was found there
    expected : what is accepted, e.g. 'a number > 0 (m)'

    """
    return InputError(f'{where}: got {shown(value)}, expected {expected}')


def unknown_name(where: str, name: str, known: Iterable[str]) -> InputError:
    """Return the error for an unknown key or name, with the nearest known one."""
    return InputError(f"{where}: unknown name '{one_line(name, SHOWN)}'; {hint(name, known)}")


def install_command(extra: str) -> str:
    """Return the command that installs an extra; no package index has this package yet."""
    return f"pip install '.[{extra}]' in a checkout of potential_field_bot"


def hint(name: str, known: Iterable[str], what: str = 'known', likeness: float = 0.5) -> str:
    """Return a question with the nearest name, or a list of all names, called ``what``."""
    names = sorted(known)
    return question(name, names, likeness) or f'{what}: {", ".join(names)}'


def question(name: str, names: Sequence[str], likeness: float = 0.5) -> str:
    """Return a question with the nearest of some names; '' if none is near."""
    from difflib import get_close_matches
    short = [each for each in islice(names, 1000) if len(each) <= _NEAR]
    near = get_close_matches(name, short, n=1, cutoff=likeness) if len(name) <= _NEAR else ()
    return f"did you mean '{near[0]}'?" if near else ''


# Warnings quote files of others, whose text must not move the cursor or rename the window.

_written = warnings.formatwarning


def plain_lines(text: str) -> str:
    """Return text with its line breaks, and all other control characters escaped."""
    return '\n'.join(map(one_line, text.split('\n')))


class _PlainFormatter(logging.Formatter):
    """Formatter of log lines whose text may come from a file."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the lines of a record."""
        return plain_lines(super().format(record))


def _plain_warning(message: Warning | str, category: type[Warning], filename: str, lineno: int,
                   line: str | None = None) -> str:
    return plain_lines(_written(message, category, filename, lineno, line))


def keep_warnings_plain() -> None:
    """Escape control characters in warnings of this process, if logging is not set up."""
    if logging.lastResort is not None:
        logging.lastResort.setFormatter(_PlainFormatter())
    warnings.formatwarning = _plain_warning


# Opening of files that other files name: regular ones only, never a pipe or a device.

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
    with open_regular(path) as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise ValueError(f'more than {most >> 20} MiB')
    return data
