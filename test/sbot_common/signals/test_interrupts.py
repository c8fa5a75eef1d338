"""Signals become exceptions, none is lost, and none hangs what answers another one."""

import itertools
import os
import signal
import subprocess
import sys
import threading

import pytest

from sbot_common.signals import interrupts
from sbot_common.signals.interrupts import (
    blocked,
    end_on_signals,
    interrupt_on_signals,
    raise_swallowed,
)

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def test_interrupts_are_told_from_other_errors():
    interrupts = interrupt_on_signals()
    try:
        assert not interrupts.came
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGTERM)
        assert interrupts.came
    finally:
        interrupts.restore()


def test_handlers_are_given_back():
    before = ([signal.getsignal(number) for number in SIGNALS], sys.unraisablehook,
              sys.excepthook)
    interrupts = end_on_signals()
    assert signal.getsignal(signal.SIGTERM) != before[0][1]
    with pytest.raises(KeyboardInterrupt):
        os.kill(os.getpid(), signal.SIGTERM)
    interrupts.restore()
    assert ([signal.getsignal(number) for number in SIGNALS], sys.unraisablehook,
            sys.excepthook) == before
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_records_nest():
    outer = interrupt_on_signals()
    hooks = sys.unraisablehook, sys.excepthook
    try:
        inner = end_on_signals()
        inner.restore()
        assert (sys.unraisablehook, sys.excepthook) == hooks
        raise_swallowed()  # none came
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):  # the outer one is in place again
            raise_swallowed()
    finally:
        outer.restore()
    raise_swallowed()


@pytest.mark.parametrize('order', list(itertools.permutations(range(3))))
def test_records_that_are_restored_in_any_order_leave_the_handlers_of_before(order):
    def state():
        return ([signal.getsignal(number) for number in SIGNALS], sys.unraisablehook,
                sys.excepthook)
    given = [signal.signal(number, lambda *_: None) for number in SIGNALS[:2]]
    before = state()
    records = [end_on_signals(), interrupt_on_signals(), end_on_signals()]
    try:
        for place in order:
            with pytest.raises(KeyboardInterrupt):
                os.kill(os.getpid(), signal.SIGTERM)
            newest = max(i for i, record in enumerate(records) if record is not None)
            assert records[newest].came  # it answers, whichever was restored before
            records[newest].came = False
            records[place].restore()
            records[place] = None
        assert state() == before
        assert interrupts._current is None
    finally:
        for record in filter(None, reversed(records)):
            record.restore()
        for number, handler in zip(SIGNALS, given, strict=False):
            signal.signal(number, handler)


def test_a_signal_within_a_nested_record_came_outside_too_and_its_limit_continues():
    code = STUCK.replace('while True:', """
inner = interrupt_on_signals()
try:
    os.kill(os.getpid(), signal.SIGINT)
except KeyboardInterrupt:
    inner.answered = True
inner.restore()
try:
    raise_swallowed()
    print('none came')
except KeyboardInterrupt:
    print('came', flush=True)
while True:""")
    done = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True,
                          timeout=150, check=False)
    assert (done.returncode, done.stdout) == (1, 'came\n')
    assert 'ended at once' in done.stderr


STUCK = """
import os, signal, time
from sbot_common.signals import limit
from sbot_common.signals.interrupts import interrupt_on_signals, raise_swallowed
limit.SECONDS = 1.5  # for the lines up to the loop, on a busy machine, too
interrupt_on_signals()
while True:
    time.sleep(0.1)
"""


def test_a_hook_that_is_set_later_stays_and_may_call_ours(capsys):
    printed, lost = sys.excepthook, sys.unraisablehook
    told = []
    try:
        sys.excepthook = lambda *given: told.append(given[0])
        interrupts = interrupt_on_signals()
        ours = sys.excepthook
        own = sys.excepthook = lambda *given: ours(*given)
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
        interrupts.restore()
        assert sys.excepthook is own
        sys.excepthook(KeyboardInterrupt, KeyboardInterrupt(), None)
        assert told == [KeyboardInterrupt]  # and no signal is sent again
        assert sys.unraisablehook is lost
    finally:
        sys.excepthook, sys.unraisablehook = printed, lost


def test_the_timer_of_somebody_else_is_not_cancelled():
    before = signal.signal(signal.SIGALRM, lambda *_: None)
    signal.setitimer(signal.ITIMER_REAL, 1000.0)
    try:
        interrupts = interrupt_on_signals()
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
        interrupts.restore()
        assert signal.getitimer(signal.ITIMER_REAL)[0] > 0.0
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


def test_in_another_thread_nothing_is_installed():
    before = signal.getsignal(signal.SIGINT), sys.excepthook, sys.unraisablehook
    found = []

    def work():
        interrupts = end_on_signals()
        found.append((signal.getsignal(signal.SIGINT), sys.excepthook, sys.unraisablehook))
        interrupts.restore()
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == [before]


# A second signal on line `nth` of what answers the first one, for every one there is.
ON_EVERY_LINE = """
import os, signal, sys
from sbot_common.signals import deferral, interrupts

def answered(nth):
    seen = 0
    def trace(frame, event, argument):
        nonlocal seen
        if not any(word in frame.f_code.co_filename for word in ('signals', 'threading')):
            return None
        if event == 'line':
            seen += 1
            if seen == nth:
                os.kill(os.getpid(), signal.SIGTERM)
        return trace
    came = interrupts.end_on_signals()
    try:
        sys.settrace(trace)
        ANSWER
        raise SystemExit('lost')
    except KeyboardInterrupt:
        sys.settrace(None)
    assert came.came
    came.restore()
    return seen

nth = 1
while answered(nth) >= nth:
    nth += 1
print(nth - 1)
"""
ANSWERS = {
    'at once': 'os.kill(os.getpid(), signal.SIGINT)',
    'deferred': '\n            '.join((
        'with deferral.held():', '    os.kill(os.getpid(), signal.SIGINT)'))}


