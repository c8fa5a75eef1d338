"""Write the table of modules in docs/architecture.md: each module's name and its first line."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ('sbot_common', 'potential_field_bot', 'wind_model', 'sbot_sim', 'sbot')
BEGIN, END = '<!-- modules -->\n', '<!-- end of modules -->\n'


def first_words(path: Path) -> str:
    """Return the first paragraph of a module's docstring as one line of a table."""
    text = ast.get_docstring(ast.parse(path.read_text('utf-8'))) or ''
    return text.split('\n\n')[0].replace('\n', ' ').replace('|', '\\|')


def module_tables() -> str:
    """Return a Markdown table a package."""
    lines: list[str] = []
    for package in PACKAGES:
        lines += ['', f'### {package}', '', first_words(ROOT / package / '__init__.py'), '',
                  '| module | what it is |', '| --- | --- |']
        for path in sorted((ROOT / package).rglob('*.py'), key=lambda p: (p.parent, p.name)):
            name = path.relative_to(ROOT / package).with_suffix('').as_posix()
            if path.name == '__init__.py':
                if path.parent != ROOT / package:
                    folder = name.removesuffix('__init__')
                    lines.append(f'| **`{folder}`** | {first_words(path)} |')
            elif path.name != '__main__.py':
                lines.append(f'| `{name}` | {first_words(path)} |')
    return '\n'.join(lines).strip() + '\n'


def with_tables(text: str) -> str:
    """Return the page with its tables brought up to date."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return before + BEGIN + '\n' + module_tables() + '\n' + END + after


if __name__ == '__main__':
    page = ROOT / 'docs' / 'architecture.md'
    page.write_text(with_tables(page.read_text('utf-8')), 'utf-8')
    sys.exit(0)
