"""Write the tables of tasks (docs/tasks.md) and of what learning reaches (learned_results.md)."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

from sbot.learn.proof.report import MADE_BY, ROWS, cells, read_rows
from sbot.learn.tasks.registry import entries

ROOT = Path(__file__).resolve().parent.parent
PAGES = ('tasks.md', 'learned_results.md')
FOLDER = ROOT / 'benchmark' / 'learning'  # a folder for each command


def tasks_table() -> str:
    """Return the tasks as a Markdown table."""
    lines = ['| task | what robots do | they sense | metric | after |',
             '| --- | --- | --- | --- | --- |']
    for name, entry in entries().items():
        metric = entry.metric
        unit = f' ({metric.unit})' if metric.has_unit else ''
        better = '↑' if metric.higher else '↓'
        lines.append(f"| `{name}` | {entry.text} | {', '.join(entry.scene.inputs)} | "
                     f'{metric.name}{unit} {better}: {metric.text} | {metric.source} |')
    return '\n'.join(lines) + '\n'


def proof_table() -> str:
    """Return the commands of all folders of rows, their versions, and one table of the rows."""
    folders = sorted(path.parent for path in FOLDER.glob(f'*/{ROWS}'))
    made = [json.loads((folder / MADE_BY).read_text('utf-8')) for folder in folders]
    heading, *lines = cells([row for folder in folders for row in read_rows(folder / ROWS)])
    heading[1] += ' (↑: higher is better)'
    for line in lines:
        line[1] = line[1].replace(', higher is better', ' ↑').replace(', lower is better', ' ↓')
    described = dict.fromkeys(_versions(each) for each in made)
    commands = (f"* `{each['command']}`: seeds {each['seeds'][0]} to {each['seeds'][1]}\n"
                for each in made)
    return (''.join(commands) + f"\n{'; '.join(described)}.\n\n"
            + ''.join(f"| {' | '.join(line)} |\n"
                      for line in (heading, ['---'] * len(heading), *lines)))


def _versions(made: dict[str, Any]) -> str:
    versions = ', '.join(f'{name} {made[name]}' for name in (
        'numpy', 'numba', 'cma', 'stable-baselines3', 'torch') if made.get(name))
    return f"Python {made['python']}, {versions}"


def with_tables(text: str) -> str:
    """Return a page with its table brought up to date."""
    for name, content in (('tasks', tasks_table()), ('proof', proof_table())):
        text = re.sub(rf'(<!-- table {name} -->\n).*?(<!-- end -->\n)',
                      lambda found, content=content: found[1] + content + found[2], text,
                      count=1, flags=re.DOTALL)
    return text


if __name__ == '__main__':
    for name in PAGES:
        page = ROOT / 'docs' / name
        page.write_text(with_tables(page.read_text('utf-8')), 'utf-8')
    sys.exit(0)
