"""Entry points of the nodes."""

import ast
from pathlib import Path

import pytest
from children import python

ROOT = Path(__file__).resolve().parents[2]

# A Ctrl-C comes, as from `ros2 launch`, when a module is imported.
INTERRUPTED = """
import os, signal, sys

class Finder:
    def find_spec(self, name, path, target=None):
        if name == sys.argv[2]:
            sys.meta_path.remove(self)
            print(name, flush=True)
            os.kill(os.getpid(), int(sys.argv[3]))

sys.meta_path.insert(0, Finder())
sys.exit(getattr(__import__('potential_field_bot.nodes').nodes, sys.argv[1])())
"""


@pytest.mark.parametrize('number', [2, 15])
@pytest.mark.parametrize('module', ['sbot', 'sbot.ros.executables', 'sbot_common.signals'])
def test_a_signal_while_a_node_is_imported_ends_it_without_a_traceback(module, number):
    done = python('-c', INTERRUPTED, 'sbot_sim', module, number, cwd=ROOT)
    assert (done.returncode, done.stdout, done.stderr) == (0, f'{module}\n', '')


def test_every_executable_of_the_package_begins_there():
    text = (ROOT / 'setup.py').read_text('utf-8')
    strings = [node.value for node in ast.walk(ast.parse(text))
               if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    assert ' = potential_field_bot.nodes:' in strings
    assert not [each for each in strings if 'sbot.ros.executables' in each]
