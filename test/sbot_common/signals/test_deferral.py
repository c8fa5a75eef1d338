"""A signal does not interrupt a tick, and is not lost."""

import os
import signal
import threading
import time

import pytest

from sbot_common.signals.deferral import Deferral, held

HANDLER = signal.default_int_handler


@pytest.fixture(autouse=True)
def _as_a_program_starts():
    before = signal.signal(signal.SIGINT, HANDLER)
    yield
    signal.signal(signal.SIGINT, before)


def interrupt(times, heeded, done):
    """Send signals while they are held, note what is reached."""
    with held() as check_interrupt:
        for _ in range(times):
            os.kill(os.getpid(), signal.SIGINT)
        done.append('tick')
        if heeded:
            check_interrupt()
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
        with held(0.1):
            os.kill(os.getpid(), signal.SIGINT)
            end = time.monotonic() + 240
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
    with pytest.raises(ValueError, match='x'), held():
        raise ValueError('x')
    assert signal.getsignal(signal.SIGINT) is HANDLER


def _fail_after_a_signal():
    with held():
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
        with held() as check_interrupt:
            check_interrupt()
            found.append(signal.getsignal(signal.SIGINT))
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == [HANDLER]


def test_a_deferral_that_is_not_active_handles_signals_at_once():
    deferral = Deferral()
    with pytest.raises(KeyboardInterrupt):
        os.kill(os.getpid(), signal.SIGINT)
    deferral.restore()
    assert signal.getsignal(signal.SIGINT) is HANDLER


def test_a_deferred_signal_comes_again_at_the_end_of_the_patience():
    deferral = Deferral(0.2, active=True)
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        _wait_after_a_signal()
    deferral.restore()
    assert time.monotonic() - begin >= 0.2


def _wait_after_a_signal():
    os.kill(os.getpid(), signal.SIGINT)
    threading.Event().wait(240)


def test_a_deferral_takes_no_lock_that_the_interrupted_code_may_have():
    """A thread is being started when the signal comes: another one would wait for it."""
    deferral = Deferral(60, active=True)
    try:
        with threading._active_limbo_lock:
            os.kill(os.getpid(), signal.SIGINT)
            signal.getsignal(signal.SIGINT)  # handled by now
        with pytest.raises(KeyboardInterrupt):
            deferral.deliver()
    finally:
        deferral.restore()
