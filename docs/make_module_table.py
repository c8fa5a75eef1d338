"""Write the table of modules in docs/architecture.md: each module's name and its first line."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ('sbot_common', 'potential_field_bot', 'wind_model', 'sbot_sim', 'sbot_bringup')
BEGIN, END = '<!-- modules -->\n', '<!-- end of modules -->\n'


def module_tables() -> str:
    """Return a Markdown table a package."""
    lines: list[str] = []
    for package in PACKAGES:
        lines += ['', f'### {package}', '', '| module | what it is |', '| --- | --- |']
        for path in sorted((ROOT / package).glob('*.py')):
            if path.name == '__init__.py':
                continue
            text = ast.get_docstring(ast.parse(path.read_text('utf-8'))) or ''
            first = text.split('\n\n')[0].replace('\n', ' ').replace('|', '\\|')
            lines.append(f'| `{path.stem}` | {first} |')
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
