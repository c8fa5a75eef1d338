"""Start and end of the nodes' processes."""


import pytest
from children import python

DEADLINE = 240.0  # s

# A Ctrl-C comes once more while the interpreter takes itself apart.
LATE_SIGNAL = """
import atexit, os, signal, sys, types
from sbot.ros import executables

class Late:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGINT)

late = Late()
sys.modules['node'] = node = types.ModuleType('node')
node.main = lambda argv: atexit.register(print, 'leaves') and int(sys.argv[1])
print('begins')
sys.exit(executables._run('node'))
"""


@pytest.mark.parametrize('code', [0, 1, 2])
def test_a_late_signal_is_not_the_exit_code(code):
    done = python('-c', LATE_SIGNAL, code)
    assert done.returncode == code, done.stderr
    assert done.stdout.splitlines() == ['begins', 'leaves']
