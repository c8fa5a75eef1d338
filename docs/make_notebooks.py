"""Execute the tutorials: `make notebooks` writes docs/tutorials/*.ipynb and the pages' pictures.

A page is converted by jupytext and executed by nbclient in an empty folder. A picture of the page,
`first_swarm/tracks.png`, is the file `tracks.png` that its commands leave there; the notebook
carries it as an attachment. A picture that no executed command makes stays as it is. With names of
pages as arguments, only these.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import jupytext
import nbclient
import nbformat
from make_gallery import save_small

FOLDER = Path(__file__).resolve().parent / 'tutorials'
OUTPUT_SHOWN = re.compile(r'^```text\n.*?^```\n\n?', re.MULTILINE | re.DOTALL)
PICTURE = re.compile(r'(!\[[^]]*\]\()([\w./]+\.png)\)')
HEADER = '---\njupyter:\n  jupytext:\n    main_language: python\n---\n\n'
WIDTH, COLOURS = 1000, 96  # pixels; with all colours a notebook would have more than 200 kB


def make(page: Path) -> None:
    """Execute one page; write its notebook and pictures."""
    text = page.read_text('utf-8')
    notebook = jupytext.reads(HEADER + OUTPUT_SHOWN.sub('', text), fmt='md')
    with TemporaryDirectory() as folder:
        client = nbclient.NotebookClient(notebook, timeout=900, kernel_name='python3',
                                         record_timing=False, coalesce_streams=True,
                                         resources={'metadata': {'path': folder}})
        client.execute()
        for name in {found[1] for found in PICTURE.findall(text)}:
            made = next(Path(folder).rglob(Path(name).name), None)
            if made is None and (FOLDER / name).exists():
                continue  # of commands that are shown and not executed
            if made is None:
                raise SystemExit(f'{page.name}: no command makes {name}')
            (FOLDER / name).parent.mkdir(exist_ok=True)
            save_small(made, FOLDER / name, WIDTH, COLOURS)
    for i, cell in enumerate(notebook.cells):
        cell.id = f'cell-{i}'
        if cell.cell_type == 'markdown':
            attach(cell)
    # Everything else in it says what machine it was.
    notebook.metadata = nbformat.from_dict({
        'kernelspec': {'name': 'python3', 'display_name': 'Python 3', 'language': 'python'},
        'page_sha256': hashlib.sha256(text.encode()).hexdigest()})
    nbformat.write(notebook, page.with_suffix('.ipynb'))


def attach(cell: nbformat.NotebookNode) -> None:
    """Put the pictures that a cell links to into it."""
    names = [found[1] for found in PICTURE.findall(cell.source)]
    if names:
        cell.attachments = {
            Path(name).name: {'image/png': base64.b64encode((FOLDER / name).read_bytes()).decode()}
            for name in names}
        cell.source = PICTURE.sub(lambda found: f'{found[1]}attachment:{Path(found[2]).name})',
                                  cell.source)


def main() -> None:
    """Make all, or those named."""
    os.environ['PATH'] = f'{Path(sys.executable).parent}{os.pathsep}{os.environ["PATH"]}'
    os.environ['NO_COLOR'] = '1'
    pages = sorted(set(FOLDER.glob('*.md')) - {FOLDER / 'index.md'})
    for page in pages:
        if len(sys.argv) == 1 or page.stem in sys.argv[1:]:
            make(page)
            print(f'{page.stem}: {page.with_suffix(".ipynb").stat().st_size / 1000:.0f} kB')


if __name__ == '__main__':
    main()
