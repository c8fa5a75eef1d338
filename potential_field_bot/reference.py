"""The table of docs/potential_field.md: ``python -m potential_field_bot.reference`` prints it."""

from __future__ import annotations

from collections.abc import Iterable

from potential_field_bot.node_parameters import NODE_SPECS
from potential_field_bot.parameters import SPECS
from sbot_common.params import Spec


def parameter_table(specs: Iterable[Spec]) -> str:
    """Return a Markdown table of parameters."""
    lines = ['| parameter | default | unit | | changes | document |',
             '| --- | --- | --- | --- | --- | --- |']
    for spec in specs:
        default = 'drawn' if spec.name == 'seed' else _shown(spec.default)
        changes = 'any time' if spec.at_runtime else 'at start'
        lines.append(f'| `{spec.name}` | {default} | {spec.unit} | {spec.text} | {changes} | '
                     f'{spec.source} |')
    return '\n'.join(lines)


def _shown(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else f'{value}'


if __name__ == '__main__':
    print(parameter_table(NODE_SPECS + SPECS))
