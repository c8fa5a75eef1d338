"""Nothing of a user's command is left, however it or we end."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from stubborn import DEADLINE, gone, read_pids, stubborn_script

from sbot.environment import keeper

KEEPER = [sys.executable, '-I', '-S', keeper.__file__]

pytestmark = pytest.mark.skipif(sys.platform != 'linux', reason='needs /proc')


def start(last='time.sleep(1000)'):
    process = subprocess.Popen([*KEEPER, sys.executable, '-c', stubborn_script(last)],
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    return process, read_pids(process.stdout)


def close(process):
    process.stdin.close()


def interrupt(process):
    process.send_signal(signal.SIGINT)


@pytest.mark.parametrize('end', [close, interrupt])
def test_all_that_a_command_has_started_ends(end):
    process, pids = start()
    end(process)
    assert process.wait(DEADLINE) == 128 + signal.SIGKILL
    assert gone(pids)


def test_a_command_is_interrupted_first():
    """A node in ``rclpy.spin`` may miss a SIGTERM while no message comes, but no SIGINT."""
    command = """
import signal, sys
signal.signal(signal.SIGTERM, signal.SIG_IGN)
try:
    print('up', flush=True)
    signal.pause()
except KeyboardInterrupt:
    sys.exit(7)
"""
    patient = f"""
import sys
sys.path.insert(0, {str(Path(keeper.__file__).parent)!r})
import keeper
keeper._STEPS = ((keeper._STEPS[0][0], 1000.0),)
sys.exit(keeper._keep([sys.executable, '-c', {command!r}]))
"""
    process = subprocess.Popen([sys.executable, '-c', patient], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout.readline() == 'up\n'
        process.stdin.close()
        assert process.wait(DEADLINE) == 7
    finally:
        process.kill()


def test_what_a_command_leaves_behind_ends_with_it_and_its_exit_code_is_handed_on():
    process, pids = start('sys.exit(7)')
    assert process.wait(DEADLINE) == 7
    assert gone(pids)


def test_it_ends_when_the_parent_is_killed():
    code = f"""
import subprocess, sys, time
process = subprocess.Popen({[*KEEPER, sys.executable, '-c', stubborn_script()]!r},
                           stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
print(process.stdout.readline() + process.stdout.readline(), flush=True)
time.sleep(1000)
"""
    parent = subprocess.Popen([sys.executable, '-c', code], stdout=subprocess.PIPE, text=True)
    pids = read_pids(parent.stdout)
    os.kill(parent.pid, signal.SIGKILL)
    parent.wait(DEADLINE)
    assert gone(pids)


def test_a_program_that_is_not_there_is_said():
    done = subprocess.run([*KEEPER, '/no/such/program'], capture_output=True, text=True,
                          check=False, timeout=DEADLINE)
    assert (done.returncode, done.stderr) == (127, '/no/such/program: No such file or directory\n')
