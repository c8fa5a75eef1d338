"""`sbot docs`: the pages of the documentation, in the terminal."""

from __future__ import annotations

import argparse
import re
import sys
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from sbot_common.errors import InputError, unknown_name


def pages() -> dict[str, Path]:
    """Return the installed pages by name, as ``scenario`` or ``tutorials/sweep``, sorted.

    Raises
    ------
    InputError
        if the package's data files are not installed anywhere.

    """
    from sbot.scenario.shipped import config_directory
    folder = config_directory().parent / 'docs'
    found = sorted(folder.glob('**/*.md'))
    if not found:
        raise InputError(f'the pages are not installed: {folder} has none')
    return {path.relative_to(folder).with_suffix('').as_posix(): path for path in found}


def _title(path: Path) -> str:
    return next((line[2:].strip() for line in path.read_text('utf-8').splitlines()
                 if line.startswith('# ')), '')


def _mentions(known: dict[str, Path], word: str) -> list[tuple[str, str]]:
    """Return pages and anchors of sections with a word in the heading or a table's first cell.

    A page whose name is nearly the word is meant instead: then there are none.
    """
    if not re.fullmatch(r'\w[\w .-]*', word) or get_close_matches(word, known, 1, 0.8):
        return []
    wanted = re.compile(rf'(?<![a-z]){re.escape(word)}', re.IGNORECASE)
    found: dict[tuple[str, str], None] = {}  # in the order of the pages
    for page, path in known.items():
        anchor, fenced = '', False
        for line in path.read_text('utf-8').splitlines():
            fenced ^= line.startswith('```')
            if not fenced and (heading := re.match(r'#+ +(.*)', line)):
                anchor, text = _anchor(heading[1]), heading[1]
            else:
                text = line.split('|')[1] if line.startswith('| `') else ''
            if not fenced and wanted.search(text):
                found[page, anchor] = None
    return list(found)


def _anchor(heading: str) -> str:
    """Return the anchor of a heading as the site and GitHub make it."""
    return re.sub(r'[^\w -]', '', heading.lower()).strip().replace(' ', '-')


def _docs(args: argparse.Namespace) -> int:
    known = pages()
    if args.page is None:
        width = max(map(len, known))
        for name, path in known.items():
            print(f'{name:{width}}  {_title(path)}')
        print('\nread one: sbot docs PAGE')
        return 0
    name = args.page.removeprefix('docs/').removesuffix('.md')
    if name not in known and (places := _mentions(known, name)):
        print(f'no page has this name; pages with {name} in a heading or a key of a table:')
        for page, anchor in places:
            print(f'  {page}#{anchor}')
        print('\nread one: sbot docs PAGE')
        return 0
    if name not in known:
        raise unknown_name('PAGE', args.page, list(known))
    text = known[name].read_text('utf-8')
    if sys.stdout.isatty():
        from pydoc import pager
        pager(text)
    else:
        print(text, end='')
    return 0


def add_parsers(subparsers: Any) -> None:  # noqa: ANN401 - argparse has no public type for it
    """Add the command ``docs``; it sets ``run``, which returns the exit code."""
    docs = subparsers.add_parser('docs', help='list the pages of the documentation, or read one')
    docs.add_argument('page', metavar='PAGE', nargs='?',
                      help='name of a page, e.g. scenario or tutorials/sweep, or a word '
                           'to look for in headings and keys (default: list all pages)')
    docs.set_defaults(run=_docs)
