"""A signal does not interrupt a tick, and is not lost."""

import os
import signal
import threading

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


def test_without_a_signal_nothing_happens():
    done = []
    interrupt(0, True, done)
    assert done == ['tick', 'end']
    assert signal.getsignal(signal.SIGINT) is HANDLER


def test_handlers_come_back_after_an_error():
    with pytest.raises(ValueError, match='x'), signals.held():
        raise ValueError('x')
    assert signal.getsignal(signal.SIGINT) is HANDLER


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
