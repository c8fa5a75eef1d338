"""Finish a built site: anchors for names in tables, and a search that finds them.

`make docs` calls it after the build: `python docs/finish_site.py build/site`. A name that a table
explains (a scenario key, a topic, a service, a parameter) gets an anchor, as in
`scenario.html#wind_speed_mean`, and an entry of the search. A comment `<!-- search: lidar -->`
below a heading gives the heading's entry more words, small beside its title in the results.
Entries of internal modules come after those of the pages for users: their titles are made of words
that the search does not know, and their names stand in their texts, which count less.
"""

from __future__ import annotations

import html
import json
import re
import sys
from pathlib import Path
from typing import Any

# Pages whose tables are a reference of names.
PAGES = ('scenario', 'ros2', 'ros2_topics', 'ros2_nodes', 'ros2_launch', 'ros2_nav2',
         'ros2_control', 'sensors', 'controllers', 'navigate', 'python', 'sweeps', 'pictures',
         'learning', 'lockstep', 'record_and_replay', 'motion_and_collisions', 'glossary')
# Cells of names alone, in rows of tables: the first cell, or several names side by side.
_ROW = re.compile(r'<tr>(?:(?!<tr>).)*?</tr>', re.DOTALL)
_FIRST = re.compile(r'(?<=<td>)(?:<strong>)?(?:<code>[^<]+</code>(?:</strong>)?[,\s]*)+')
_SEVERAL = re.compile(r'(?<=<td>)(?:<code>[^<]+</code>\s*){2,}')
_CODE = re.compile(r'<code>([^<]+)</code>')
_HEADING = re.compile(r'<h[1-6] id="([^"]*)"[^>]*>(.*?)<a class="headerlink"', re.DOTALL)
_WORDS = re.compile(r'<!-- search: (.*?) -->')
_TAG = re.compile(r'<[^>]+>')
_BREAK = '\u200b'  # a space without width, which splits a word for the search alone


def anchored(page: str) -> tuple[str, list[tuple[str, str, str, str]]]:
    """Return a page with anchors, and (anchor, name, text, heading) of each row that got one."""
    taken = set(re.findall(r'\bid="([^"]*)"', page))
    headings = [(found.start(), ' '.join(_TAG.sub('', found[2]).split()))
                for found in _HEADING.finditer(page)]
    rows: list[tuple[str, str, str, str]] = []

    def named(code: re.Match[str], heading: str, text: str) -> str:
        name = html.unescape(code[1])
        anchor = re.sub(r'[^\w.-]+', '-', name).strip('-')
        if anchor in taken:
            anchor = f'{re.sub(r"[^a-zA-Z0-9_.-]+", "-", heading).strip("-")}.{anchor}'
        if anchor in taken or not re.search('[a-zA-Z]', anchor):
            return code[0]
        taken.add(anchor)
        rows.append((anchor, name, text, heading))
        return f'<a id="{anchor}"></a>{code[0]}'

    def changed(row: re.Match[str]) -> str:
        heading = next((text for start, text in reversed(headings) if start < row.start()), '')
        text = html.unescape(' '.join(_TAG.sub(' ', row[0]).split()))

        def cell(names: re.Match[str]) -> str:
            return _CODE.sub(lambda code: named(code, heading, text), names[0])

        return _SEVERAL.sub(cell, _FIRST.sub(cell, row[0], count=1))

    return _ROW.sub(changed, page), rows


def words_of(name: str, page: str) -> dict[str, str]:
    """Return what readers look for at a page, by the place of the heading above the comment."""
    headings = list(_HEADING.finditer(page))
    found = {}
    for words in _WORDS.finditer(page):
        above = [heading for heading in headings if heading.start() < words.start()]
        found[name if len(above) == 1 else f'{name}#{above[-1][1]}'] = words[1]
    return found


def entries(items: list[dict[str, Any]],
            rows: dict[str, list[tuple[str, str, str, str]]]) -> list[dict[str, Any]]:
    """Return the entries of the search: pages, their rows, then internal modules."""
    paths = {item['location']: item['path'] for item in items}
    titles = {item['location']: item['title'] for item in items}
    found = [{'location': f'{page}#{anchor}', 'level': 3, 'title': name, 'text': text,
              'path': [*paths.get(page, []), titles.get(page, ''), heading], 'tags': []}
             for page, each in rows.items() for anchor, name, text, heading in each]
    users = [item for item in items if not _internal(item)]
    return [*found, *users, *(_demoted(item) for item in items if _internal(item))]


def _internal(item: dict[str, Any]) -> bool:
    return str(item['location']).startswith('modules/')


def _demoted(item: dict[str, Any]) -> dict[str, Any]:
    title = str(item['title'])
    return {**item, 'title': re.sub(r'(?<=\w)(?=\w)', _BREAK, title),
            'path': [], 'text': f'{title} {item["text"]}'}


def finish(site: Path) -> int:
    """Change a site in place; return how many names got an anchor."""
    search = json.loads((site / 'search.json').read_text('utf-8'))
    words: dict[str, str] = {}
    for path in site.rglob('*.html'):
        words |= words_of(path.relative_to(site).as_posix(), path.read_text('utf-8'))
    rows = {}
    for name in PAGES:
        path = site / f'{name}.html'
        text, rows[path.name] = anchored(path.read_text('utf-8'))
        path.write_text(text, 'utf-8')
    search['items'] = entries(search['items'], rows)
    for item in search['items']:
        if item['location'] in words:
            item['title'] += f' <small>{words[item["location"]]}</small>'
    text = json.dumps(search, ensure_ascii=False, separators=(',', ':'))
    before = (site / 'search.js').read_text('utf-8')
    (site / 'search.json').write_text(text, 'utf-8')
    (site / 'search.js').write_text(before[:before.index('{')] + text, 'utf-8')
    return sum(map(len, rows.values()))


if __name__ == '__main__':
    print(f'{finish(Path(sys.argv[1]))} names in tables have an anchor')
