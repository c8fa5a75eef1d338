"""`sbot docs`: the pages of the documentation, in the terminal."""

from __future__ import annotations

import argparse
import sys
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


def _docs(args: argparse.Namespace) -> int:
    known = pages()
    if args.page is None:
        width = max(map(len, known))
        for name, path in known.items():
            print(f'{name:{width}}  {_title(path)}')
        print('\nread one: sbot docs PAGE')
        return 0
    name = args.page.removeprefix('docs/').removesuffix('.md')
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
                      help='name of a page, e.g. scenario or tutorials/sweep (default: list all)')
    docs.set_defaults(run=_docs)
