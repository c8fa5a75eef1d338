"""A command that runs users' modules: exit code 0 means that its end was reached."""

import contextlib
import itertools
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sbot.bag.reader import Bag
from sbot.environment import watched
from sbot.environment.watched import EXIT_EARLY
from sbot.runner.loop import run_scenario
from sbot.scenario.load import load_scenario

pytestmark = [pytest.mark.forked,
              pytest.mark.skipif(not hasattr(os, 'fork'), reason='os.fork is missing')]

DEADLINE = 240.0  # s
BOT = """
import os, sys, threading, time
class Bot:
    def step(self, observation, rng):
        if observation.tick == 2:
            self.end()
        return 0.1, 0.0
    def end(self):
        END
"""
ENDS = {
    'os._exit': 'os._exit(0)',
    'os._exit with a code': 'os._exit(3)',
    'in a thread': 'threading.Thread(target=os._exit, args=(0,)).start(); time.sleep(200)',
    'execv': 'os.execv("/bin/true", ["true"])',
    'a crash': 'os.kill(os.getpid(), 11)',
}


def scenario(folder, end, duration=0.5):
    (folder / 'early_bot.py').write_text(BOT.replace('END', end))
    path = folder / 'own.yaml'
    path.write_text(f'duration: {duration}\nworld: {{bounds: [0, 0, 10, 10]}}\n'
                    "robots: [{pose: [3, 3, 0], controller: 'early_bot:Bot'}]\n")
    return path


def start(*arguments, **options):
    return subprocess.Popen([sys.executable, '-m', 'sbot.cli', *map(str, arguments)], text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)


def finish(process):
    try:
        output, error = process.communicate(timeout=DEADLINE)
    finally:
        process.kill()
    return process.returncode, output, error


@pytest.mark.parametrize('how', ENDS)
def test_a_controller_that_ends_the_process_is_no_success(tmp_path, how):
    bag = tmp_path / 'bag'
    found = finish(start('run', scenario(tmp_path, ENDS[how]), '--record', bag, '--quiet'))
    why = 'killed by SIGSEGV before the command had ended' if how == 'a crash' else EXIT_EARLY
    assert found == (1, '', f'sbot: {why}\n')
    assert not Bag(bag).complete


def test_a_live_view_that_a_controller_ends_is_no_success(tmp_path):
    path = scenario(tmp_path, 'pass')
    (tmp_path / 'early_bot.py').write_text('import os\nos._exit(0)\n')
    assert finish(start('view', '--live', path, '--port', '0')) == (1, '', f'sbot: {EXIT_EARLY}\n')


def test_a_replay_that_a_controller_ends_is_no_success(tmp_path):
    run_scenario(load_scenario(str(scenario(tmp_path, 'pass'))), record=tmp_path / 'bag')
    scenario(tmp_path, 'os._exit(0)')
    assert finish(start('replay', tmp_path / 'bag', '--trust')) == (
        1, '', f'sbot: {EXIT_EARLY}\n')


@pytest.mark.parametrize(('arguments', 'code'), [
    (['run', '--help'], 0), (['run'], 2), (['run', 'nowhere'], 2)])
def test_exit_codes_are_passed_on(arguments, code):
    assert finish(start(*arguments))[0] == code


def test_what_is_printed_before_is_printed_once(tmp_path):
    code = ('import sys; from sbot.cli.main import main; sys.argv[1:] = ["run", "--help"]; '
            'print("before"); sys.exit(main())')
    done = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, check=True)
    assert done.stdout.count('before') == 1


NOTE = '__import__("pathlib").Path(__file__).with_name("pid").write_text(str(os.getpid())); '


def begun(folder, process):
    """Return the process that simulates, once it does."""
    end = time.monotonic() + DEADLINE
    while time.monotonic() < end and process.poll() is None:
        with contextlib.suppress(OSError, ValueError):
            return int((folder / 'pid').read_text())
        time.sleep(0.01)
    raise AssertionError('it has not begun')


def is_there(pid):
    try:
        return Path(f'/proc/{pid}/stat').read_text().split()[2] != 'Z'
    except OSError:
        return False


