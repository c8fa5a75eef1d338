"""The first signal ends a program at the end of its tick, a later one as the system does."""

import os
import signal
import threading

import pytest
from children import python

from sbot_common.signals import Held, blocked, came, end_on_signals, raise_swallowed

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@pytest.fixture
def program():
    """This process as a program that has begun; afterwards its handlers are as before."""
    before = [signal.getsignal(number) for number in SIGNALS]
    restore = end_on_signals(same=1000.0)
    yield
    restore()
    assert [signal.getsignal(number) for number in SIGNALS] == before
    assert not came()


@pytest.mark.usefixtures('program')
@pytest.mark.parametrize('number', SIGNALS)
def test_the_first_signal_raises_and_what_belongs_to_it_does_not(number):
    assert not came()
    with pytest.raises(KeyboardInterrupt):
        os.kill(os.getpid(), number)
    assert came()
    for again in SIGNALS:  # `timeout` sends its signal twice
        os.kill(os.getpid(), again)


@pytest.mark.usefixtures('program')
def test_a_signal_that_an_import_swallowed_is_raised_later():
    raise_swallowed()
    with pytest.raises(KeyboardInterrupt):
        os.kill(os.getpid(), signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        raise_swallowed()


# The first signal counts in the middle of a tick that never ends; what the second does is on the
# process's exit code.
PROGRAM = """
import os, signal, sys, time
from sbot_common.signals import Held, end_on_signals
end_on_signals(same=0.0, limit=LIMIT)
try:
    with Held() as signals:
        os.kill(os.getpid(), signal.SIGTERM)
        print('the tick goes on', flush=True)
        WORK
        signals.deliver()
        print('not reached')
finally:
    print('closed', flush=True)
    WORK_AFTER
"""
SEND = 'time.sleep(0.01); os.kill(os.getpid(), signal.SIGTERM); time.sleep(240)'


@pytest.mark.parametrize(('work', 'after', 'limit', 'code', 'said'), [
    ('pass', 'sys.exit(3)', 0, 3, 'the tick goes on\nclosed\n'),
    (SEND, 'pass', 0, -signal.SIGTERM, 'the tick goes on\n'),  # a tick without an end
    ('pass', SEND, 0, -signal.SIGTERM, 'the tick goes on\nclosed\n'),  # a bag that never closes
    ('time.sleep(240)', 'pass', 1, -signal.SIGALRM, 'the tick goes on\n')])
def test_the_first_signal_ends_the_tick_and_the_second_the_process(work, after, limit, code, said):
    text = PROGRAM.replace('WORK_AFTER', after).replace('WORK', work).replace('LIMIT', str(limit))
    done = python('-c', text)
    assert (done.returncode, done.stdout) == (code, said), done.stderr


def test_an_interrupt_counts_where_a_shell_had_it_ignored():
    code = ('import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_IGN); '
            'os.execv(sys.executable, [sys.executable, "-c", '
            '"import os, signal; from sbot_common.signals import end_on_signals; '
            'end_on_signals(); os.kill(os.getpid(), signal.SIGINT)"])')
    assert 'KeyboardInterrupt' in python('-c', code).stderr


def test_nohup_is_heeded():
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        end_on_signals()()
        assert signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


def test_other_threads_have_no_signals():
    before, found = signal.getsignal(signal.SIGINT), []

    def work():
        restore = end_on_signals()
        with Held() as signals:
            signals.deliver()
            found.append(signal.getsignal(signal.SIGINT))
        restore()
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == [before]


def test_a_child_has_signals_blocked_until_it_lets_them_through():
    code = ('import os, signal\n'
            'from sbot_common.signals import end_on_signals, unblock\n'
            'os.kill(os.getpid(), signal.SIGINT); end_on_signals()\n'
            'print("still here", flush=True); unblock()\n')
    with blocked():
        done = python('-c', code)
    assert done.stdout == 'still here\n'
    assert done.stderr.splitlines()[-1] == 'KeyboardInterrupt'


def test_signals_are_light_to_import():
    code = ('import sys; import sbot_common.signals\n'
            'print([name for name in ("numpy", "numba", "logging") if name in sys.modules])')
    assert python('-c', code).stdout == '[]\n'
