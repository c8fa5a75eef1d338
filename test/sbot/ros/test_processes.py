"""Commands of the nodes' processes."""

import subprocess
import sys

from sbot.ros import processes

DEADLINE = 240.0  # s
# A Ctrl-C comes before the program handles any.
EARLY = """
import os, signal, sys, types
os.kill(os.getpid(), signal.SIGINT)
print('held', flush=True)
from sbot.ros import executables
sys.modules['own_node'] = types.ModuleType('own_node')
sys.exit(executables.run('own_node', []))
"""


def test_signals_are_held_until_a_node_can_handle_them():
    words = processes.holding_signals()
    assert words[0] == 'env'
    done = subprocess.run([*words, sys.executable, '-c', EARLY], timeout=DEADLINE, check=False,
                          capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, 'held\n', '')


def test_without_a_fitting_env_nothing_stands_before_the_command(tmp_path, monkeypatch):
    monkeypatch.setenv('PATH', str(tmp_path))
    assert processes.holding_signals() == []
    (tmp_path / 'env').write_text('#!/bin/sh\nexit 125\n')
    (tmp_path / 'env').chmod(0o755)
    assert processes.holding_signals() == []
