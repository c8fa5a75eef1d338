"""The current folder shadows no module of a child process."""

import os
import subprocess
from pathlib import Path

import pytest

from sbot.environment.child_python import python_command

ROOT = Path(__file__).resolve().parents[3]


def test_the_current_folder_is_not_searched(tmp_path):
    for name in ('json', 'queue', 'wind_model', 'sbot', 'sbot_common'):
        (tmp_path / f'{name}.py').write_text('print("taken from the current folder")\n')
    command = python_command('import json, queue, wind_model.grid, sbot_common.errors; '
                             'print(sys.argv[1:], wind_model.__file__)', 'one', 'two')
    environment = {name: value for name, value in os.environ.items() if name != 'PYTHONPATH'}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True,
                          check=True)
    assert done.stdout == f"['one', 'two'] {ROOT / 'wind_model' / '__init__.py'}\n"


@pytest.mark.parametrize('folder', ['sbot', 'sbot_common', 'sbot_sim', 'wind_model',
                                    'potential_field_bot'])
def test_no_module_starts_this_python_in_another_way(folder):
    for path in (ROOT / folder).rglob('*.py'):
        text = path.read_text()
        # The keeper of a user's command runs without site: it has to start at once.
        allowed = path.name in ('child_python.py', 'own_command.py')
        assert allowed or "sys.executable, '-" not in text, path