@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize('to_group', [False, True])
def test_a_signal_ends_both_processes_once(tmp_path, number, to_group):
    """To the parent alone (kill) or to both (a terminal): one signal, which the tick survives."""
    end = NOTE + 'time.sleep(1.0); open(__file__ + ".whole", "w").close()'
    bag = tmp_path / 'bag'
    process = start('run', scenario(tmp_path, end, 1000), '--record', bag, start_new_session=True)
    child = begun(tmp_path, process)
    assert child != process.pid
    os.killpg(process.pid, number) if to_group else process.send_signal(number)
    code, output, error = finish(process)
    assert (code, output) == (1, '')
    assert error.splitlines()[-1] == 'sbot: interrupted'
    assert (tmp_path / 'early_bot.py.whole').exists(), 'a second signal came, and ended the tick'
    assert not is_there(child)
    assert Bag(bag).cut_short.startswith('at tick ')


def test_a_signal_that_the_child_has_noted_meanwhile_is_not_sent_again(monkeypatch):
    sent = []
    monkeypatch.setattr(watched.os, 'kill', lambda *arguments: sent.append(arguments))
    for noted in (True, False):
        reports, token = os.pipe()
        watch = watched._Watch.__new__(watched._Watch)
        watch._child, watch._reports, watch._open, watch._since = 1, reports, True, None
        watch._heard, watch._due = -float('inf'), (signal.SIGINT, time.monotonic() - 1.0)
        if noted:
            os.write(token, bytes([signal.SIGINT]))
        watch._pass_on()
        assert sent == [] if noted else [(1, signal.SIGINT)]
        os.close(reports)
        os.close(token)


@pytest.mark.skipif(sys.platform != 'linux', reason='Linux only')
def test_a_parent_that_is_killed_leaves_nothing(tmp_path):
    path = scenario(tmp_path, NOTE + 'time.sleep(0.1)', 1000)
    process = start('run', path, '--record', tmp_path / 'bag')
    child = begun(tmp_path, process)
    process.kill()
    finish(process)
    end = time.monotonic() + DEADLINE
    while is_there(child):
        assert time.monotonic() < end
        time.sleep(0.02)
    assert Bag(tmp_path / 'bag').cut_short.startswith('at tick ')


def test_a_program_that_a_controller_becomes_ends_by_a_signal(tmp_path):
    process = start('run', scenario(tmp_path, NOTE + 'os.execvp("sleep", ["sleep", "1000"])'))
    child = begun(tmp_path, process)
    process.send_signal(signal.SIGTERM)
    assert finish(process)[:2] == (1, '')
    assert not is_there(child)


@pytest.mark.parametrize('to_group', [False, True])
def test_any_number_of_signals_ends_a_run(tmp_path, to_group):
    path = scenario(tmp_path, NOTE + 'time.sleep(0.1)', 1000)
    process = start('run', path, '--record', tmp_path / 'bag', start_new_session=True)
    child = begun(tmp_path, process)
    end = time.monotonic() + DEADLINE
    numbers = itertools.cycle([signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
    while process.poll() is None:
        assert time.monotonic() < end
        os.killpg(process.pid, next(numbers)) if to_group else process.send_signal(next(numbers))
    finish(process)
    assert process.returncode == 1
    assert not is_there(child)


def test_a_controller_that_catches_everything_is_ended(tmp_path):
    forever = (NOTE + """
        while True:
            try:
                time.sleep(1000)
            except BaseException:
                pass""")
    process = start('run', scenario(tmp_path, forever))
    child = begun(tmp_path, process)
    process.send_signal(signal.SIGINT)
    code, _, error = finish(process)
    assert code == 1
    assert error.splitlines()[-1].startswith('ended at once: ')
    assert not is_there(child)


@pytest.mark.parametrize('closed', ['>&-', '<&-', '2>&-', '<&- >&- 2>&-'])
@pytest.mark.parametrize('command', ['wind --help', 'list scenarios',
                                     'run single_robot --duration 0.1 --quiet'])
def test_only_a_closed_output_is_an_error(closed, command):
    """There the results are lost."""
    done = subprocess.run(f'"{sys.executable}" -m sbot.cli {command} {closed}', shell=True,
                          capture_output=True, text=True, timeout=DEADLINE, check=False)
    assert done.returncode == ('>&-' in closed.split())
    assert done.stderr in ('', 'sbot: output: Bad file descriptor\n')
    if '2>&-' not in closed:
        assert bool(done.stderr) == ('>&-' in closed.split())
