"""Write the table of limits in docs/reliability.md: names, defaults and texts of ``Limits``."""

from __future__ import annotations

from pathlib import Path

from sbot.files.limits import Limits
from sbot_common.params import specs_of

PAGE = Path(__file__).resolve().parent / 'reliability.md'
BEGIN, END = '<!-- limits -->\n', '<!-- end of limits -->\n'


def _shown(value: int, unit: str) -> str:
    if unit == 'B':
        return f'{value >> 30} GiB' if value >= 1 << 30 else f'{value >> 20} MiB'
    return f'{value:,}'


def with_table(text: str) -> str:
    """Return the page with its table brought up to date."""
    rows = [f'| `{spec.name}` | {_shown(int(spec.default), spec.unit)} | {spec.text} |\n'
            for spec in specs_of(Limits)]
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    table = '| name | default | limit of |\n| --- | --- | --- |\n' + ''.join(rows)
    return f'{before}{BEGIN}\n{table}\n{END}{after}'


if __name__ == '__main__':
    PAGE.write_text(with_table(PAGE.read_text('utf-8')), 'utf-8')
