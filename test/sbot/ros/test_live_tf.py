"""TF of the demo, heard by a node of another process; how packages are made that are missing."""

import importlib.util
import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from children import run_sbot

from sbot.environment.message_package import compilers
from sbot.ros import live_tf

INSTALLED = importlib.util.find_spec('tf2_msgs') is not None
pytestmark = [
    pytest.mark.forked, pytest.mark.ros,
    pytest.mark.skipif(importlib.util.find_spec('rclpy') is None, reason='rclpy is missing'),
    pytest.mark.skipif(not INSTALLED and compilers() is None, reason='no compiler')]
makes = pytest.mark.skipif(INSTALLED, reason='tf2_msgs is installed')

LISTENER = Path(__file__).with_name('tf_listener.py')
DEADLINE = 240.0
MAKE = ('from pathlib import Path; from sbot.ros.live_tf import messages_path; '
        'print(*messages_path(print, cache=Path({!r})))')


def hide(monkeypatch):
    """As if nothing had found what was made: a replay in this process does."""
    if not INSTALLED:
        monkeypatch.setattr(sys, 'path', [
            folder for folder in sys.path if not Path(folder, 'tf2_msgs').is_dir()])
        for name in [*sys.modules]:
            if name.partition('.')[0] == 'tf2_msgs':
                monkeypatch.delitem(sys.modules, name)


@pytest.fixture(autouse=True)
def not_found_yet(monkeypatch):
    hide(monkeypatch)


@pytest.mark.parametrize('how', [[], ['--composed']])
def test_a_listener_resolves_frames_of_the_demo_at_each_stamp(tmp_path, how):
    file = tmp_path / 'heard.json'
    done = run_sbot('up', 'leader_follower', *how, '--duration', '0.5', '--set',
                    'robots.1.controller=external', '--set', 'sensors.odometry_noise_slip=0.05',
                    '--node', shlex.join([str(LISTENER), str(file)]))
    assert done.returncode == 0, done.stderr
    count, worst, frames = json.loads(file.read_text())
    assert count == 16  # of 0.5 s at 30 Hz
    assert worst < 1e-9
    assert frames == sorted(f'robot_{i}/{name}' for i in range(4)
                            for name in ('odom', 'base_link', 'laser'))


def start(cache, **options):
    return subprocess.Popen([sys.executable, '-c', MAKE.format(str(cache))], text=True,
                            stdout=subprocess.PIPE, start_new_session=True, **options)


@makes
def test_two_processes_make_it_at_once_and_a_third_finds_it(tmp_path):
    both = [start(tmp_path) for _ in range(2)]
    found = {process.communicate(timeout=DEADLINE)[0].splitlines()[-1] for process in both}
    assert len(found) == 1
    said = []
    assert live_tf.messages_path(said.append, cache=tmp_path) == [found.pop()]
    assert said == []
    assert [path.name.partition('-')[0] for path in tmp_path.iterdir()] == ['messages']


@makes
@pytest.mark.parametrize('how', ['no compiler', 'a compiler that fails'])
def test_where_it_cannot_be_made_one_line_says_so(tmp_path, monkeypatch, how):
    programs = tmp_path / 'bin'
    programs.mkdir()
    if how != 'no compiler':
        for name in ('gcc', 'g++'):
            (programs / name).write_text('#!/bin/sh\necho error: out of ideas >&2\nexit 1\n')
            (programs / name).chmod(0o755)
    monkeypatch.setenv('PATH', str(programs))
    said = []
    assert live_tf.messages_path(said.append, cache=tmp_path) == []
    assert [line for line in said if 'this first time only' not in line] == (
        [] if how == 'no compiler' else [
            f'tf2_msgs: RuntimeError: {programs}/gcc: error: out of ideas; /tf and /tf_static are '
            'only in recordings'])
    assert [path.name for path in tmp_path.iterdir()] == ['bin']


def test_other_modules_come_first():
    assert live_tf.with_path({}, []) == {}
    assert live_tf.with_path({}, ['/x']) == {'PYTHONPATH': '/x'}
    assert live_tf.with_path({'PYTHONPATH': '/a:/b'}, ['/x', '/y']) == {
        'PYTHONPATH': '/a:/b:/x:/y'}


@pytest.mark.parametrize(('folders', 'code', 'printed'), [
    (['/made', '/too'], 0, '/made:/too\n'), ([], 1, '')])
def test_the_command_prints_the_folder_for_pythonpath(monkeypatch, capsys, folders, code, printed):
    monkeypatch.setattr(live_tf, 'messages_path', lambda say, _: say('making it') or folders)
    monkeypatch.setattr(live_tf, 'find_spec', lambda _: None)
    assert live_tf.main() == code
    told = capsys.readouterr()
    assert told.out == printed
    assert 'making it' in told.err
