"""Child processes whose output is passed on, and that end together."""

import os
import signal
import subprocess
import sys
import threading
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest

from sbot.environment import running
from sbot.environment.running import RepeatedLines, RunningProcesses, python_command
from sbot.ros.simulator import _ros_distribution

RANGE = 'ROS_AUTOMATIC_DISCOVERY_RANGE'


def test_nodes_stay_on_this_machine_unless_told_otherwise(monkeypatch):
    environment = {}
    monkeypatch.setattr(running.os, 'environ', environment)
    running.stay_on_this_machine()
    assert environment == {RANGE: 'LOCALHOST'}
    environment[RANGE] = 'SUBNET'
    running.stay_on_this_machine()
    assert environment == {RANGE: 'SUBNET'}


def test_the_distribution_is_the_sourced_one_or_that_of_the_wheels(monkeypatch):
    installed = {'ros-kilted-rclpy'}

    def version(name):
        if name not in installed:
            raise PackageNotFoundError(name)
    monkeypatch.setattr('sbot.ros.simulator.version', version)
    monkeypatch.setenv('ROS_DISTRO', 'humble')
    assert _ros_distribution() == 'humble'
    monkeypatch.delenv('ROS_DISTRO')
    assert _ros_distribution() == 'kilted'
    installed.clear()
    assert _ros_distribution() == ''


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
        allowed = path.name in ('running.py', 'processes.py')
        assert allowed or "sys.executable, '-" not in text, path


TRACEBACK = ['Traceback (most recent call last):', '  File "mine.py", line 3, in <module>',
             '    raise ValueError("no map")', 'ValueError: no map']


def said_of(lines, ended=()):
    """What is passed on of (label, line), before and at the end."""
    said = []
    repeated = RepeatedLines(said.append)
    for label, line in lines:
        repeated.line(label, line)
    for label in ended:
        repeated.end(label)
    before = said.copy()
    repeated.report()
    return before, said[len(before):]


def test_a_traceback_of_several_processes_is_said_once_even_where_their_lines_mix():
    before, after = said_of([(f'mine.py {i}', line) for line in TRACEBACK for i in (1, 2, 3)])
    assert before == [f'[mine.py 1] {line}' for line in TRACEBACK]
    assert after == ['[mine.py 1] 3 times in all: ValueError: no map']


RAISED = 'rclpy._rclpy_pybind11.RCLError: failed to shutdown: '


@pytest.mark.parametrize(('last', 'kept'), [
    (['KeyboardInterrupt'], 0),
    (['rclpy.executors.ExternalShutdownException'], 0),
    (['KeyboardInterrupt', RAISED + 'rcl_shutdown already called on the given context'], 0),
    (['KeyboardInterrupt', 'ValueError: no map'], 4),
    (['ValueError: no map'], 4)])
def test_a_traceback_of_our_own_interrupt_is_not_said(last, kept):
    between = ['', 'During handling of the above exception, another exception occurred:', '']
    lines = [*TRACEBACK[:-1], last[0],
             *[line for error in last[1:] for line in (*between, *TRACEBACK[:-1], error)]]
    said = []
    repeated = RepeatedLines(said.append)
    repeated.interrupting = True
    for line in lines:
        repeated.line('one', line)
    assert said == [f'[one] {line}' for line in lines[len(lines) - kept:]]
    before, _ = said_of([('one', line) for line in lines])
    assert before == [f'[one] {line}' for line in lines]


PRINTS = "print('ready', flush=True); "
IGNORES = ('import signal; signal.signal(signal.SIGINT, signal.SIG_IGN); '
           + PRINTS + 'import time; time.sleep(1000)')


def start(code):
    return subprocess.Popen([sys.executable, '-c', code], text=True, stdout=subprocess.PIPE)


def relayed(name, code):
    """Lines of a process that runs Python code, and the last lines that are kept."""
    said = []
    running = RunningProcesses(said.append)
    running.add(name, start(code))
    running.relay()
    running.processes[0][1].wait(240)
    running.stop()
    return said, running.last_lines


def test_lines_are_passed_on_and_the_last_that_says_something_is_kept():
    said, last_lines = relayed('one', "print('why\\n[INFO] bye\\n\\nend', end='')")
    assert said == ['[one] why', '[one] [INFO] bye', '[one] ', '[one] end']
    assert last_lines == {'one': 'end'}


def test_a_node_that_does_not_catch_ctrl_c_says_nothing_of_it():
    said, passed = [], threading.Event()
    running = RunningProcesses(lambda line: (said.append(line), passed.set()))
    running.add('plain', subprocess.Popen(
        [sys.executable, '-c', PRINTS + 'import time; time.sleep(1000)'], text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT))
    running.relay()
    assert passed.wait(240)
    running.stop()
    assert said == ['[plain] ready']


def test_a_process_that_ignores_ctrl_c_is_terminated():
    running = RunningProcesses(lambda _: None)
    process = start(IGNORES)
    assert process.stdout.readline() == 'ready\n'
    running.add('deaf', process)
    running.stop()
    assert process.returncode == -signal.SIGTERM
