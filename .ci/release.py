"""Write this repository, with the addresses of its home, into build/release: see `make release`.

setup.py names the placeholders: the home, the documentation and the maintainers' mail. They are
replaced in every file that git has. README gets badges, the site its address, and `pip install .`
in pages and messages becomes the installation from PyPI. Build and publish from that folder.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
from pathlib import Path
from urllib.parse import urlsplit

ROOT = Path(__file__).resolve().parent.parent
NAME = 'potential_field_bot'
# Of pages and messages, not of workflows, scripts and what contributors do in a clone.
INSTALL = re.compile(r"pip install ('?)\.(\[[^\]']+\])?\1(`?)(?: in (?:a|the) checkout"
                     rf'(?: of {NAME})?)?(?![\w/])')
FROM_PYPI = ('README.md', 'docs/', 'examples/', 'sbot', 'test/')
BADGES = """[![PyPI](https://img.shields.io/pypi/v/{name})](https://pypi.org/project/{name}/)
[![ci]({home}/actions/workflows/ci.yml/badge.svg)]({home}/actions/workflows/ci.yml)
[![docs](https://img.shields.io/badge/docs-site-blue)]({docs})
"""


def placeholders() -> dict[str, str]:
    """Return the addresses in setup.py by name."""
    text = (ROOT / 'setup.py').read_text('utf-8')
    return dict(re.findall(r"^(HOME|DOCS|MAIL) = '(.+)'", text, re.MULTILINE))


def docs_of(home: str) -> str:
    """Return where the pages of a home are: GitHub Pages, else below it."""
    parts = urlsplit(home)
    if parts.netloc != 'github.com':
        return f'{home}/docs'
    owner, _, name = parts.path.strip('/').partition('/')
    return f'https://{owner.lower()}.github.io/{name}'


def released(path: str, text: str, new: dict[str, str]) -> str:
    """Return the text of a file for the home."""
    for name, old in placeholders().items():
        text = text.replace(old, new[name])
    if path.startswith(FROM_PYPI) and path.endswith(('.md', '.py', '.ipynb')):
        text = INSTALL.sub(rf'pip install \1{NAME}\2\1\3', text)
    if path == 'README.md':
        text = text.replace('In a clone and a virtual', 'In a virtual')
        title, rest = text.split('\n', 1)
        text = f"{title}\n\n{BADGES.format(name=NAME, home=new['HOME'], docs=new['DOCS'])}{rest}"
    if path == 'mkdocs.yml':
        text = text.replace('\nsite_', f"\nsite_url: {new['DOCS']}/\nsite_", 1)
    return text


def main() -> None:
    """Copy every file that git has."""
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument('home', help='address of the repository, https://…')
    parser.add_argument('--docs', help='address of the pages')
    parser.add_argument('--mail', help='of the maintainers')
    parser.add_argument('--output', type=Path, default=ROOT / 'build' / 'release')
    given = parser.parse_args()
    home = given.home.rstrip('/')
    if urlsplit(home).scheme != 'https' or not urlsplit(home).path.strip('/'):
        parser.error(f'home: got {given.home}, expected https://HOST/PATH')
    new = {'HOME': home, 'DOCS': (given.docs or docs_of(home)).rstrip('/'),
           'MAIL': given.mail or f'maintainers@{urlsplit(home).netloc}'}
    shutil.rmtree(given.output, ignore_errors=True)
    files = subprocess.run(['git', '-c', 'safe.directory=*', 'ls-files', '-z'], cwd=ROOT,
                           check=True, capture_output=True, text=True).stdout
    for path in files.rstrip('\0').split('\0'):
        target = given.output / path
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / path, target)
        try:
            text = target.read_text('utf-8')
        except UnicodeDecodeError:
            continue
        if (changed := released(path, text, new)) != text:
            target.write_text(changed, 'utf-8')
    print('\n'.join(f'{name}: {value}' for name, value in new.items()))
    print(f'written: {given.output}')


if __name__ == '__main__':
    main()