@pytest.mark.parametrize('answer', ANSWERS)
def test_a_second_signal_on_any_line_of_the_handler_hangs_nothing(answer):
    done = run_python(ON_EVERY_LINE.replace('ANSWER', ANSWERS[answer].replace(
        '            ', '        ')))
    assert int(done.stdout) >= 8, 'no lines were traced'
    assert done.stderr == ''


# Its destructor is interrupted, where exceptions are lost.
LOST = ('import os, signal, threading, time; from sbot_common.signals import interrupts\n'
        'class Lost:\n'
        '    def __del__(self):\n'
        '        os.kill(os.getpid(), signal.SIGTERM)\n'
        '        for _ in range(1000): pass\n')
LOSE = ('interrupts.interrupt_on_signals()\n'
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
    second = ('send, sent = interrupts.send_later, []\n'
              'def interrupted(*arguments):\n'
              '    sent.append(arguments)\n'
              '    if len(sent) == 1:\n'
              '        os.kill(os.getpid(), signal.SIGINT)\n'
              '        for _ in range(1000): pass\n'
              '    send(*arguments)\n'
              'interrupts.send_later = interrupted\n')
    done = run_python(
        LOST + second + LOSE + 'except KeyboardInterrupt: print("interrupted", len(sent))')
    assert (done.stdout, done.stderr) == ('interrupted 2\n', '')


# C code that prints an exception and continues, as modules of numba do that look for numpy.
PRINTED = """
import ctypes, os, signal, sys, time
from sbot_common.signals.interrupts import interrupt_on_signals
interrupt_on_signals()
try:
    print(ctypes.pythonapi.PyRun_SimpleString(
        b'import os, signal; os.kill(os.getpid(), signal.SIGINT)\\nfor _ in range(1000): pass'))
    time.sleep(200)
except KeyboardInterrupt:
    print('interrupted')
exec('')  # else Python remembers the interrupt of the text above, and ends by it
"""


def test_an_interrupt_that_c_code_prints_is_not_printed_and_comes_again():
    done = run_python(PRINTED)
    assert (done.stdout, done.stderr) == ('-1\ninterrupted\n', '')


@pytest.mark.parametrize('report', [
    'sys.excepthook(*sys.exc_info())',
    'report(*sys.exc_info())'])
def test_an_interrupt_that_a_program_reports_by_the_hook_does_not_come_again(report):
    code = ('import os, signal, sys, time\n'
            'from sbot_common.signals import interrupts\n'
            'sent = []\n'
            'interrupts.send_later = lambda *_: sent.append(1)\n'
            'interrupts.interrupt_on_signals()\n'
            'def report(*caught): sys.excepthook(*caught)\n'
            'try:\n'
            '    os.kill(os.getpid(), signal.SIGINT)\n'
            '    for _ in range(1000): pass\n'
            'except KeyboardInterrupt:\n'
            f'    {report}\n'
            'print(sent)')
    done = run_python(code)
    assert done.stdout == '[]\n'
    assert done.stderr.rstrip().endswith('KeyboardInterrupt')


@pytest.mark.parametrize('own_hook', ['', 'ours = sys.excepthook\n'
                                      'sys.excepthook = lambda *error: ours(*error)\n'])
def test_an_interrupt_that_nobody_catches_is_printed(own_hook):
    code = ('import os, signal, sys\n'
            'from sbot_common.signals.interrupts import interrupt_on_signals\n'
            f'interrupt_on_signals()\n{own_hook}os.kill(os.getpid(), signal.SIGINT)\n'
            'for _ in range(1000): pass')
    done = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True,
                          timeout=100, check=False)
    assert done.returncode != 0
    assert done.stderr.rstrip().endswith('KeyboardInterrupt')


def test_a_swallowed_interrupt_is_raised_where_it_is_looked_for():
    interrupts = interrupt_on_signals()
    try:
        raise_swallowed()
        assert not hasattr(Swallows(), 'name')
        with pytest.raises(KeyboardInterrupt):
            raise_swallowed()
        interrupts.answered = True
        raise_swallowed()
    finally:
        interrupts.restore()
    raise_swallowed()


class Swallows:
    def __getattr__(self, name):
        try:
            os.kill(os.getpid(), signal.SIGINT)
            for _ in range(1000):
                pass
        except KeyboardInterrupt:
            raise AttributeError(name) from None


def test_after_an_interrupt_errors_in_destructors_are_not_told():
    code = ('import os, signal; from sbot_common.signals.interrupts import interrupt_on_signals\n'
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
    code = ('import sys\n'
            'from sbot_common.signals.interrupts import interrupt_on_signals, unblock\n'
            'came = interrupt_on_signals(); print("ready", flush=True); sys.stdin.readline()\n'
            'print(came.came, flush=True)\n'
            'try: unblock()\n'
            'except KeyboardInterrupt: print("interrupted")')
    with blocked():
        process = subprocess.Popen([sys.executable, '-c', code], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == 'ready\n'
    process.send_signal(signal.SIGTERM)
    assert process.communicate('\n', timeout=240)[0] == 'False\ninterrupted\n'
    with pytest.raises(KeyboardInterrupt):  # here they are let through again
        os.kill(os.getpid(), signal.SIGINT)


def test_signals_are_light_to_import():
    code = ('import sys; import sbot_common.signals.deferral, sbot_common.signals.ending\n'
            'print([name for name in ("numpy", "numba", "rclpy") if name in sys.modules])')
    done = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, check=True)
    assert done.stdout == '[]\n'
