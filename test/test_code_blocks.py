"""Code blocks of README.md and docs/*.md run as they stand; what does not says why.

Runs are made short. The Python of a page shares its names, and all blocks of a page a folder.
"""

import linecache
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from tutorials import is_shown

from sbot.cli.main import main
from sbot.figures.data import is_bag
from sbot.scenario.load import parse_scenario
from sbot.sweeps.request import _read_sweep_file
from sbot.sweeps.sources import plan_of

pytestmark = pytest.mark.forked

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / 'README.md', *sorted((ROOT / 'docs').glob('*.md'))]
FENCE = re.compile(r'^(?:<!-- not run: (?P<why>[^\n]+) -->\n)?'
                   r'```(?P<language>\w*)\n(?P<text>.*?)^```$', re.MULTILINE | re.DOTALL)
SHELL = ('bash', 'sh', 'console')
OTHERS = ('python', 'yaml', 'text', 'c', 'xml')
DOCUMENTS = 'from_documents.md'  # code spans of its tables are commands, too

# Commands that are not run here, by how they begin: each needs more than this test has.
NOT_RUN = {
    'pip ': 'the network; test_wheel.py installs the package',
    'source ': 'the shell of a user',
    'docker ': 'Docker and the network',
    'make fast2d': 'a C compiler; test/sbot_sim/fast2d builds it',
    'cc ': 'a host program; test/sbot_sim/fast2d compiles one',
    'ros2 ': 'a ROS 2 workspace; test/sbot/ros starts the nodes',
    'sbot up ': 'ROS 2; test/sbot/ros runs it',
    'python -m sbot.ros.player': 'ROS 2; test/sbot/ros runs it',
    'sbot view --live': 'somebody who watches; test/sbot/viewer does',
    'python benchmark/': 'minutes, and a quiet machine; test_benchmarks.py runs them short',
    'python docs/make_': 'the results of a long sweep; test_docs.py',
    'python examples/evolve.py': 'minutes; test/examples runs it short',
    'python examples/train_leader.py': 'minutes; test/examples runs it short',
    'python test/robustness/': 'hours; test/robustness runs them short',
    'python -m pytest': 'minutes',
    'sbot bench': 'minutes; test/sbot/test_bench.py runs it short',
    'sbot sweep benchmark/': 'hours'}


class Block(NamedTuple):
    """A code block: its language, text, and why it is not run ('' if it is)."""

    language: str
    text: str
    why: str


def blocks(text):
    return [Block(found['language'], found['text'], found['why'] or '')
            for found in FENCE.finditer(text)]


def spans(text):
    """Return the commands in the tables that lead from documents to commands."""
    return re.findall(r'`((?:sbot|python) [^`]+)`', '\n'.join(
        line for line in text.splitlines() if line.startswith('| ')))


def commands(block):
    """Yield (command, output shown, exit code) of a shell block."""
    lines = block.text.replace('\\\n', ' ').splitlines()
    if block.language != 'console':
        for line in lines:
            yield from ((command, '', exit_code(line))
                        for command in re.split(r' +&& +', uncommented(line)))
        return
    shown = [line.startswith('$ ') for line in lines]
    for i, line in enumerate(lines):
        if shown[i]:
            end = next((j for j in range(i + 1, len(lines)) if shown[j]), len(lines))
            yield uncommented(line[2:]), '\n'.join(lines[i + 1:end]), exit_code(line)


def uncommented(line):
    """Return the command of a line, without settings of the environment before it."""
    return re.sub(r'^([A-Z_]+=("[^"]*"|\S*) +)+', '', re.sub(r'(^|\s)#.*', '', line)).strip()


def exit_code(line):
    said = re.search(r'#.*exit code (\d)', line)
    return int(said[1]) if said else 0


def shortened(words):
    """Return a command of `sbot` that takes no longer than it must."""
    if words[0] in ('run', 'pack', 'plot') and not is_bag(words[1]) and not (
            {'--duration', '--check'} & {*words}):
        return [*words, '--duration', '0.3']
    if words[0] == 'sweep' and words[1] not in ('show', 'plot') and '--dry-run' not in words:
        words = [re.sub(r'^0:\d+$', '0:2', word) for word in words]
        # A leader who has arrived at once: what is shown of arrivals then has numbers.
        return [*words, '--duration', '0.2', '--quiet', '--set', 'robots.0.goal_tolerance=40']
    return words


