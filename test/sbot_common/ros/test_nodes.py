"""What every node does the same way, seen from outside: bad parameters, signals."""

import importlib.util
import signal
import subprocess
import sys

import pytest

pytestmark = [
    pytest.mark.ros,
    pytest.mark.skipif(importlib.util.find_spec('rclpy') is None, reason='rclpy is missing')]

DEADLINE = 240.0  # s

# A node whose set-up lasts, so that a signal can come in the middle of it.
SLOW_NODE = """
import sys
from rclpy.node import Node
from sbot_common import ros
from sbot_common import topics

def make():
    node = Node('slow')
    print('in the middle', flush=True)
    for k in range(1_000_000):
        ros.advertise(node, topics.CMD_VEL, f'/t{k % 50}')
    return node

sys.exit(ros.run(make, ['slow']))
"""


@pytest.mark.parametrize(('assignment', 'words'), [
    ('trigger:=5', ['trigger', '5', 'timer, inputs']),
    ('trigger:=tymer', ['trigger', 'tymer', 'timer, inputs']),
    ('loop_rate:=fast', ['loop_rate', 'fast', '(Hz)']),
    ('loop_rate:=.nan', ['loop_rate', 'nan', '(Hz)']),
    ('use_custom_static_wind_field:=3', ['use_custom_static_wind_field', '3', 'true or false']),
])
def test_a_bad_parameter_is_one_line_and_exit_code_2(assignment, words):
    done = subprocess.run(
        [sys.executable, '-c', 'import sys; from wind_model.node import main; sys.exit(main())',
         '--ros-args', '-p', assignment],
        timeout=DEADLINE, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    lines = done.stderr.strip().splitlines()
    assert len(lines) == 1
    assert all(word in lines[0] for word in words)


@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM])
def test_a_signal_during_set_up_ends_without_a_traceback(number):
    with subprocess.Popen([sys.executable, '-c', SLOW_NODE], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout.readline() == 'in the middle\n'
        process.send_signal(number)
        _, error = process.communicate(timeout=DEADLINE)
    assert process.returncode == 0
    assert 'Traceback' not in error


# A node in whose callback a signal comes; another one goes on for ever.
BUSY_NODE = """
import os, signal, sys
from rclpy.node import Node
from sbot_common import ros

def work():
    for _ in range(int(sys.argv[1])):
        os.kill(os.getpid(), signal.SIGINT)
    while len(sys.argv) > 2:  # for ever
        pass
    print('to its end', flush=True)

def make():
    node = Node('busy')
    node.create_timer(0.01, work)
    return node

sys.exit(ros.run(make, ['busy']))
"""


@pytest.mark.parametrize(('arguments', 'output'), [
    (['1'], 'to its end\n'), (['2'], ''), (['1', 'for ever'], '')])
def test_a_signal_lets_a_callback_come_to_its_end_if_it_has_one(arguments, output):
    done = subprocess.run([sys.executable, '-c', BUSY_NODE, *arguments],
                          timeout=DEADLINE, capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert (done.stdout, done.stderr) == (output, '')
