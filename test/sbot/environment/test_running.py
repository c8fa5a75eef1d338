"""Child processes whose output is passed on, and that end together."""

import signal
import subprocess
import sys

from sbot.environment.running import LONGEST_LINE, REASON, RunningProcesses

PRINTS = "print('ready', flush=True); "
IGNORES = ('import signal; signal.signal(signal.SIGINT, signal.SIG_IGN); '
           + PRINTS + 'import time; time.sleep(1000)')


def start(code):
    return subprocess.Popen([sys.executable, '-c', code], text=True, stdout=subprocess.PIPE)


def relayed(name, code):
    """Lines of a process that runs Python code, and the last lines that are kept."""
    said = []
    running = RunningProcesses(said.append)
    running.add(name, start(code))
    running.relay()
    running.processes[0][1].wait(240)
    running.stop()
    return said, running.last_lines


def test_lines_are_passed_on_and_the_last_that_says_something_is_kept():
    said, last_lines = relayed('one', "print('why\\n[INFO] bye\\n\\nend', end='')")
    assert said == ['[one] why', '[one] [INFO] bye', '[one] ', '[one] end']
    assert last_lines == {'one': 'end'}


def test_why_a_process_ends_is_kept_and_not_passed_on():
    said, last_lines = relayed(
        'one', f'print("[ERROR] first"); print({REASON!r} + "no node came")')
    assert said == ['[one] [ERROR] first']
    assert last_lines == {'one': 'no node came'}


def test_a_line_that_never_ends_is_passed_on_in_pieces():
    said, _ = relayed('loud', f"print('a' * {3 * LONGEST_LINE}, end='')")
    assert said == ['[loud] ' + LONGEST_LINE * 'a'] * 3


def test_a_process_that_ignores_ctrl_c_is_terminated():
    running = RunningProcesses(lambda _: None)
    process = start(IGNORES)
    assert process.stdout.readline() == 'ready\n'
    running.add('deaf', process)
    running.stop()
    assert process.returncode == -signal.SIGTERM