class Page:
    """Runs what stands on a page."""

    def __init__(self, path, capsys):
        self._path, self._capsys = path, capsys
        self._names = {'__name__': 'example'}

    def python(self, text):
        text = text.replace('range(15)', 'range(2)')  # generations
        name = f'<{self._path.name}: {hash(text)}>'
        linecache.cache[name] = (len(text), None, text.splitlines(True), name)  # as notebooks do
        exec(compile(text, name, 'exec'), self._names)

    def shell(self, command, shown='', expected=0):
        if not command or command.startswith(tuple(NOT_RUN)):
            return
        words = shlex.split(command)
        self._capsys.readouterr()
        if words[0] == 'sbot':
            code = main(shortened(words[1:]))
        else:
            assert words[0] == 'python', f'{command}: give a reason in NOT_RUN'
            if (ROOT / words[1]).is_file():
                words[1] = str(ROOT / words[1])
            code = subprocess.run([sys.executable, *words[1:]], check=False,
                                  timeout=300).returncode
        out = ''.join(self._capsys.readouterr())
        assert code == expected, f'{self._path.name}: {command}\n{out}'
        shown = re.sub(r'about [\d.]+ \w+ on \d+', 'about … on …', shown)  # of another machine
        assert is_shown(shown, out), f'{self._path.name}: {command} shows\n{shown}\nbut\n{out}'


# Files that a page takes for granted.
def samples(folder):
    import numpy as np
    np.save(folder / 'samples.npy', np.random.default_rng(1).uniform(0, 30, (26, 36, 15, 2)))


def table(folder):
    assert main(['run', 'single_robot', '--duration', '0.2', '--record', 'noted', '--quiet']) == 0
    assert main(['bag', 'csv', 'noted', '-o', 'table.csv']) == 0


TAKEN_FOR_GRANTED = {'sensors.md': samples, 'record_and_replay.md': table}
# What must be there afterwards.
MADE = {
    'README.md': ['tracks.png', 'run.html', 'film.gif', 'circle.png', 'gusts.png',
                  'results/runs.csv'],
    'command_line.md': ['tracks.png', 'arena.py', 'vortex.txt', 'results/runs.csv'],
    'coming_from_vmas.md': ['meet.json', 'meet.gif'],
    'python.md': ['tracks.png', 'circles', 'run.svg', 'run.html'],
    'sensors.md': ['my_robot.txt'],
    'wind.md': ['my_field_wind.vtu', 'my_field.png']}


@pytest.mark.slow
@pytest.mark.parametrize('path', PAGES, ids=lambda path: path.name)
def test_it_runs(path, tmp_path, monkeypatch, capsys):
    if path.name in ('environments.md', 'tasks.md', 'coming_from_vmas.md'):
        for module in ('gymnasium', 'pettingzoo'):
            pytest.importorskip(module, reason=f'{module} is missing (extra learn)')
    pytest.importorskip('pandas', reason='pandas is missing')
    monkeypatch.chdir(tmp_path)
    text = path.read_text('utf-8')
    page = Page(path, capsys)
    TAKEN_FOR_GRANTED.get(path.name, lambda folder: None)(tmp_path)
    for block in blocks(text):
        if block.why:
            continue
        if block.language == 'python':
            page.python(block.text)
        elif block.language in SHELL:
            for command in commands(block):
                page.shell(*command)
    for command in spans(text) if path.name == DOCUMENTS else ():
        page.shell(command)
    for name in MADE.get(path.name, []):
        assert (tmp_path / name).exists(), name


@pytest.mark.parametrize('path', PAGES, ids=lambda path: path.name)
def test_its_blocks_say_what_they_are(path):
    for block in blocks(path.read_text('utf-8')):
        assert block.language in (*SHELL, *OTHERS), block.text
        if block.language == 'python' and not block.why:
            compile(block.text, str(path), 'exec')


BASE = """
world: {bounds: [0, 0, 40, 24]}
robots: [{pose: [5, 11, 0], goal: [29, 12]}, {pose: [3, 9, 0], body: s-bot}%s]
"""
MODULES = {'my_module': """class Wanderer:
    def __init__(self, speed):
        self.speed = speed
    def step(self, observation, rng):
        return self.speed, 0.0
"""}


@pytest.mark.parametrize('path', PAGES, ids=lambda path: path.name)
def test_its_yaml_is_a_scenario_or_part_of_one(path, tmp_path, monkeypatch):
    text = path.read_text('utf-8')
    named = re.findall(r'^```python\n# (\w+)\.py\n(.*?)^```', text, re.MULTILINE | re.DOTALL)
    for name, source in (*MODULES.items(), *named):
        (tmp_path / f'{name}.py').write_text(source)
    monkeypatch.chdir(tmp_path)
    for block in blocks(text):
        if block.language != 'yaml' or block.why:
            continue
        if block.text.startswith('scenario:'):
            (tmp_path / 'sweep.yaml').write_text(block.text)
            assert len(plan_of(_read_sweep_file('sweep.yaml'))) == 5 * 2 * 2 * 20 * 50
            continue
        robots = ''.join(f", {{pose: [{2 + 3 * i}, 20, 0], controller: '{name}'}}"
                         for i, name in enumerate(re.findall(r"'([\w.]+:\w+)':", block.text)))
        given = [line.partition(':')[0] for line in block.text.splitlines()]
        rest = ''.join(line for line in (BASE % robots).splitlines(keepends=True)
                       if line.partition(':')[0] not in given)
        parse_scenario(rest + block.text, path.name, ROOT / 'config' / 'scenarios',
                       overrides={'python_path': [str(tmp_path)]})
