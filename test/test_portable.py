"""Commands need nothing that only POSIX systems have: Windows lacks these names of Python."""

from children import passed

WITHOUT = """
import importlib, os, signal, sys
for module in ('fcntl', 'grp', 'pwd', 'resource', 'termios'):
    sys.modules[module] = None
for owner, names in ((os, ('O_NONBLOCK', 'chown', 'fork', 'getpgid', 'getuid', 'kill', 'killpg',
                           'mkfifo', 'pread', 'pwrite', 'sched_getaffinity', 'setsid')),
                     (signal, ('SIGALRM', 'SIGCHLD', 'SIGKILL', 'alarm', 'pthread_sigmask'))):
    for name in names:
        delattr(owner, name)
from sbot.cli.main import main
for words in sys.argv[1].split(' && '):
    assert main(words.split()) == 0, words
"""
COMMANDS = ('run single_robot --duration 0.5 --record bag --plot tracks.png',
            'bag info bag', 'bag csv bag -o bag.csv', 'replay bag', 'view bag -o run.html',
            'plot bag -o film.gif', 'pack leader_in_gusts --duration 0.2 -o run.zip',
            'run run.zip --check', 'wind make vortex v.txt', 'new arena --controller')


def test_commands_work_without_what_windows_lacks(tmp_path):
    passed('-c', WITHOUT, ' && '.join(COMMANDS), cwd=tmp_path, timeout=900)
