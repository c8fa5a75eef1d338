"""Check a built site: every link and picture is there, and it needs nothing from the web.

Run `python docs/check_site.py build/site`, or `make docs`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

# Attributes that make a browser load something; `href` does so in a <link>.
LOADED = ('src', 'srcset', 'data', 'poster')
LINKS_TO_PAGES = ('canonical', 'next', 'prev', 'alternate')


class Page(HTMLParser):
    """Names, links and loaded addresses of one HTML page."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.feed(path.read_text('utf-8'))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what one element names, links to or loads."""
        given = {name: value for name, value in attrs if value is not None}
        self.names |= {given[name] for name in ('id', 'name') if name in given}
        self.loaded += [given[name] for name in LOADED if name in given]
        if 'href' in given:
            loads = tag == 'link' and given.get('rel') not in LINKS_TO_PAGES
            (self.loaded if loads else self.links).append(given['href'])


@cache
def page_of(path: Path) -> Page:
    """Return a page, read once."""
    return Page(path)


def problems(site: Path) -> Iterator[str]:
    """Yield a line for everything that a reader without a network would miss."""
    for path in sorted(site.rglob('*.html')):
        page, name = page_of(path), path.relative_to(site)
        for address in [*page.links, *page.loaded]:
            parts = urlsplit(address)
            if parts.scheme or parts.netloc:
                if address in page.loaded and parts.scheme != 'data':
                    yield f'{name}: loads {address} from the web'
                continue
            if name.name == '404.html':  # its links begin at the server's root
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if target.is_dir():
                target /= 'index.html'
            if not target.exists():
                yield f'{name}: no file {address}'
            elif (parts.fragment and target.suffix == '.html'
                    and unquote(parts.fragment) not in page_of(target).names):
                yield f'{name}: no place {address}'


def main() -> int:
    """Print all problems; return the exit code."""
    site = Path(sys.argv[1])
    found = list(problems(site))
    print(*found, sep='\n', end='\n' if found else '')
    pages = len(list(site.rglob('*.html')))
    print(f'{site}: {pages} pages, {len(found)} problems')
    return 1 if found or not pages else 0


if __name__ == '__main__':
    sys.exit(main())
