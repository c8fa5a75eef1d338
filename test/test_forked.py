"""Children from the fork server are as started ones, but for the imports they find done."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import forked
import forked_commands as forked_commands_module
import pytest
from forked_commands import forked_commands

pytestmark = [pytest.mark.forked,
              pytest.mark.skipif(sys.platform != 'linux', reason='needs subreapers')]

# Everything that a child gets of who starts it.
TELL = """
import json, os, signal, sys
print(json.dumps({
    'argv': sys.argv, 'path': sys.path[0], 'main': __name__, 'folder': os.getcwd(),
    'environment': dict(os.environ), 'parent': os.getppid(), 'group': os.getpgid(0),
    'mask': sorted(signal.pthread_sigmask(signal.SIG_BLOCK, [])),
    'handlers': [str(signal.getsignal(number)) for number in (
        signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE, signal.SIGCHLD)],
    'descriptors': sorted(map(int, os.listdir('/proc/self/fd')))[:3],
    'terminal': [stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr)],
    'through': sys.stdout.write_through}))
"""
CAME_FROM = 'import sys; print("fork_server" in repr(sys.modules))'


def answer(popen, words, **options):
    process = popen([sys.executable, *words], stdout=subprocess.PIPE, text=True, **options)
    out, _ = process.communicate(timeout=240)
    assert process.returncode == 0
    return json.loads(out)


@pytest.mark.parametrize('how', ['code', 'module', 'file'])
def test_it_gets_what_a_started_one_gets(tmp_path, how):
    (tmp_path / 'tell.py').write_text(TELL)
    words = {'code': ['-c', TELL, 'a', '-b'], 'module': ['-m', 'tell', 'a', '-b'],
             'file': [str(tmp_path / 'tell.py'), 'a', '-b']}[how]
    options = {'cwd': tmp_path, 'stdin': subprocess.DEVNULL,
               'env': {**os.environ, 'ROS_DOMAIN_ID': '7', 'PYTHONUNBUFFERED': '1'}}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
    hangup = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        started = answer(forked.Started, words, **options)
        child = answer(forked.Popen, words, **options)
    finally:
        signal.signal(signal.SIGHUP, hangup)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    assert child == started
    assert child['parent'] == os.getpid()


def test_it_comes_from_the_server_and_so_do_its_children():
    assert subprocess.Popen is forked.Popen
    nested = ('import subprocess, sys; print(subprocess.run([sys.executable, "-c", '
              f'{CAME_FROM!r}], capture_output=True, text=True, check=True).stdout, end="")')
    for code in (CAME_FROM, nested):
        done = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True,
                              check=True)
        assert done.stdout == 'True\n'


@pytest.mark.parametrize(('module', 'folder', 'comes_from'), [
    ('new_words', 'words', 'True'), ('yaml', 'words', 'False'),
    ('new_words', 'words-1.dist-info', 'False')])
def test_one_with_more_folders_of_modules_comes_from_it_unless_they_change_what_it_has(
        tmp_path, module, folder, comes_from):
    (tmp_path / f'{module}.py').write_text('HERE = True\n')
    (tmp_path / folder).mkdir()
    code = f'import {module}; assert {module}.HERE; {CAME_FROM}'
    done = subprocess.run(
        [sys.executable, '-c', code], capture_output=True, text=True, check=True,
        env={**os.environ, 'PYTHONPATH': f'{tmp_path}{os.pathsep}/nowhere'})
    assert done.stdout == f'{comes_from}\n'


@pytest.mark.skipif(not Path('/proc/self/environ').exists(), reason='needs /proc')
@pytest.mark.parametrize('popen', [forked.Popen, forked.Started])
def test_proc_shows_its_own_command_and_environment(popen):
    words = [sys.executable, '-c', 'import sys; print(flush=True); sys.stdin.read()', 'a b', '']
    with popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
               env={**os.environ, 'SHOWN': 'here'}) as process:
        assert process.stdout.readline() == '\n'
        folder = Path(f'/proc/{process.pid}')
        command, environment = ((folder / name).read_bytes().rstrip(b'\0').split(b'\0')
                                for name in ('cmdline', 'environ'))
        assert command == [os.fsencode(word) for word in words[:-1]]
        assert set(environment) == {os.fsencode(f'{name}={value}') for name, value in
                                    {**os.environ, 'SHOWN': 'here'}.items()}
        process.communicate()


@pytest.mark.parametrize('options', [
    {'env': {**os.environ, 'NUMBA_CPU_NAME': 'generic'}}, {'preexec_fn': lambda: None}])
def test_one_with_other_settings_of_the_start_is_started(options):
    done = subprocess.run([sys.executable, '-c', CAME_FROM], capture_output=True, text=True,
                          check=True, **options)
    assert done.stdout == 'False\n'


@pytest.mark.forked(False)
def test_without_the_mark_children_are_started():
    assert subprocess.Popen is forked.Started


@pytest.mark.parametrize(('code', 'expected'), [('', 0), ('import sys; sys.exit(3)', 3),
    ('import sys; sys.exit("told")', 1), ('raise KeyboardInterrupt', -2),
    ('import os; os.kill(os.getpid(), 9)', -9)])
def test_its_exit_code(code, expected):
    done = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True,
                          check=False)
    assert done.returncode == expected
    started = forked.Started([sys.executable, '-c', code], text=True, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE)
    out, error = started.communicate(timeout=240)
    assert (started.returncode, out) == (expected, done.stdout)
    assert done.stderr.splitlines()[-1:] == error.splitlines()[-1:]


def test_its_standard_streams_and_passed_descriptors():
    read_end, write_end = os.pipe()
    code = (f'import os, sys; os.write({write_end}, b"passed"); '
            'print(sys.stdin.read(), end=""); print("wrong", file=sys.stderr)')
    done = subprocess.run([sys.executable, '-c', code], input='told', capture_output=True,
                          text=True, check=True, pass_fds=[write_end])
    os.close(write_end)
    assert (done.stdout, done.stderr) == ('told', 'wrong\n')
    with os.fdopen(read_end, 'rb') as stream:
        assert stream.read() == b'passed'  # and the end: nobody else holds the other one


def test_a_session_of_its_own_takes_signals_alone():
    code = 'import os, time; print(os.getsid(0) == os.getpid(), flush=True); time.sleep(1000)'
    with subprocess.Popen([sys.executable, '-c', code], stdout=subprocess.PIPE, text=True,
                          start_new_session=True) as process:
        assert process.stdout.readline() == 'True\n'
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.05)
        os.killpg(process.pid, signal.SIGKILL)
        assert process.wait(240) == -9


def shell(commands, code, cwd):
    done = subprocess.run(
        ['bash', '-c', code], cwd=cwd, capture_output=True, text=True, check=False, env={
            **os.environ, 'PATH': f'{commands}{os.pathsep}{os.environ["PATH"]}'}, timeout=240)
    return done.returncode, done.stdout, done.stderr


def test_commands_of_a_shell_come_from_it_and_end_as_others(tmp_path):
    commands = tmp_path / 'bin'
    commands.mkdir()
    code = 'import sys; print(sys.stdin.read(), sys.argv); sys.exit("told")'
    with forked_commands(commands):
        assert shell(commands, f"python -c '{CAME_FROM}'", tmp_path)[1] == 'True\n'
        assert shell(commands, f"echo here | python -c '{code}' a 'b c'", tmp_path) == (
            1, "here\n ['-c', 'a', 'b c']\n", 'told\n')
        assert shell(commands, 'sbot --version', tmp_path)[1].startswith('sbot ')
        assert shell(commands, 'sbot run no_such_scenario', tmp_path)[0] == 2
        code = 'import time; print("up", flush=True); time.sleep(1000)'
        for number in (signal.SIGTERM, signal.SIGINT):
            done = shell(commands, f"""
                set -m
                mkfifo heard{number}
                python -c '{code}' >heard{number} &
                read line <heard{number}
                echo $line
                kill -{number} $!
                wait $!
                """, tmp_path)
            assert done[:2] == (128 + number, 'up\n')


def test_what_a_shell_leaves_behind_is_killed(tmp_path, monkeypatch):
    monkeypatch.setattr(forked_commands_module, 'PATIENCE', 0.1)
    commands = tmp_path / 'bin'
    commands.mkdir()
    code = 'import os, time; print(os.getpid(), flush=True); time.sleep(1000)'
    with pytest.warns(UserWarning, match='left behind, and killed'), forked_commands(commands):
        left = int(shell(commands, f"""
            mkfifo heard
            python -c '{code}' >heard 2>/dev/null &
            read line <heard
            echo $line
            """, tmp_path)[1])
    with pytest.raises(ProcessLookupError):
        os.kill(left, 0)
