"""Stretches of robots: each exactly once, whoever does them."""

import threading

import pytest

from sbot_common.compiled.threads import in_background, in_blocks


@pytest.mark.parametrize('threads', [1, 3])
@pytest.mark.parametrize('count', [0, 1, 199, 200, 5000])
def test_every_robot_is_done_once(threads, count):
    done = []
    in_blocks(threads, count, lambda first, end, out: out.extend(range(first, end)), done)
    assert sorted(done) == list(range(count))


def test_several_threads_work():
    barrier = threading.Barrier(3, timeout=240)

    def work(first, end):
        if first < 3:  # the first three stretches: none ends before all have begun
            barrier.wait()
    # Stretches of one robot each would be 12; of 300 robots they begin at 0, 25, 50, ...
    in_blocks(3, 300, lambda first, end: work(first // 25, end))


@pytest.mark.parametrize('stretch', [0, 5])
def test_an_error_reaches_the_caller(stretch):
    def work(first, end):
        if first == stretch * 125:
            raise ValueError('here')
    with pytest.raises(ValueError, match='here'):
        in_blocks(2, 1000, work)


@pytest.mark.parametrize(('threads', 'count', 'elsewhere'), [
    (1, 5000, False), (2, 199, False), (2, 200, True), (3, 5000, True)])
def test_beside_gives_the_result(threads, count, elsewhere):
    begun = threading.Event()

    def work(a, b):
        begun.set()
        return a + b, threading.current_thread()
    result = in_background(threads, count, work, 2, 3)
    assert begun.wait(240)  # what has not begun is done by who asks
    total, thread = result()
    assert total == 5
    assert (thread is not threading.current_thread()) == elsewhere


def test_blocks_do_not_wait_for_what_is_done_beside():
    begun, go_on = threading.Event(), threading.Event()

    def work():
        begun.set()
        return go_on.wait(240)
    result = in_background(2, 1000, work)
    assert begun.wait(240)
    done = []
    in_blocks(2, 1000, lambda first, end: done.extend(range(first, end)))
    assert sorted(done) == list(range(1000))
    go_on.set()
    assert result()


def test_an_error_beside_reaches_who_asks():
    result = in_background(2, 1000, int, 'x')
    with pytest.raises(ValueError, match='x'):
        result()
