"""What does not end by a signal ends by time."""

import signal
import subprocess
import sys

import pytest

STUCK = """
import ctypes, os, signal, sys, time
from sbot_common.signals import limit
from sbot_common.signals.deferral import held
from sbot_common.signals.interrupts import interrupt_on_signals
limit.SECONDS = 0.3
limit._HARD = 100.0 if sys.argv[1] in ('swallowed', 'held') else 0.8
if sys.argv[1] == 'waits':  # for a processor, all the time
    limit._delay = time.monotonic
interrupt_on_signals()
if sys.argv[1] == 'held':
    with held(60):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(200)
while True:
    try:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(200)
    except KeyboardInterrupt:
        if sys.argv[1] == 'lock':
            ctypes.PyDLL(None).sleep(200)
"""


@pytest.mark.parametrize(('where', 'code'), [
    ('swallowed', 1), ('held', 1), ('lock', -signal.SIGALRM), ('waits', -signal.SIGALRM)])
def test_a_program_that_does_not_end_after_a_signal_is_ended(where, code):
    done = subprocess.run([sys.executable, '-c', STUCK, where], capture_output=True, text=True,
                          timeout=150, check=False)
    assert done.returncode == code
    assert done.stderr == ('ended at once: it had not ended in the 8 s since a signal asked it to'
                           '\n' if code == 1 else '')


def test_a_limit_that_is_lifted_ends_nothing():
    code = STUCK.replace('SECONDS = 0.3', 'SECONDS = 1.0').replace('0.8', '2.0').replace(
        'interrupt_on_signals()\n', """
came = interrupt_on_signals()
try:
    os.kill(os.getpid(), signal.SIGINT)
except KeyboardInterrupt:
    came.restore()
began = time.monotonic()
while time.monotonic() < began + 2.5:
    pass
print('still here')
raise SystemExit
""", 1)
    done = subprocess.run([sys.executable, '-c', code, ''], capture_output=True, text=True,
                          timeout=150, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, 'still here\n', '')
