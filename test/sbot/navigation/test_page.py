"""A stranger adds a controller to the table by following one page, word by word."""

import json
import re
import shlex
import sys
import textwrap
from pathlib import Path

import pytest

from sbot.cli.main import main

pytestmark = pytest.mark.forked

PAGE = Path(__file__).resolve().parents[3] / 'docs' / 'navigation_benchmark.md'
TUTORIAL = PAGE.parent / 'tutorials' / 'external_node.md'


CLASS, NODE = ('## Add your own', '### A ROS 2 node'), ('### A ROS 2 node', '## Scenes')


def blocks(language, part=CLASS):
    """The page's blocks of code from one heading to another, without their indentation."""
    page = PAGE.read_text('utf-8')
    text = page[page.index(part[0]):page.index(part[1])]
    return [textwrap.dedent(block) for block in re.findall(
        rf'^ *```{language}\n(.*?)^ *```', text, re.DOTALL | re.MULTILINE)]


def commands(part=CLASS):
    for block in blocks('bash', part):
        for line in block.replace('\\\n', ' ').splitlines():
            yield shlex.split(line, comments=True)


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder of one's own; its module is not there for other tests."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, 'path', [
        folder for folder in sys.path if not Path(folder, 'mine.py').is_file()])
    sys.modules.pop('mine', None)
    yield tmp_path
    sys.modules.pop('mine', None)


@pytest.mark.usefixtures('here')
def test_the_page_adds_a_controller_to_the_table(capsys):
    code, = blocks('python')
    Path('mine.py').write_text(code)
    ran = []
    for words in commands():
        assert words[:3] == ['sbot', 'bench', 'navigation']
        short = [] if '--check' in words else [
            '--seeds', '0:1', '--jobs', '1', '--set', 'duration=2', '--quiet']
        if not short or words[3].startswith('-'):  # of all scenes, two
            words[3:3] = [] if not short else ['hallway', 'corner/l']
        assert main([*words[1:], *short]) == 0, words
        ran.append(capsys.readouterr().out)
    table, _, checked = ran
    assert {name in table for name in ('mine:Mine', 'navigate', 'dwa')} == {True}
    rows = [json.loads(line) for line in Path('mine_runs', 'rows.jsonl').read_text().splitlines()]
    assert [(row['scene'], row['controller'], row['error']) for row in rows] == [
        ('hallway/pair', 'mine:Mine', None), ('corner/l', 'mine:Mine', None)]
    assert all(row['controller_sha256'] for row in rows)
    assert checked == '2 rows run again, 0 differences\n'
    Path('mine.py').write_text(code.replace('2.0 * turn', '1.9 * turn'))
    assert main([*list(commands())[-1][1:], '--quiet']) == 3
    assert 'controller_sha256' in capsys.readouterr().out


@pytest.mark.ros
@pytest.mark.usefixtures('here')
def test_the_page_adds_a_node_to_the_table(capsys):
    code = re.search(r"cat > avoid.py <<'END'\n(.*?)^END", TUTORIAL.read_text('utf-8'),
                     re.DOTALL | re.MULTILINE)[1]
    Path('avoid.py').write_text(code)
    run, check = commands(NODE)
    assert run[:5] == ['sbot', 'bench', 'navigation', 'doorway', 'corner']
    assert main(['bench', 'navigation', 'hallway', *run[5:], '--seeds', '0:1', '--set',
                 'duration=2', '--quiet']) == 0
    row, = map(json.loads, Path('node_runs', 'rows.jsonl').read_text().splitlines())
    assert (row['scene'], row['error']) == ('hallway/pair', None)
    assert row['deadlock_s'] < 1.0  # it drives
    assert row['controller_sha256']
    capsys.readouterr()
    assert main([*check[1:], '--quiet']) == 0
    assert capsys.readouterr().out == '1 rows run again, 0 differences\n'
