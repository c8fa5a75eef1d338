"""Tokens of a Stage world file, with the tokens of included files in place."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import NamedTuple

from sbot.files.limits import limits, too_large
from sbot.files.yaml_text import read_file
from sbot_common.errors import InputError, bad_value, shown

MAX_INCLUDED = 200  # files, each as often as it is included
MAX_DEPTH = 20  # of includes within includes

WORD, NUMBER, STRING, SIGN = 'word', 'number', 'string', 'sign'
# Letters and digits are those of ASCII; a word may have brackets in it, as in `point[0]`.
_TOKEN = re.compile(r'(?P<comment>#[^\r\n]*)|(?P<space>[ \t]+)|(?P<end>\r\n|\n\r|\r|\n)'
                    r'|(?P<word>[A-Za-z][A-Za-z0-9._\[\]-]*)|(?P<number>[-+.0-9]+)'
                    r'|"(?P<string>[^"\r\n]*)"|(?P<sign>[()\[\]])')


class Place(NamedTuple):
    """Where a token stands."""

    file: str
    line: int
    main_line: int  # of the world file: this line, or that of the `include` which leads here

    def __str__(self) -> str:
        """Return 'file:line', as messages begin."""
        return f'{self.file}:{self.line}'


class Token(NamedTuple):
    """A word, a number, a text without its quotes, or one of ``()[]``."""

    kind: str
    text: str
    place: Place


def read_tokens(raw: bytes, path: Path) -> list[Token]:
    """Return the tokens of a world file.

    Parameters
    ----------
    raw : the bytes of the file
    path : the file; includes are looked for in its folder, as Stage does, then beside the file
        that includes, then by their names alone in the folders of ``STAGEPATH``

    Raises
    ------
    InputError
        with file and line, for what is no token, for an include that is missing, no regular file
        or includes itself, and for too much of anything.

    """
    reader = _Reader(path)
    reader.read(raw, path, None, ())
    return reader.tokens


class _Reader:
    def __init__(self, path: Path) -> None:
        self.tokens: list[Token] = []
        self._folder = path.parent
        self._bytes = 0
        self._files = 0

    def read(self, raw: bytes, path: Path, main_line: int | None, above: tuple[Path, ...]) -> None:
        """Append the tokens of a file; ``main_line`` is None for the world file itself."""
        file = str(path)
        self._bytes += len(raw)
        if self._bytes > limits().file_bytes:
            raise too_large(file, 'bytes or more, with what it includes', self._bytes,
                            'file_bytes')
        text = raw.decode('utf-8-sig', 'replace')  # bytes of other encodings stand in comments
        line, at = 1, 0
        while at < len(text):
            match = _TOKEN.match(text, at)
            place = Place(file, line, line if main_line is None else main_line)
            if match is None:
                if text[at] == '"':
                    raise InputError(f'{place}: a text begins here and has no end on this line')
                raise bad_value(str(place), text[at], 'a name, a number, a text in quotes, or one '
                                'of ( ) [ ] #')
            kind, at = match.lastgroup or '', match.end()
            if kind == 'end':
                line += 1
            elif kind == WORD and match[0] == 'include':
                at = self._include(text, at, place, (*above, path.resolve()))
            elif kind in (WORD, NUMBER, STRING, SIGN):
                self.tokens.append(Token(kind, match[kind], place))
                if len(self.tokens) > limits().text_values:
                    raise too_large(str(place), 'words, numbers and signs so far',
                                    len(self.tokens), 'text_values')

    def _include(self, text: str, at: int, place: Place, above: tuple[Path, ...]) -> int:
        """Read the file that an include names; return where the next line begins."""
        match = re.compile(r'[ \t]+"([^"\r\n]*)"[^\r\n]*').match(text, at)
        if match is None:
            raise InputError(f'{place}: include: expected the name of a file in quotes')
        self._files += 1
        if self._files > MAX_INCLUDED or len(above) > MAX_DEPTH:
            raise InputError(f'{place}: include: too many: expected at most {MAX_INCLUDED} files '
                             f'in all, and {MAX_DEPTH} within each other')
        path = find_beside(match[1], self._folder, place, os.environ.get('STAGEPATH', ''))
        if path is None:
            raise bad_value(f'{place}: include', match[1], f'a file, relative to {self._folder} '
                            'or absolute, or one in a folder of STAGEPATH')
        if path.resolve() in above:
            raise InputError(f'{place}: include: {shown(match[1])} includes itself')
        try:
            raw = read_file(path)
        except InputError as error:
            raise InputError(f'{place}: include: {error}') from None
        self.read(raw, path, place.main_line, above)
        return match.end()


def find_beside(name: str, folder: Path, place: Place, search: str = '') -> Path | None:
    """Return the file that a world names, None if there is none.

    Parameters
    ----------
    name : a path as it is written
    folder : that of the world file, where a relative path begins
    place : where the name stands; beside that file is the next place to look
    search : folders separated as in PATH, where the last part of the name is looked for

    """
    places = [folder / name, Path(place.file).parent / name]
    places += [Path(each, os.path.basename(name)) for each in search.split(os.pathsep) if each]
    for path in places:
        try:
            if path.exists() and not path.is_dir():
                return path
        except (OSError, ValueError):  # a name that no file can have
            return None
    return None
