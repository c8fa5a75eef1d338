"""Orderly end of a process that sticks: by a second signal, or by time."""

import signal
import subprocess
import sys

import pytest

pytestmark = pytest.mark.ros

DEADLINE = 240.0  # s

# A node whose end sticks: in Python, or in code that keeps Python's lock.
STUCK_NODE = """
import ctypes, signal, sys, time
from rclpy.node import Node
from sbot_common import ros
from sbot_common.ros import process
from sbot_common.signals.ending import Ending

class Stuck(Node):
    def __init__(self):
        super().__init__('stuck')
        self.create_timer(0.01, self.tell)
    def tell(self):
        print('spinning', flush=True)
    def close(self):
        print('closing', flush=True)
        if sys.argv[1] == 'close':
            time.sleep(1000)

def stick():
    if sys.argv[1] == 'lock':
        ctypes.PyDLL(None).sleep(1000)
    time.sleep(1000)

process.rclpy.try_shutdown = stick
# Who ends it is known: in `lock` the alarm, however late the lock is taken, else never the alarm.
process.SHUTDOWN_TIMEOUT, share = (60.0, 1 / 600) if sys.argv[1] == 'lock' else (0.5, 1000.0)
alarm = signal.setitimer
signal.setitimer = lambda which, seconds: alarm(which, share * seconds)

class Grace:  # endless when the first signal has come, then over
    def __init__(self):
        self.looks = iter([1e9, -1e9])
    def __radd__(self, begun):
        print('spared', flush=True)
        return begun + next(self.looks)

Ending.GRACE = Grace()
sys.exit(ros.run(Stuck, ['stuck']))
"""


@pytest.mark.parametrize(('where', 'signals', 'code'), [
    ('close', 2, 1), ('shutdown', 1, 0), ('lock', 1, -signal.SIGALRM)])
def test_an_end_that_sticks_ends_by_a_second_signal_or_by_time(where, signals, code):
    with subprocess.Popen([sys.executable, '-c', STUCK_NODE, where], text=True,
                          stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == 'spinning\n'
        process.send_signal(signal.SIGINT)
        while process.stdout.readline() != 'closing\n':
            pass
        if signals == 2:
            process.send_signal(signal.SIGINT)  # the same Ctrl-C once more, from `ros2 launch`
            assert process.stdout.readline() == 'spared\n'
            process.send_signal(signal.SIGTERM)
        assert process.wait(DEADLINE) == code
