"""Commands of the nodes' processes."""

import os
import subprocess
import sys
from dataclasses import replace

import pytest
from stubborn import DEADLINE as STUBBORN_DEADLINE
from stubborn import gone, kill, read_pids, stubborn_script

import sbot
from sbot.environment.running import _stop
from sbot.ros import processes
from sbot.ros.processes import parse_command, robot_commands, start_command
from sbot_common.errors import InputError


@pytest.mark.parametrize(('text', 'words'), [
    ("echo 'two words' x=1", ['echo', 'two words', 'x=1']),
    ('echo $(touch pwned); touch pwned', ['echo', '$(touch', 'pwned);', 'touch', 'pwned']),
    ('echo `id` | cat > file && true', ['echo', '`id`', '|', 'cat', '>', 'file', '&&', 'true'])])
def test_a_command_is_split_as_by_a_shell_and_nothing_else_is_done_with_it(
        tmp_path, monkeypatch, text, words):
    monkeypatch.chdir(tmp_path)
    assert parse_command(text) == words
    process = start_command(words, 1)
    assert process.stdout.read() == ' '.join(words[1:]) + '\n'
    assert process.wait(STUBBORN_DEADLINE) == 0
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(('text', 'words'), [
    ('', "got '', expected a command"), ("echo 'x", 'No closing quotation'),
    ('no_such_program x', 'no_such_program is not installed; give a Python file, or a command')])
def test_what_is_no_command_is_refused(text, words):
    with pytest.raises(InputError, match='--node') as caught:
        parse_command(text)
    assert words in str(caught.value)


def test_a_command_with_places_is_started_for_each_robot():
    pair = sbot.load({'duration': 1.0, 'world': {'bounds': [0, 0, 9, 9]}, 'robots': [
        {'pose': [1, 1, 0], 'goal': [7, 0.5]}, {'pose': [1, 4, 0]},
        {'pose': [1, 7, 0], 'goal': [8, 2]}]})
    assert robot_commands('swarm', pair, []) == ['swarm']
    text = 'one {robot} {namespace} {goal_x} {goal_y} {other} {start_x} {start_y} {start_yaw}'
    assert robot_commands(text, pair, [0, 2]) == [
        'one 0 /robot_0 7.0 0.5 {other} 1.0 1.0 0.0', 'one 2 /robot_2 8.0 2.0 {other} 1.0 7.0 0.0']
    assert robot_commands('{namespace}', pair, [1], '/arena') == ['/arena/robot_1']
    assert robot_commands('{namespace}', pair, [1], '/arena', ['a', 'b', 'c']) == ['/arena/b']
    alone = replace(pair, robots=pair.robots[:1])
    assert robot_commands('-r __ns:={namespace}', alone, [0]) == ['-r __ns:=/']
    with pytest.raises(InputError, match=r'--node: \{goal_x\} needs a goal; give robot 1 one'):
        robot_commands('{goal_x}', pair, [0, 1])
    with pytest.raises(InputError, match=r'--node: \{robot\} needs a robot with .controller: ext'):
        robot_commands('{robot}', pair, [])
    with pytest.raises(InputError, match=r'^--node: unknown placeholder \{goal_z\}; known: '
                                         r'\{namespace\}, \{robot\}, \{start_x\}'):
        robot_commands('n.py --ros-args -r __ns:=/{robot} -p z:={goal_z}', pair, [0])


def test_a_python_file_that_is_not_there_is_said_with_the_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=f'^--node: no file steer.py in {tmp_path}$'):
        parse_command('steer.py --ros-args')


@pytest.mark.skipif(sys.platform != 'linux', reason='needs /proc')
def test_a_stop_kills_all_that_a_command_has_started():
    process = start_command([sys.executable, '-c', stubborn_script()], 1)
    pids = read_pids(process.stdout)
    _stop([process])
    assert process.poll() is not None
    try:
        assert gone(pids)
    finally:
        kill(pids)


DEADLINE = 240.0  # s
# A Ctrl-C comes before the program handles any.
EARLY = """
import os, signal, sys, types
os.kill(os.getpid(), signal.SIGINT)
print('held', flush=True)
from sbot.ros import executables
sys.modules['own_node'] = types.ModuleType('own_node')
sys.exit(executables._run('own_node', []))
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
