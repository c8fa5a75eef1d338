"""docs/potential_field.md lists what the code declares."""

import re
from pathlib import Path

from potential_field_bot.node_parameters import NODE_SPECS
from potential_field_bot.parameters import SPECS
from potential_field_bot.reference import parameter_table

PAGE = Path(__file__).parents[2] / 'docs' / 'potential_field.md'


def test_the_page_has_the_table():
    text = PAGE.read_text(encoding='utf-8')
    table = re.search(r'<!-- parameters: begin -->\n(.*)\n<!-- parameters: end -->', text, re.S)
    assert table[1] == parameter_table(NODE_SPECS + SPECS), (
        'put the output of `python -m potential_field_bot.reference` between the two marks')


def test_the_example_runs(capsys):
    text = PAGE.read_text(encoding='utf-8')
    exec(re.search(r'```python\n(.*?)```', text, re.S)[1], {})
    attraction, total = map(float, capsys.readouterr().out.split())
    assert attraction == 5 * 26 ** 0.5
    assert total != attraction  # the first turn's random force
