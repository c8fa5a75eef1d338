"""What every node does the same way, seen from outside: bad parameters, signals."""

import signal
import subprocess
import sys

import pytest
from children import python

pytestmark = pytest.mark.ros

DEADLINE = 240.0  # s
WIND_NODE = 'import sys; from wind_model.node import main; sys.exit(main())'

# The end of a node, as our executables have it: libraries of ROS crash now and then where the
# interpreter takes itself apart.
LEAVE = """
sys.stdout.flush()
os._exit(code)
"""

# A node whose set-up lasts, so that a signal can come in the middle of it.
SLOW_NODE = """
import os, sys
from rclpy.node import Node
from sbot_common import ros
from sbot_common import topics

def make():
    node = Node('slow')
    print('in the middle', flush=True)
    for k in range(1_000_000):
        ros.advertise(node, topics.CMD_VEL, f'/t{k % 50}')
    return node

code = ros.run(make, ['slow'])
""" + LEAVE


# A signal within a hook of a class: Python makes a RuntimeError of it. rclpy's thread has not shut
# down the context yet. Or the library of a node swallows it, and the node would spin.
CHANGED_SIGNAL = """
import contextlib, os, signal, sys
from rclpy.node import Node
from sbot_common import ros
from sbot_common.ros import process
process.rclpy.ok = lambda: True

class Name:
    def __set_name__(self, owner, name):
        os.kill(os.getpid(), signal.SIGINT)
        for _ in range(1000): pass

def make():
    with HOLD:
        class Named:
            name = Name()
    return Node('named')

sys.exit(ros.run(make, ['named']))
"""


@pytest.mark.forked
@pytest.mark.parametrize('hold', ['nullcontext()', 'suppress(RuntimeError)'])
def test_a_signal_that_a_library_changes_or_swallows_ends_the_start_in_order(hold):
    done = python('-c', CHANGED_SIGNAL.replace('HOLD', f'contextlib.{hold}'))
    assert (done.returncode, done.stdout) == (0, ''), done.stderr
    # rclpy may warn: by now its own handler may have shut down the context of the new node.
    assert not done.stderr or 'RuntimeWarning: Failed to fini rosout' in done.stderr
    assert 'Traceback' not in done.stderr


@pytest.mark.forked
@pytest.mark.parametrize(('assignment', 'words'), [
    ('trigger:=5', ['trigger', '5', 'timer, inputs']),
    ('trigger:=tymer', ['trigger', 'tymer', 'timer, inputs']),
    ('loop_rate:=fast', ['loop_rate', 'fast', '(Hz)']),
    ('loop_rate:=.nan', ['loop_rate', 'nan', '(Hz)']),
    ('use_custom_static_wind_field:=3', ['use_custom_static_wind_field', '3', 'true or false'])])
def test_a_bad_parameter_is_one_line_and_exit_code_2(assignment, words):
    done = python('-c', WIND_NODE, '--ros-args', '-p', assignment)
    assert done.returncode == 2
    lines = done.stderr.strip().splitlines()
    assert len(lines) == 1
    assert all(word in lines[0] for word in words)


@pytest.mark.forked
@pytest.mark.parametrize(('arguments', 'words'), [
    (['--bogus'], 'bogus'), (['-p'], '-p'), (['-r', 'x'], 'x'),
    (['--params-file', '/no/such/file'], '/no/such/file')])
def test_bad_ros_arguments_are_one_line_and_exit_code_2(arguments, words):
    done = python('-c', WIND_NODE, '--ros-args', *arguments)
    assert done.returncode == 2
    line = [line for line in done.stderr.splitlines() if not line.startswith('[ERROR]')]
    assert len(line) == 1
    assert line[0].startswith('--ros-args: ')
    assert words in line[0]


@pytest.mark.parametrize('name', ['sbot_sim', 'wind_model', 'potfield_bot', 'wind_aware_bot',
                                  'controller_bot'])
def test_help_starts_nothing(name):
    code = f'import sys; from sbot.ros import executables; sys.exit(executables.run({name!r}))'
    done = python('-c', code, '--help')
    assert (done.returncode, done.stderr) == (0, '')
    assert done.stdout.startswith(f'Usage: ros2 run potential_field_bot {name} ')


INTEGERS = """
from rclpy.node import Node
from rclpy.parameter import Parameter
from sbot_common import ros
from sbot_common.params import Spec
import rclpy
rclpy.init(args=['x', '--ros-args', '-p', 'speed:=10', '-p', 'axis:=[1, 0, 0]'])
node = Node('n')
changes = []
values = ros.declare(node, [Spec('speed', 1.0, '', ''), Spec('axis', (0.0, 1.0, 0.0), '', '')],
                     changes.append)
print(values)
print(node.get_parameter('speed').value, list(node.get_parameter('axis').value))
print(node.set_parameters([Parameter('speed', value=7)])[0].successful, changes)
print(node.get_parameter('speed').value)
"""


@pytest.mark.forked
def test_whole_numbers_for_a_double_stay_doubles():
    done = python('-c', INTEGERS)
    assert done.stdout.splitlines() == [
        "{'speed': 10.0, 'axis': (1.0, 0.0, 0.0)}", '10.0 [1.0, 0.0, 0.0]',
        "True [{'speed': 7.0}]", '7.0']


# A node whose callback goes on to publish after a signal has shut the context down.
LATE_PUBLISHER = """
import sys
import rclpy
from rclpy.node import Node
from sbot_common import ros, topics
from sbot_common.wire.messages import write_twist

def make():
    node = Node('late')
    publisher = ros.advertise(node, topics.CMD_VEL, '/cmd_vel')
    def tell():
        rclpy.shutdown()  # as rclpy's handler of a signal does, in a thread of its own
        publisher.publish(write_twist(0.0, 0.0, 0.0))
        print('not reached')
    node.create_timer(0.01, tell)
    return node

sys.exit(ros.run(make, ['late']))
"""


@pytest.mark.forked
def test_an_error_after_the_context_was_shut_down_is_no_failure():
    done = python('-c', LATE_PUBLISHER)
    assert (done.returncode, done.stdout) == (0, ''), done.stderr
    assert 'Traceback' not in done.stderr


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
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored below background jobs
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

code = ros.run(make, ['busy'])
""" + LEAVE


@pytest.mark.parametrize(('arguments', 'output'), [
    (['1'], 'to its end\n'), (['2'], 'to its end\n'), (['1', 'for ever'], '')])
def test_a_signal_lets_a_callback_come_to_its_end_if_it_has_one(arguments, output):
    done = python('-c', BUSY_NODE, *arguments)
    assert done.returncode == (0 if output else -signal.SIGALRM)
    # Another callback may begin before rclpy's thread has ended the context.
    assert set(done.stdout.splitlines(keepends=True)) == {output} - {''}
    assert done.stderr == ''
