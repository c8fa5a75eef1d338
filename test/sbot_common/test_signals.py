"""A signal does not interrupt a tick, and is not lost."""

import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from sbot_common import signals

HANDLER = signal.default_int_handler


@pytest.fixture(autouse=True)
def _as_a_program_starts():
    before = signal.signal(signal.SIGINT, HANDLER)
    yield
    signal.signal(signal.SIGINT, before)


def interrupt(times, heeded, done):
    """Send signals while they are held, note what is reached."""
    with signals.held() as heed:
        for _ in range(times):
            os.kill(os.getpid(), signal.SIGINT)
        done.append('tick')
        if heeded:
            heed()
        done.append('end')


@pytest.mark.parametrize(('times', 'heeded', 'reached'), [
    (1, True, ['tick']),
    (1, False, ['tick', 'end']),  # heeded at the end at the latest
    (2, True, []),  # a second one does not wait
])
def test_a_signal_is_held_and_not_lost(times, heeded, reached):
    done = []
    with pytest.raises(KeyboardInterrupt):
        interrupt(times, heeded, done)
    assert done == reached
    assert signal.getsignal(signal.SIGINT) is HANDLER


def test_a_tick_that_never_ends_is_interrupted_after_a_while():
    def endless_tick():
        with signals.held(0.1):
            os.kill(os.getpid(), signal.SIGINT)
            end = time.monotonic() + 60
            while time.monotonic() < end:
                pass
    with pytest.raises(KeyboardInterrupt):
        endless_tick()


def test_without_a_signal_nothing_happens():
    done = []
    interrupt(0, True, done)
    assert done == ['tick', 'end']
    assert signal.getsignal(signal.SIGINT) is HANDLER


def test_handlers_come_back_after_an_error():
    with pytest.raises(ValueError, match='x'), signals.held():
        raise ValueError('x')
    assert signal.getsignal(signal.SIGINT) is HANDLER


def _fail_after_a_signal():
    with signals.held():
        signal.raise_signal(signal.SIGINT)
        raise ValueError('x')


def test_a_held_signal_is_not_lost_when_the_body_raises():
    came = []
    before = signal.signal(signal.SIGINT, lambda *_: came.append('SIGINT'))
    try:
        with pytest.raises(ValueError, match='x'):
            _fail_after_a_signal()
    finally:
        signal.signal(signal.SIGINT, before)
    assert came == ['SIGINT']


def test_other_threads_have_no_signals():
    found = []

    def work():
        with signals.held() as heed:
            heed()
            found.append(signal.getsignal(signal.SIGINT))
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == [HANDLER]


def test_a_deferral_that_is_not_active_handles_signals_at_once():
    deferral = signals.Deferral()
    with pytest.raises(KeyboardInterrupt):
        os.kill(os.getpid(), signal.SIGINT)
    deferral.restore()
    assert signal.getsignal(signal.SIGINT) is HANDLER


def test_a_deferred_signal_comes_again_at_the_end_of_the_patience():
    deferral = signals.Deferral(0.2, active=True)
    os.kill(os.getpid(), signal.SIGINT)
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        threading.Event().wait(60)
    deferral.restore()
    assert time.monotonic() - begin >= 0.15


def test_interrupts_are_told_from_other_errors():
    before = signal.getsignal(signal.SIGTERM)
    came = signals.interrupt_on_signals()
    assert not came.is_set()
    with pytest.raises(KeyboardInterrupt):
        os.kill(os.getpid(), signal.SIGTERM)
    assert came.is_set()
    signal.signal(signal.SIGTERM, before)


# Its destructor is interrupted, where exceptions are lost.
LOST = ('import os, signal, threading, time; from sbot_common import signals\n'
        'class Lost:\n'
        '    def __del__(self):\n'
        '        os.kill(os.getpid(), signal.SIGTERM)\n'
        '        for _ in range(1000): pass\n')
LOSE = ('signals.interrupt_on_signals()\n'
        'try:\n'
        '    Lost()\n'
        '    time.sleep(200)\n')


def run_python(code):
    return subprocess.run([sys.executable, '-c', code], capture_output=True, text=True,
                          timeout=100, check=True)


def test_an_interrupt_that_a_destructor_loses_comes_again():
    done = run_python(LOST + LOSE + 'except KeyboardInterrupt: print("interrupted")')
    assert (done.stdout, done.stderr) == ('interrupted\n', '')


def test_a_signal_while_a_lost_one_is_sent_again_is_not_lost():
    second = ('start, sent = threading.Timer.start, []\n'
              'def interrupted(timer):\n'
              '    sent.append(timer)\n'
              '    if len(sent) == 1:\n'
              '        os.kill(os.getpid(), signal.SIGINT)\n'
              '        for _ in range(1000): pass\n'
              '    start(timer)\n'
              'threading.Timer.start = interrupted\n')
    done = run_python(
        LOST + second + LOSE + 'except KeyboardInterrupt: print("interrupted", len(sent))')
    assert (done.stdout, done.stderr) == ('interrupted 2\n', '')


def test_after_an_interrupt_errors_in_destructors_are_not_told():
    code = ('import os, signal; from sbot_common.signals import interrupt_on_signals\n'
            'class Half:\n'
            '    def __del__(self):\n'
            '        self.never_made\n'
            'interrupt_on_signals()\n'
            'Half()\n'
            'try:\n'
            '    os.kill(os.getpid(), signal.SIGINT)\n'
            '    for _ in range(1000): pass\n'
            'except KeyboardInterrupt:\n'
            '    Half()')
    done = run_python(code)
    assert done.stderr.count('Exception ignored') == 1


def test_a_process_started_while_signals_are_blocked_gets_them_when_it_unblocks():
    code = ('import sys; from sbot_common.signals import interrupt_on_signals, unblock\n'
            'came = interrupt_on_signals(); print("ready", flush=True); sys.stdin.readline()\n'
            'print(came.is_set(), flush=True)\n'
            'try: unblock()\n'
            'except KeyboardInterrupt: print("interrupted")')
    with signals.blocked():
        process = subprocess.Popen([sys.executable, '-c', code], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == 'ready\n'
    process.send_signal(signal.SIGTERM)
    assert process.communicate('\n', timeout=240)[0] == 'False\ninterrupted\n'
    with pytest.raises(KeyboardInterrupt):  # here they are let through again
        os.kill(os.getpid(), signal.SIGINT)


def test_signals_are_light_to_import():
    code = ('import sys; import sbot_common.signals\n'
            'print([name for name in ("numpy", "numba", "rclpy") if name in sys.modules])')
    done = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, check=True)
    assert done.stdout == '[]\n'
