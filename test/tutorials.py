"""Code blocks of a Markdown page, run one after another in one folder, with the outputs shown."""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

BLOCK = re.compile(r'(<!-- needs ROS 2 -->\n)?^```(\w+)\n(.*?)^```$', re.MULTILINE | re.DOTALL)
ANY = '…'  # in an output shown: anything


class Block(NamedTuple):
    language: str
    text: str
    needs_ros: bool


def blocks(text):
    """Return the code blocks of a page; `text` blocks are outputs of the block before."""
    return [Block(language, body, bool(ros)) for ros, language, body in BLOCK.findall(text)]


def pattern(shown):
    """Return what finds the lines shown, in their order, in an output."""
    return '.*?'.join(r'[^\n]*'.join(re.escape(part) for part in line.strip().split(ANY))
                      for line in shown.strip().splitlines())


def is_shown(shown, output):
    """Whether the lines shown are in the output, in this order; … stands for anything."""
    return re.search(pattern(shown), output, re.DOTALL) is not None


def run_page(page: Path, folder: Path, has_ros: bool, commands: Path) -> None:
    """Run a page's bash and python blocks in a folder; AssertionError where outputs differ.

    ``commands`` : folder with `sbot` and `python`
    """
    output = None
    for block in blocks(page.read_text('utf-8')):
        if block.language == 'text':
            assert output is None or is_shown(block.text, output), (
                f'{page.name} shows\n{block.text}\nbut the output is\n{output}')
            continue
        output = None
        if block.language not in ('bash', 'python') or (block.needs_ros and not has_ros):
            continue
        command = {'bash': ['bash', '-euo', 'pipefail', '-c', block.text],
                   'python': [sys.executable, '-c', block.text]}[block.language]
        path = os.pathsep.join([str(commands), str(Path(sys.executable).parent),
                                os.environ['PATH']])
        # A file, not a pipe: a process that the block leaves behind would keep a pipe open.
        with tempfile.TemporaryFile('w+') as written:
            done = subprocess.run(command, cwd=folder, stdout=written, stderr=subprocess.STDOUT,
                                  check=False, timeout=900, env={**os.environ, 'PATH': path})
            written.seek(0)
            output = written.read()
        assert done.returncode == 0, f'{page.name}:\n{block.text}\n{output}'
