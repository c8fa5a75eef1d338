"""Write the table of docs/your_node.md from the list and the rows of benchmark/public_nodes.py.

    python docs/make_public_nodes_table.py [FOLDER]

With the folder of that script, its pictures of tracks become the picture of the page.
"""

from __future__ import annotations

import csv
import re
import sys
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / 'docs' / 'your_node.md'
PICTURE = ROOT / 'docs' / 'your_node' / 'tracks.png'
NODES = ROOT / 'benchmark' / 'public_nodes' / 'nodes.yaml'
ROWS = ROOT / 'benchmark' / 'public_nodes.csv'
MARKS = re.compile(r'(<!-- table nodes -->\n).*?(<!-- end -->)', re.S)
COLUMNS = ('node', 'what it does', 'what it took',
           'a changed constant, found in replay: first tick; differing/all')
_NUMBER = re.compile(r'\d+(?:\.\d+)?')
_ACROSS, _WIDTH = 6, 250  # pictures side by side, each so many pixels wide and high at most
_SPEED = 390  # pixels of a picture below its map
Row = dict[str, str]


def rows() -> list[tuple[dict[str, Any], Row]]:
    """Return the entry and the row of each node that was run, in the order of the list."""
    with ROWS.open(newline='', encoding='utf-8') as file:
        found = {(row['repository'], row['name']): row for row in csv.DictReader(file)}
    nodes = yaml.safe_load(NODES.read_text('utf-8'))['nodes']
    return [(node, found[key]) for node in nodes
            if (key := (node['repository'], node['name'])) in found]


def took(node: dict[str, Any]) -> str:
    """Return a node's commands without their folders and what all have, and the rest of it."""
    short = [re.sub(r'\bsrc/(?:\S*/)?', '', command).replace(
        ' --ros-args -p use_sim_time:=true', '') for command in node['node']]
    short[0] = 'PYTHONPATH=… ' * ('path' in node) + short[0]
    keys = [f'`record_topics: [{", ".join(names)}]`'
            for names in [node['scenario'].get('record_topics')] if names]
    body = node['scenario'].get('bodies') and 'beams from −180°'
    return '; '.join([*(f'`{each}`'.replace('|', '\\|') for each in short), *keys,
                      *filter(None, (body, node.get('took')))])


def line(number: int, node: dict[str, Any], row: Row) -> str:
    """Return the line of a node."""
    address, commit = f'https://github.com/{node["repository"]}', node['commit']
    was, now = node['constant']['was'], node['constant']['now']
    other = next(number for number in _NUMBER.findall(now) if number not in _NUMBER.findall(was))
    found = f'`{was}` → {other}: {row["first"]}; {row["found"]}/{row["compared"]}'
    if row['differing'] != '0':
        found = f'other bits without a change: {row["differing"]}/{row["compared"]}'
    return '| ' + ' | '.join([
        f'{number}. [{node["name"]}]({address}/tree/{commit})', node['does'], took(node),
        found]) + ' |\n'


def with_table(page: str) -> str:
    """Return the page with its table made anew."""
    lines = [f'| {" | ".join(COLUMNS)} |\n', f'|{" --- |" * len(COLUMNS)}\n',
             *(line(i, node, row) for i, (node, row) in enumerate(rows(), 1))]
    return MARKS.sub(lambda found: f'{found[1]}{"".join(lines)}{found[2]}', page)


def draw(folder: Path) -> None:
    """Put the pictures of the tracks side by side, each with its number."""
    from PIL import Image, ImageDraw, ImageFont

    sys.path.insert(0, str(ROOT / 'benchmark'))
    from public_nodes import slug
    pictures = []
    for node, _ in rows():
        with Image.open(folder / 'runs' / slug(node) / 'track.png') as image:
            picture = image.convert('RGB').crop((0, 0, image.width, image.height - _SPEED))
            picture.thumbnail((_WIDTH, _WIDTH), Image.Resampling.LANCZOS)
            pictures.append(picture)
    height = max(picture.height for picture in pictures) + 24
    sheet = Image.new('RGB', (_ACROSS * _WIDTH, -(-len(pictures) // _ACROSS) * height), 'white')
    font = ImageFont.load_default(18)
    for i, picture in enumerate(pictures):
        corner = (i % _ACROSS * _WIDTH, i // _ACROSS * height)
        sheet.paste(picture, (corner[0], corner[1] + 24))
        ImageDraw.Draw(sheet).text((corner[0] + 8, corner[1] + 2), str(i + 1), 'black', font)
    PICTURE.parent.mkdir(exist_ok=True)
    sheet.quantize(64).save(PICTURE, optimize=True)


def main() -> int:
    """Write the table, and with a folder the picture."""
    if len(sys.argv) > 1:
        draw(Path(sys.argv[1]))
    PAGE.write_text(with_table(PAGE.read_text('utf-8')), 'utf-8')
    return 0


if __name__ == '__main__':
    sys.exit(main())
