"""The pages of learning are true."""

import re
from pathlib import Path

import pytest

import sbot
from sbot.controllers.neural.inputs import NAMES
from sbot.learn import TASKS

DOCS = Path(__file__).resolve().parents[3] / 'docs'
PAGE = (DOCS / 'learning.md').read_text('utf-8')


def test_it_names_every_task_and_input():
    for page, names in (('tasks.md', TASKS), ('worlds.md', NAMES)):
        text = (DOCS / page).read_text('utf-8')
        assert not [name for name in names if f'`{name}' not in text]


def test_a_list_of_names_shows_what_is_public():
    assert dir(sbot.learn) == sorted(sbot.learn.__all__)


def test_its_example_of_stable_baselines_runs(tmp_path, monkeypatch):
    for name in ('torch', 'stable_baselines3'):
        pytest.importorskip(name, reason='stable-baselines3 is missing (extra train)')
    monkeypatch.chdir(tmp_path)
    block, = re.findall(r'runs it -->\n```python\n(.*?)```', PAGE, re.DOTALL)
    few = block.replace('100_000', '1000').replace('512', '256').replace("', 64,", "', 8,")
    assert few.count('1000') == few.count("', 8,") == 1
    exec(compile(few, 'docs/learning.md', 'exec'), {'sbot': sbot})
    assert sbot.load_network('leader.json')[0].hidden == (16, 16)
