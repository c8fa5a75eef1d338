"""Numeric modules import no ROS, YAML or command-line code."""

import subprocess
import sys
from pathlib import Path

import pytest

import sbot_common

ROOT = Path(sbot_common.__file__).parent.parent
BLOCKED = ('rclpy', 'rcl_interfaces', 'yaml', 'argparse_subcommands', 'pydantic', 'tqdm', 'launch')
# May import ROS, files or the command line: what their names say.
OUTER = {'node.py', 'ros.py', 'executor.py', 'command_line.py'}


def numeric_modules():
    for package in ('sbot_common', 'potential_field_bot', 'wind_model', 'sbot_sim'):
        for path in sorted((ROOT / package).glob('*.py')):
            if path.name not in OUTER and 'fast2d_' not in path.name:
                yield '.'.join(path.relative_to(ROOT).with_suffix('').parts)


def run(code):
    return subprocess.run([sys.executable, '-c', code], capture_output=True, text=True,
                          check=False, timeout=120)


def test_numeric_modules_import_with_ros_yaml_and_pydantic_blocked():
    names = [name.removesuffix('.__init__') for name in numeric_modules()]
    assert len(names) > 40
    # rosbags itself imports yaml when it opens bags; message definitions need no YAML.
    code = f"""
import importlib, sys
class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.split('.')[0] in {BLOCKED!r}:
            raise ImportError('blocked: ' + name)
sys.meta_path.insert(0, Blocker())
for name in {names!r}:
    importlib.import_module(name)
"""
    found = run(code)
    assert found.returncode == 0, found.stderr


@pytest.mark.parametrize(('package', 'forbidden'), [
    ('sbot_common', ('potential_field_bot', 'wind_model', 'sbot_sim', 'sbot_bringup')),
    ('potential_field_bot', ('wind_model', 'sbot_sim', 'sbot_bringup')),
    ('wind_model', ('potential_field_bot', 'sbot_sim', 'sbot_bringup')),
    ('sbot_sim', ('potential_field_bot', 'sbot_bringup')),
])
def test_packages_import_only_what_the_architecture_allows(package, forbidden):
    for path in (ROOT / package).glob('*.py'):
        text = path.read_text()
        for name in forbidden:
            assert f'from {name}' not in text, f'{path.name} imports {name}'
            assert f'import {name}' not in text, f'{path.name} imports {name}'


def test_without_rclpy_a_node_says_what_to_do_in_one_line():
    code = """
import sys
sys.modules['rclpy'] = None
from sbot_bringup.simulator_process import main
main([])
"""
    found = run(code)
    assert found.returncode == 1
    assert 'Traceback' not in found.stderr
    assert len(found.stderr.strip().splitlines()) == 1
    assert 'sbot run' in found.stderr
