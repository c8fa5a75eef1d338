"""Write the table of the node's parameters in docs/potential_field.md.

The controller's constants are in docs/scenario.md.
"""

from __future__ import annotations

from pathlib import Path

from potential_field_bot.parameters import NODE_SPECS

PAGE = Path(__file__).resolve().parent / 'potential_field.md'
BEGIN, END = '<!-- parameters: begin -->\n', '\n<!-- parameters: end -->'


def with_table(text: str) -> str:
    """Return the page with its table brought up to date."""
    lines = ['| parameter | default | unit | | changes |', '| --- | --- | --- | --- | --- |']
    for spec in NODE_SPECS:
        default = 'drawn' if spec.name == 'seed' else _shown(spec.default)
        changes = 'any time' if spec.at_runtime else 'at start'
        lines.append(f'| `{spec.name}` | {default} | {spec.unit} | {spec.text} | {changes} |')
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return before + BEGIN + '\n'.join(lines) + END + after


def _shown(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else f'{value}'


if __name__ == '__main__':
    PAGE.write_text(with_table(PAGE.read_text('utf-8')), 'utf-8')
