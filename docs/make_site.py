"""Gather the pages of the site in build/docs, and its settings in build/site.yml: see `make docs`.

* docs/ as it is, with links to files of the repository turned into links to pages made of them
* index.md, the README
* commands.md, what the parsers of `sbot` say of themselves
* api.md and modules/, the docstrings, which mkdocstrings fills in
* gallery/, figures/, tutorials/, dark pictures and films beside those of the repository
  (docs/make_gallery.py, docs/make_page_figures.py, docs/dark_pictures.py)
"""

from __future__ import annotations

import os
import posixpath
import re
import shutil
from pathlib import Path
from typing import Any

import dark_pictures
import yaml
from make_gallery import complete
from make_page_figures import jobs
from reference_pages import api_page, commands_page, module_pages

ROOT = Path(__file__).resolve().parent.parent
GALLERY = ROOT / 'build' / 'gallery'
DARK_TUTORIALS = ROOT / 'build' / 'dark_tutorials'
LINK = re.compile(r'(\]\()([^)#\s]+)((?:#[^)\s]*)?\))')
# Its words, folder, stem and ending.
PICTURE = re.compile(r'!\[([^\]]*)\]\(((?:[\w./-]*/)?(?:gallery|figures)/)([\w-]+)'
                     r'(\.(?:png|svg|gif))\)')
TUTORIAL_PICTURE = re.compile(r'!\[([^\]]*)\]\(([\w-]+/[\w-]+)\.png\)')
LANGUAGES = {'.py': 'python', '.yaml': 'yaml', '.yml': 'yaml', '.argos': 'xml'}
COPIED = ('.png', '.svg', '.gif', '.ipynb')


def repository_path(link: str, folder: str) -> str | None:
    """Return the file of the repository that a link on a page in `folder` means, else None."""
    path = posixpath.normpath(posixpath.join(folder, link))
    return path if '://' not in link and (ROOT / path).is_file() else None


def site_path(path: str) -> str:
    """Return where a file of the repository is on the site."""
    if path == 'README.md':
        return 'index.md'
    if path.startswith('docs/'):
        return path.removeprefix('docs/')
    return f'repository/{path}' + ('' if path.endswith('.md') else '.md')


def page_text(path: str, linked: set[str]) -> str:
    """Return a page of the site made of a file of the repository; collect what it links to."""
    text = (ROOT / path).read_text('utf-8')
    if not path.endswith('.md'):
        return f'# {path}\n\n`````{LANGUAGES.get(Path(path).suffix, "text")}\n{text}\n`````\n'

    def changed(found: re.Match[str]) -> str:
        before, link, after = found.groups()
        target = repository_path(link, posixpath.dirname(path))
        if target is None:
            return found.group()
        linked.add(target)
        return before + posixpath.relpath(site_path(target),
                                          posixpath.dirname(site_path(path))) + after

    return both_grounds(LINK.sub(changed, text), site_path(path))


def both_grounds(text: str, page: str) -> str:
    """Return a page with a dark picture beside each light one that has one, and films below."""
    def changed(found: re.Match[str]) -> str:
        words, path, name, ending = found.groups()
        if not (GALLERY / f'{name}.dark{ending}').is_file():
            return found[0]
        films = [(f'{path}{name}{end}.mp4', shown) for end, shown in (('', 'light'),
                                                                      ('.dark', 'dark'))
                 if (GALLERY / f'{name}{end}.mp4').is_file()]
        return (f'![{words}]({path}{name}{ending}#only-light)\n'
                f'![{words}]({path}{name}.dark{ending}#only-dark)\n'
                + ''.join(f'\n<video class="only-{shown}" controls muted preload="metadata" '
                          f'src="{film}"></video>\n' for film, shown in films))

    def changed_tutorial(found: re.Match[str]) -> str:
        words, path = found.groups()
        if not (DARK_TUTORIALS / f'{path}.dark.png').is_file():
            return found[0]
        return f'![{words}]({path}.png#only-light)\n![{words}]({path}.dark.png#only-dark)'

    text = PICTURE.sub(changed, text)
    if page.startswith('tutorials/'):
        text = TUTORIAL_PICTURE.sub(changed_tutorial, text)
    if page != 'gallery.md':
        return text
    # A film takes the place of the GIF that shows it in the repository.
    return re.sub(r'!\[[^\]]*\]\(gallery/([\w-]+)\.gif\)',
                  lambda found: '' if (GALLERY / f'{found[1]}.mp4').is_file() else found[0], text)


