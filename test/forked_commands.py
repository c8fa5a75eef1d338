"""`sbot` and `python` as a shell finds them, whose processes come from the fork server.

A test with the mark `forked` puts the folder of these commands first in the PATH of its shells.
Each is a small program that asks this process over a socket, passes signals on, and ends as the
process did that it stands for.
"""

import contextlib
import json
import os
import socket
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Iterator
from pathlib import Path

PATIENCE = 30.0  # s, for a process that a shell left behind
COMMANDS = {'python': [], 'sbot': [str(Path(sys.executable).with_name('sbot'))]}
_PROGRAM = """#!{python} -IS
import json, os, signal, socket, sys
connection = socket.socket(socket.AF_UNIX)
connection.connect({address!r})
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(number, lambda number, _: connection.send(bytes([number])))
body = json.dumps([{words!r} + sys.argv[1:], os.getcwd(), dict(os.environ)]).encode()
socket.send_fds(connection, [len(body).to_bytes(4, 'big')], [0, 1, 2])
connection.sendall(body)
code = int.from_bytes(connection.recv(4, socket.MSG_WAITALL), 'big', signed=True)
if code < 0:
    signal.signal(-code, signal.SIG_DFL)
    os.kill(os.getpid(), -code)
sys.exit(code)
"""


@contextlib.contextmanager
def forked_commands(folder: Path) -> Iterator[None]:
    """Write the commands into a folder, and serve them meanwhile."""
    address = str(folder / 'asked')
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(address)
        listening.listen()
        for name, words in COMMANDS.items():
            (folder / name).write_text(_PROGRAM.format(
                python=sys.executable, address=address, words=words))
            (folder / name).chmod(0o755)
        started: list[subprocess.Popen] = []
        asked: list[socket.socket] = []  # whose process is not in that list yet
        thread = threading.Thread(target=_accept, args=(listening, started, asked))
        thread.start()
        try:
            yield
        finally:
            listening.shutdown(socket.SHUT_RDWR)
            thread.join()
            while asked:  # a shell may have ended before the thread that answers goes on
                time.sleep(0.01)
            _end(started)


def _end(processes: list[subprocess.Popen]) -> None:
    """Wait for what has not ended yet; kill what does not end."""
    deadline = time.monotonic() + PATIENCE
    for process in processes:
        try:
            process.wait(max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            warnings.warn(f'left behind, and killed: {process.args}', stacklevel=1)


def _accept(listening: socket.socket, started: list[subprocess.Popen],
            asked: list[socket.socket]) -> None:
    with contextlib.suppress(OSError):  # it is shut
        while True:
            asked.append(listening.accept()[0])
            threading.Thread(target=_answer, args=(asked[-1], started, asked), daemon=True).start()


def _answer(connection: socket.socket, started: list[subprocess.Popen],
            asked: list[socket.socket]) -> None:
    """Start what a command stands for; pass signals on to it, and its exit code back."""
    with connection:
        fds: list[int] = []
        try:
            head, fds, _, _ = socket.recv_fds(connection, 4, 3)
            words, folder, environment = json.loads(
                connection.recv(int.from_bytes(head, 'big'), socket.MSG_WAITALL))
            process = subprocess.Popen(
                [sys.executable, *words], cwd=folder, env=environment,
                stdin=fds[0], stdout=fds[1], stderr=fds[2])
            started.append(process)
        finally:
            asked.remove(connection)
            for fd in fds:
                os.close(fd)
        threading.Thread(target=_pass_signals, args=(connection, process), daemon=True).start()
        code = process.wait()
        with contextlib.suppress(OSError):
            connection.sendall(code.to_bytes(4, 'big', signed=True))


def _pass_signals(connection: socket.socket, process: subprocess.Popen) -> None:
    with contextlib.suppress(OSError):
        while number := connection.recv(1):
            process.send_signal(number[0])
