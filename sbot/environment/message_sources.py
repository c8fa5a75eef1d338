"""Sources of a message package: its name and its .msg and .srv files, read within limits.

Nothing of a folder that somebody else wrote is trusted: only regular files of a sensible size are
read, the XML may declare no entities, and of messages only plain lines without comments are kept.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from xml.etree.ElementTree import ParseError

from sbot.environment.message_names import check_different, check_interface, check_package
from sbot.environment.message_text import plain_text
from sbot_common.errors import InputError, bad_value
from sbot_common.files import read_regular

KINDS = ('msg', 'srv')
MOST_BYTES = 1 << 20  # of a file; the largest of ROS 2 has some kilobytes
MOST_FILES = 1000  # of messages and services; the largest package of ROS 2 has about fifty
MOST_OF_ALL = 4 << 20  # bytes of all files
MOST_LINES = 20_000  # of all files: fields and constants
_SOURCES = 'a folder with package.xml, and msg/*.msg or srv/*.srv'


class MessageSources(NamedTuple):
    """Name of a package, and plain texts of its files by their paths, e.g. 'msg/Two.msg'."""

    package: str
    texts: dict[str, str]

    def write(self, folder: Path) -> None:
        """Write the files into a folder, which may be missing."""
        for path, text in self.texts.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text, 'utf-8')


def read_sources(folder: Path) -> MessageSources:
    """Return the sources of a message package.

    Raises
    ------
    InputError
        if the folder is none of a message package, or a file of it cannot be read, is too large,
        is not UTF-8, or has a name or a line that ROS 2 does not allow or that may carry code.

    """
    try:
        paths = list(_interfaces(folder))
        whole = (folder / 'package.xml').exists()
    except InputError:
        raise
    except (OSError, ValueError) as error:  # a path with a byte of 0 is a ValueError
        raise _unreadable(folder, error) from None
    if not (paths and whole):
        raise bad_value('sources', str(folder), _SOURCES)
    if len(paths) > MOST_FILES:
        raise InputError(f'{folder}: got {len(paths)} messages and services, expected at most '
                         f'{MOST_FILES}')
    check_different(map(str, paths))
    package = _package_name(folder / 'package.xml')
    texts: dict[str, str] = {}
    size = lines = 0
    for path in paths:
        text = _read(path)
        size += len(text.encode())
        if size > MOST_OF_ALL:
            raise InputError(f'{path}: the files up to this one have more than {MOST_OF_ALL} '
                             'bytes')
        plain = plain_text(str(path), text)
        lines += plain.count('\n')
        if lines > MOST_LINES:
            raise InputError(f'{path}: the files up to this one have more than {MOST_LINES} '
                             'fields and constants')
        texts[path.relative_to(folder).as_posix()] = plain
    return MessageSources(package, texts)


def _interfaces(folder: Path) -> Iterator[Path]:
    for kind in KINDS:
        if not (folder / kind).is_dir():
            continue
        # Not glob: it says nothing of a folder that it may not read.
        for name in sorted(os.listdir(folder / kind)):
            path = folder / kind / name
            if path.suffix != f'.{kind}':
                continue
            check_interface(folder / kind, name, kind)
            yield path


def _package_name(path: Path) -> str:
    from defusedxml import DefusedXmlException, ElementTree  # here: few need it
    text = _read(path)
    try:
        found = ElementTree.fromstring(text, forbid_dtd=True).findtext('name')
    except ParseError as error:
        raise InputError(f'{path}:{error.position[0]}: not XML: '
                         f'{str(error).partition(":")[0]}') from None
    except DefusedXmlException:
        raise InputError(f'{path}: declares a document type or entities (<!DOCTYPE ...>), which '
                         'are not read; remove them') from None
    except (ValueError, LookupError, RecursionError) as error:  # e.g. an unknown encoding
        raise InputError(f'{path}: not XML: {error}') from None
    name = (found or '').strip()
    check_package(f'{path}: <name>', name)
    return name


def _read(path: Path) -> str:
    try:
        data = read_regular(path, MOST_BYTES + 1)
    except OSError as error:
        raise _unreadable(path, error) from None
    if len(data) > MOST_BYTES:
        raise InputError(f'{path}: got more than {MOST_BYTES} bytes, expected fewer')
    try:
        text = data.decode('utf-8')
    except UnicodeDecodeError as error:
        line = data.count(b'\n', 0, error.start) + 1
        raise InputError(f'{path}:{line}: byte 0x{data[error.start]:02x} is not UTF-8; save the '
                         'file as UTF-8') from None
    if '\0' in text:
        line = text.count('\n', 0, text.index('\0')) + 1
        raise InputError(f'{path}:{line}: got a byte of 0, expected text')
    return text


def _unreadable(path: Path, error: Exception) -> InputError:
    reason = getattr(error, 'strerror', None) or str(error)
    return InputError(f'{path}: cannot be read: {reason}')