def write(folder: Path, name: str, text: str) -> None:
    """Write one file below the folder of the site's pages."""
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text, 'utf-8')


def gather(folder: Path) -> None:
    """Write the README, the pages of docs/, their pictures, and all that they link to."""
    done: set[str] = set()
    waiting = {'README.md', 'CHANGELOG.md', 'CONTRIBUTING.md',
               *(path.relative_to(ROOT).as_posix() for path in (ROOT / 'docs').rglob('*.*')
                 if path.suffix in ('.md', *COPIED))}
    while waiting - done:
        for path in sorted(waiting - done):
            done.add(path)
            if path.endswith(COPIED):
                target = folder / site_path(path)
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(ROOT / path, target)
            else:
                write(folder, site_path(path), page_text(path, waiting))


def copy_made(folder: Path) -> None:
    """Copy dark pictures and films that were made for the site."""
    for path in (*GALLERY.glob('*.dark.*'), *GALLERY.glob('*.mp4')):
        light = path.name.replace('.dark', '')
        place = folder / ('figures' if (ROOT / 'docs' / 'figures' / light).is_file()
                          else 'gallery')
        place.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, place / path.name)
    if DARK_TUTORIALS.is_dir():
        shutil.copytree(DARK_TUTORIALS, folder / 'tutorials', dirs_exist_ok=True)


def navigation(given: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the navigation with pages of docs/ that it forgot under 'More', and the modules."""
    named = set(re.findall(r'[\w/.]+\.md', yaml.safe_dump(given)))
    forgotten = sorted({path.relative_to(ROOT / 'docs').as_posix()
                        for path in (ROOT / 'docs').rglob('*.md')} - named)
    modules: dict[str, list[dict[str, str]]] = {}
    for name, _ in module_pages():
        modules.setdefault(name.partition('.')[0], []).append({name: f'modules/{name}.md'})
    return [*given, *([{'More': forgotten}] if forgotten else []),
            {'Python modules': [{package: pages} for package, pages in modules.items()]}]


def main() -> None:
    """Write build/docs and build/site.yml."""
    folder = ROOT / 'build' / 'docs'
    shutil.rmtree(folder, ignore_errors=True)
    shutil.rmtree(folder.parent / 'site', ignore_errors=True)
    complete(GALLERY, os.cpu_count() or 1, jobs(GALLERY))
    dark_pictures.complete(DARK_TUTORIALS)
    gather(folder)
    copy_made(folder)
    write(folder, 'commands.md', commands_page())
    write(folder, 'api.md', api_page())
    for name, text in module_pages():
        write(folder, f'modules/{name}.md', text)
    settings = yaml.safe_load((ROOT / 'mkdocs.yml').read_text('utf-8'))
    settings['nav'] = navigation(settings['nav'])
    settings |= {'docs_dir': 'docs', 'site_dir': 'site'}
    settings['theme']['custom_dir'] = str(ROOT / 'docs' / 'theme')
    python = settings['plugins'][-1]['mkdocstrings']['handlers']['python']
    python['paths'] = [str(ROOT)]
    python['options']['extensions'] = [str(ROOT / 'docs' / 'griffe_prose.py')]
    write(folder.parent, 'site.yml', yaml.safe_dump(settings, sort_keys=False))


if __name__ == '__main__':
    main()
