"""Start and end of the nodes' processes."""

import subprocess
import sys

import pytest

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
sys.exit(executables.run('node'))
"""


@pytest.mark.parametrize('code', [0, 1, 2])
def test_a_late_signal_is_not_the_exit_code(code):
    done = subprocess.run([sys.executable, '-c', LATE_SIGNAL, str(code)], timeout=DEADLINE,
                          capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stderr
    assert done.stdout.splitlines() == ['begins', 'leaves']


# A library of the node's swallows the Ctrl-C, as C code does that looks for an attribute, or makes
# another error of it.
SWALLOWED = """
import os, signal
try:
    os.kill(os.getpid(), signal.SIGINT)
    for _ in range(1000): pass
except KeyboardInterrupt:
    {}

def main(argv):
    print('runs')
    return 0
"""


@pytest.mark.parametrize('then', ['pass', 'raise ValueError'])
def test_a_signal_that_an_import_swallows_ends_the_node(tmp_path, then):
    (tmp_path / 'own_node.py').write_text(SWALLOWED.format(then))
    code = "import sys; from sbot.ros import executables; sys.exit(executables.run('own_node'))"
    done = subprocess.run([sys.executable, '-c', code], timeout=DEADLINE, capture_output=True,
                          text=True, check=False, cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, '', '')


# The same later, in what the node imports when it begins: compiled functions import numba.
HOOK = """
import os, signal, sys
from sbot.ros import executables

def profile(frame, event, argument):
    if event == 'call' and frame.f_code.co_name == HOOKED and 'numba' in sys.modules:
        sys.setprofile(None)
        print('at', HOOKED, flush=True)
        os.kill(os.getpid(), signal.SIGINT)

import types
def run(argv):
    from sbot_common.elementary.powers import hypot
    sys.setprofile(profile)
    hypot.real
    print('runs')
    return 0
sys.modules['own_node'] = node = types.ModuleType('own_node')
node.main = run
HOOKED = sys.argv[1]
sys.exit(executables.run('own_node', []))
"""


@pytest.mark.parametrize('hook', ['__set_name__', '__subclasshook__', '__subclasscheck__',
                                  '__prepare__', '_call_with_frames_removed'])
def test_a_signal_within_a_hook_of_numbas_import_ends_the_node(hook):
    done = subprocess.run([sys.executable, '-c', HOOK, hook], timeout=DEADLINE,
                          capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, f'at {hook}\n', '')
